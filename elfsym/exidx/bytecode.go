package exidx

import (
	"encoding/binary"
	"fmt"
)

// Personality says which routine an entry is for, and so its format.
type Personality uint8

// The personalities of EHABI, "Personality routine exception-handling table
// entries". Generic entries name a routine of
// their own.
const (
	Su16    Personality = 0 // __aeabi_unwind_cpp_pr0, three bytes of instructions
	Lu16    Personality = 1 // __aeabi_unwind_cpp_pr1
	Lu32    Personality = 2 // __aeabi_unwind_cpp_pr2
	Generic Personality = 0xff
)

// bytecode are the unwinding instructions of an entry and where they came from.
type bytecode struct {
	personality Personality
	routine     uint32 // of Generic, with the Thumb bit
	code        []byte
}

// bytecode fetches the instructions of the entry, which must not be
// EXIDX_CANTUNWIND.
func (e Entry) bytecode() (bytecode, error) {
	if e.value&compactBit != 0 {
		// Inline entries have room for personality 0 alone.
		if e.value>>24 != compactBit>>24 {
			return bytecode{}, fmt.Errorf("%w: inline entry %#08x", ErrMalformed, e.value)
		}
		return bytecode{Su16, 0, highFirst(nil, e.value, 3)}, nil
	}
	addr := prel31(e.addr, e.value)
	first, err := e.words(addr, 1)
	if err != nil {
		return bytecode{}, err
	}
	if first[0]&compactBit != 0 {
		return e.compact(addr, first[0])
	}
	return e.generic(addr, first[0])
}

// compact reads an .ARM.extab entry of the compact model (EHABI,
// "Personality routine exception-handling table entries").
func (e Entry) compact(addr, first uint32) (bytecode, error) {
	b := bytecode{personality: Personality(first >> 24 & 0x7f)}
	switch b.personality {
	case Su16:
		b.code = highFirst(nil, first, 3)
		return b, nil
	case Lu16, Lu32:
		more, err := e.words(addr+4, int(first>>16&0xff))
		b.code = highFirst(nil, first, 2)
		for _, w := range more {
			b.code = highFirst(b.code, w, 4)
		}
		return b, err
	}
	return bytecode{}, fmt.Errorf("%w: personality %d", ErrMalformed, b.personality)
}

// generic reads an entry with a personality routine of its own. What follows
// is up to the routine; those of gcc and clang (__gxx_personality_v0,
// __gcc_personality_v0, rust_eh_personality) pass it to __gnu_unwind_frame,
// which takes the number of further words from the top byte.
func (e Entry) generic(addr, first uint32) (bytecode, error) {
	b := bytecode{personality: Generic, routine: prel31(addr, first)}
	head, err := e.words(addr+4, 1)
	if err != nil {
		return b, err
	}
	more, err := e.words(addr+8, int(head[0]>>24))
	b.code = highFirst(nil, head[0], 3)
	for _, w := range more {
		b.code = highFirst(b.code, w, 4)
	}
	return b, err
}

// words reads n little-endian words of .ARM.extab.
func (e Entry) words(addr uint32, n int) ([]uint32, error) {
	b, err := e.read(addr, 4*n)
	if err == nil && len(b) < 4*n {
		err = fmt.Errorf("%w: %d of %d bytes", ErrMalformed, len(b), 4*n)
	}
	if err != nil {
		return nil, fmt.Errorf("read .ARM.extab at %#08x: %w", addr, err)
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out, nil
}

// highFirst appends the low n bytes of w, the most significant first: the
// order of unwinding instructions in a word (EHABI, "Personality routine
// exception-handling table entries").
func highFirst(code []byte, w uint32, n int) []byte {
	for i := n - 1; i >= 0; i-- {
		code = append(code, byte(w>>(8*i)))
	}
	return code
}
