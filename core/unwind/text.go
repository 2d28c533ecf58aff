package unwind

import (
	"encoding/binary"
	"errors"

	"pushmask/core"
	"pushmask/core/a32"
	"pushmask/core/insn"
	"pushmask/core/thumb"
	"pushmask/elfsym"
)

// text is code memory. at returns the bytes from a to the end of what is
// contiguous there, none where there is no code; the caller does not change
// them.
type text interface {
	at(a core.Addr) []byte
}

// errNoCode is returned when instructions are asked for where there are none.
var errNoCode = errors.New("no code at this address")

// fetch decodes the instruction at a.
func fetch(t text, a core.Addr, thumbState bool) (insn.Inst, error) {
	b := t.at(a)
	if len(b) < 2 {
		return insn.Inst{}, errNoCode
	}
	if thumbState {
		return thumb.Decode(b, a)
	}
	return a32.Decode(b, a)
}

// word reads a word of code memory: a literal or a table entry.
func word(t text, a core.Addr) (uint32, bool) {
	b := t.at(a)
	if len(b) < 4 {
		return 0, false
	}
	return le32(b), true
}

func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// extent is a contiguous piece of code memory.
type extent struct {
	lo   core.Addr
	data []byte
	of   *elfsym.Image // nil for code of no ELF
}

func (e *extent) contains(a core.Addr) bool {
	return a >= e.lo && uint64(a) < uint64(e.lo)+uint64(len(e.data))
}

// imageText is the code that the images hold.
type imageText []extent

func (t imageText) at(a core.Addr) []byte {
	for i := range t {
		if t[i].contains(a) {
			return t[i].data[a-t[i].lo:]
		}
	}
	return nil
}
