// Package nuttx reads the carriers of NuttX's core files (sched/misc/coredump.c):
// the compressed stream that block devices hold, and the lines of hexadecimal
// digits or base64 that the system log prints, compressed or not. What they
// carry is an ELF core.
package nuttx

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"

	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

const name = "ELF core (NuttX)"

// Is tells a compressed stream by its first block.
func Is(data []byte) bool {
	_, ok := blockAt(data)
	return ok
}

// Read reads a compressed stream, with whatever follows it on its device.
func Read(data []byte) ([]*crash.Crash, error) {
	c := &crash.Crash{Format: name + ", compressed"}
	s := unpackStream(data)
	s.settle(!s.cut)
	s.report(c)
	return []*crash.Crash{c}, nil
}

// report makes the core of the crash and says what is missing of it.
func (s *content) report(c *crash.Crash) {
	c.Core, c.Lost = s.b, s.lost
	total := int64(0)
	for _, l := range s.lost {
		total += l.Size
	}
	if total > 0 {
		c.Warnf("%d bytes of the core file were lost on the way: that memory is not available", total)
	}
	if want := fileSize(s.b); s.cut || want > int64(len(s.b)) {
		c.Truncated = true
		c.Warnf("the core file is cut: %d of %d bytes are there", len(s.b), want)
	}
}

// What the log prints around a core file.
const (
	textStart  = "Start coredump"
	textFinish = "Finish coredump"
)

// maxSkipped is how many lines of other output in a row end a core file whose
// last line is missing.
const maxSkipped = 200

// FindLog returns the core files that are printed in a log. People save them
// with or without the lines around them.
func FindLog(log *logtext.Log) []*crash.Crash {
	var found []*crash.Crash
	for i := 0; i < len(log.Lines); i++ {
		marked := strings.Contains(log.Lines[i].Text, textStart)
		if !marked && !begins(lastWord(log.Lines[i].Text)) {
			continue
		}
		skip := 0
		if marked {
			skip = 1
		}
		p, n := collect(log.Lines[i+skip:])
		p.ended = p.ended || !marked
		if c := p.crash(); c != nil {
			c.Where = crash.Place{Offset: log.Lines[i].Offset, Line: log.Lines[i].Number}
			found = append(found, c)
		}
		i += n
	}
	return found
}

// printed is the tokens of a core file in a log.
type printed struct {
	tokens []string
	ended  bool
}

// collect takes the tokens behind the line that begins a core file, up to the
// one that ends it, and returns how many lines it passed. A token is the last
// word of its line.
func collect(lines []logtext.Line) (p printed, n int) {
	skipped := 0
	for n = range lines {
		text := lines[n].Text
		word := lastWord(text)
		switch {
		case strings.Contains(text, textFinish):
			p.ended = true
			return p, n
		case strings.Contains(text, textStart):
			return p, n - 1
		case isToken(word):
			p.tokens = append(p.tokens, word)
			skipped = 0
		default:
			if skipped++; skipped > maxSkipped {
				return p, n
			}
		}
	}
	return p, len(lines)
}

func lastWord(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexAny(text, " \t")+1:]
}

// begins tells the first token of a core file: of a compressed stream or of an
// ELF file, in hexadecimal digits or in base64.
func begins(word string) bool {
	const shortest = 48 // of a first line
	if len(word) < shortest || !isToken(word) {
		return false
	}
	for _, start := range [...]string{"5A5600", "5A5601", "7F454C46", "WlYA", "WlYB", "f0VMRg"} {
		if strings.HasPrefix(word, start) {
			return true
		}
	}
	return false
}

// minToken is the length of the shortest token that is not taken for a word of
// other output.
const minToken = 16

// isToken tells digits of either encoding. The last line of a core file can be
// shorter than minToken; it ends with padding or has digits only.
func isToken(w string) bool {
	for i := range len(w) {
		if c := w[i]; !isAlnum(c) && c != '+' && c != '/' && c != '=' {
			return false
		}
	}
	return len(w) >= minToken || len(w) >= 2 && isHex(w)
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

func isHex(w string) bool { return strings.Trim(w, "0123456789ABCDEF") == "" }

// crash decodes the tokens; nil where there is nothing in them.
func (p *printed) crash() *crash.Crash {
	b, bad := p.decode()
	if len(b) == 0 {
		return nil
	}
	c := &crash.Crash{Format: name + " in a log"}
	if bad > 0 {
		c.Warnf("%d lines of the core file are damaged", bad)
	}
	var s content
	if _, packed := blockAt(b); packed {
		s = unpackStream(b)
		s.settle(p.ended && !s.cut)
	} else {
		s = content{b: b}
		c.Refused = s.place(p.ended)
	}
	if !p.ended {
		c.Truncated = true
	}
	s.report(c)
	return c
}

// decode decodes the tokens. The digits are of base64 unless nearly all tokens
// are hexadecimal.
func (p *printed) decode() (b []byte, bad int) {
	hexes := 0
	for _, t := range p.tokens {
		if isHex(t) {
			hexes++
		}
	}
	if hexes*10 < len(p.tokens)*9 {
		return p.decodeBase64()
	}
	for _, t := range p.tokens {
		line, err := hex.DecodeString(t)
		if err != nil {
			bad++
		}
		b = append(b, line...)
	}
	return b, bad
}

// decodeBase64 decodes tokens that are one stream, cut anywhere.
func (p *printed) decodeBase64() (b []byte, bad int) {
	all := strings.TrimRight(strings.Join(p.tokens, ""), "=")
	all = strings.ReplaceAll(all, "=", "")
	b = make([]byte, base64.RawStdEncoding.DecodedLen(len(all)))
	n, err := base64.RawStdEncoding.Decode(b, []byte(all))
	if err != nil {
		bad++
	}
	return b[:n], bad
}

// errShifted refuses a core file of which lines are missing in the registers.
var errShifted = errors.New("lines are missing among the headers and registers of the core file: nothing of it can be placed")

// place decides what of a core file that was printed as it is can be placed.
// Where lines are missing in one whose end is there, no one knows where: then
// only what comes before the memory is taken, if that shows to be whole.
func (s *content) place(ended bool) error {
	want := fileSize(s.b)
	switch {
	case want != 0 && int64(len(s.b)) >= want:
		return nil
	case !ended:
		s.cut = true
		return nil
	case want == 0 || want > maxContent || notesEnd(s.b) == 0:
		return errShifted
	}
	keep := notesEnd(s.b)
	s.b = append(s.b[:keep:keep], make([]byte, want-int64(keep))...)
	s.lost = []crash.Span{{Offset: int64(keep), Size: want - int64(keep)}}
	return nil
}
