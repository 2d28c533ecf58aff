package rtos

import (
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"pushmask/core"
)

// printable reports whether b is text as people give names: valid UTF-8
// without control characters.
func printable(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n <= 1 || !unicode.IsPrint(r) {
			return false
		}
		b = b[n:]
	}
	return true
}

// word reads a word that must be aligned.
func (s *System) word(a core.Addr) (uint32, bool) {
	if a&3 != 0 {
		return 0, false
	}
	v, err := core.ReadU32(s.Memory, a)
	return v, err == nil
}

// byteAt reads a byte.
func (s *System) byteAt(a core.Addr) (byte, bool) {
	var b [1]byte
	n, _ := s.Memory.ReadAt(a, b[:])
	return b[0], n == 1
}

// maxName bounds names that pointers lead to, in bytes.
const maxName = 64

// textAt reads the NUL-terminated text at a. It is false where there is none,
// or something that is no text.
func (s *System) textAt(a core.Addr) (string, bool) {
	if a == 0 {
		return "", false
	}
	var b [maxName]byte
	n, _ := s.Memory.ReadAt(a, b[:])
	if n == 0 {
		return "", false
	}
	return text(b[:n])
}

// ram reports whether the word at a can be written by the program: it is in
// memory that is not part of the image's read-only bytes.
func (s *System) ram(a core.Addr) bool {
	if _, ok := s.word(a &^ 3); !ok {
		return false
	}
	for _, seg := range s.Image.Segments() {
		if uint32(a)-seg.Addr < seg.FileSize && !seg.Write {
			return false
		}
	}
	return true
}

// code reports whether the image has executable bytes at a.
func (s *System) code(a core.Addr) bool {
	for _, seg := range s.Image.Segments() {
		if seg.Exec && uint32(a)-seg.Addr < seg.MemSize {
			return true
		}
	}
	return false
}

// listError says where a list of a kernel stops to make sense.
type listError struct {
	at   core.Addr // element that is wrong
	read int       // elements before it
	why  string
}

func (e *listError) Error() string {
	return fmt.Sprintf("broken at %v after %d elements: %s", e.at, e.read, e.why)
}

// maxChain bounds lists, in elements. It is above [maxThreads], since lists
// hold timers and free blocks too.
const maxChain = 4096

// errNext is what the function of a chain returns when it cannot go on.
var errNext = errors.New("not in memory")

// chain walks a linked list: it calls next with each element, from first on,
// until next returns end. What was visited before an error is returned with it.
// The error is a [*listError].
func (s *System) chain(first, end core.Addr, next func(core.Addr) (core.Addr, error)) ([]core.Addr, error) {
	var list []core.Addr
	seen := make(map[core.Addr]bool)
	for a := first; a != end; {
		switch {
		case a == 0:
			return list, &listError{a, len(list), "a null pointer"}
		case seen[a]:
			return list, &listError{a, len(list), "it leads back into itself"}
		case len(list) == maxChain:
			return list, &listError{a, len(list), "it has no end"}
		}
		seen[a] = true
		follow, err := next(a)
		if err != nil {
			return list, &listError{a, len(list), err.Error()}
		}
		list = append(list, a)
		a = follow
	}
	return list, nil
}
