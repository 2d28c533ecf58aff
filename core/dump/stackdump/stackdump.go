// Package stackdump reads the captures of the stackdump crate
// (github.com/tweedegolf/stackdump): records of registers and of memory, one
// behind the other. Code on the target captured itself: PC and LR lie in the
// function that did.
package stackdump

import (
	"fmt"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/internal/cursor"
)

const name = "stackdump capture"

// Kinds of records.
const (
	recordMemory    = 1 // 64-bit address and length, then bytes
	recordRegisters = 2 // DWARF number of the first register, count, words
)

// Numbers of registers: the core ones are those of DWARF; floating-point ones
// are words of s0 and up under the number of d0 (DWARF for the Arm
// Architecture, 4.1).
const (
	firstFloat = 256
	floatCount = 32
	coreCount  = 16
)

// record is one record.
type record struct {
	kind    byte
	first   uint16 // register
	addr    uint64
	content []byte // as far as it is there
	size    uint64 // of the content as the record states it
}

// next reads the record that b begins with and returns what follows it.
func next(b []byte) (r record, rest []byte, ok bool) {
	c := cursor.New(name, b)
	switch r.kind = c.U8(); r.kind {
	case recordRegisters:
		r.first = c.U16()
		r.size = 4 * uint64(c.U16())
	case recordMemory:
		r.addr, r.size = c.U64(), c.U64()
	default:
		return r, nil, false
	}
	if c.Err() != nil || !r.plausible() {
		return r, nil, false
	}
	rest = b[c.Off():]
	n := min(r.size, uint64(len(rest)))
	r.content = rest[:n]
	return r, rest[n:], true
}

func (r *record) plausible() bool {
	if r.kind == recordMemory {
		return r.addr+r.size <= 1<<32 && r.addr <= r.addr+r.size
	}
	count := r.size / 4
	return r.first < coreCount && uint64(r.first)+count <= coreCount || r.first == firstFloat && count <= floatCount
}

// Is tells a capture: it is records from the first byte on, among them one of
// registers, of which only the last may be cut. The head of a file is enough.
func Is(head []byte) bool {
	registers := 0
	for b := head; len(b) > 0; {
		r, rest, ok := next(b)
		if !ok {
			return false
		}
		if r.kind == recordRegisters && r.first == 0 && r.size == 4*coreCount {
			registers++
		}
		b = rest
	}
	return registers > 0
}

// Read reads a capture. What several files hold of it is put together by the
// caller.
func Read(data []byte) ([]*crash.Crash, error) {
	c := &crash.Crash{Format: name}
	t := c.Crashed()
	t.ID = 1
	for b := data; len(b) > 0; {
		r, rest, ok := next(b)
		if !ok {
			c.Truncated = true
			c.Warnf("there is no record at offset %#x: what follows is left out", len(data)-len(b))
			break
		}
		if uint64(len(r.content)) < r.size {
			c.Truncated = true
			c.Warnf("the last record has %d of %d bytes", len(r.content), r.size)
		}
		r.add(c, t)
		b = rest
	}
	return []*crash.Crash{c}, nil
}

// add adds what the record holds.
func (r *record) add(c *crash.Crash, t *crash.Thread) {
	if r.kind == recordMemory {
		c.AddMemory(core.Addr(r.addr), r.content)
		return
	}
	first := core.Reg(r.first)
	if r.first == firstFloat {
		first = core.S0
	}
	cur := cursor.New(name, r.content)
	for i := range core.Reg(r.size / 4) {
		v := cur.U32()
		if cur.Err() != nil {
			c.Skip(fmt.Sprintf("register %v and those behind it", first+i))
			return
		}
		t.Regs.Set(first+i, v)
	}
}
