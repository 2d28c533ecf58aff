package dump

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"pushmask/core"
	"pushmask/core/dump/internal/msgpack"
)

const probersFormat = "probe-rs dump"

// probersFields are the fields of probe-rs's CoreDump in the order of the
// struct, which is that of its array form (probe-rs/src/core/dump.rs).
var probersFields = []string{
	"registers", "data", "instruction_set", "supports_native_64bit_access",
	"core_type", "fpu_support", "floating_point_register_count",
}

// maxProbersSize bounds the files that are read. Their memory content is
// spelled in integers and has to be unpacked as a whole.
const maxProbersSize = 1 << 30

// probersDump is a MessagePack core dump of probe-rs while it is read. Its
// registers are those of the core at the halt: in a fault handler if it was
// halted there.
type probersDump struct {
	d             *Dump
	r             *msgpack.Reader
	registers     map[uint16]uint64
	wide          map[uint16]bool // registers of 64 bits
	ranges        []probersRange
	isa, coreType string
}

// probersRange is an entry of data.
type probersRange struct {
	start, end uint64 // end is exclusive
	content    []byte
}

// openProbeRS is the opener of core dumps that probe-rs wrote.
func openProbeRS(in *input) (*Dump, error) {
	if !isProbeRS(in.head) {
		return nil, ErrUnrecognized
	}
	if in.size > maxProbersSize {
		return nil, &FormatError{probersFormat, 0, fmt.Sprintf("the file has %d bytes; at most %d can be read", in.size, maxProbersSize), ErrUnsupported}
	}
	p := &probersDump{
		d:         &Dump{Format: probersFormat},
		r:         msgpack.NewReader(io.NewSectionReader(in.r, 0, in.size)),
		registers: make(map[uint16]uint64),
		wide:      make(map[uint16]bool),
	}
	p.read()
	if err := p.r.Err(); err != nil {
		if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, msgpack.ErrFormat) {
			return nil, &FormatError{probersFormat, p.r.Offset(), "the file cannot be read", err}
		}
		p.d.warnf("the dump is truncated or damaged and what follows is missing: %v", err)
	}
	if err := p.checkCore(); err != nil {
		return nil, err
	}
	p.mapMemory()
	p.setRegisters()
	p.d.finish()
	return p.d, nil
}

// isProbeRS reports whether a file begins with the fields of a dump: a map
// whose first key is one of them, or an array of as many values of which the
// first is a map of numbers to register values.
func isProbeRS(head []byte) bool {
	r := msgpack.NewReader(bytes.NewReader(head))
	switch t := r.Token(); t.Kind {
	case msgpack.Map:
		return slices.Contains(probersFields, r.Str(64))
	case msgpack.Array:
		if t.N != uint64(len(probersFields)) {
			return false
		}
		r.Expect(msgpack.Map)
		r.Expect(msgpack.Uint)
		r.Expect(msgpack.Map)
		return slices.Contains([]string{"U32", "U64", "U128"}, r.Str(8))
	}
	return false
}

// read reads the fields until the end or the first error.
func (p *probersDump) read() {
	t := p.r.Token()
	for i := uint64(0); i < t.N && p.r.Err() == nil; i++ {
		switch {
		case t.Kind == msgpack.Map:
			p.readField(p.r.Str(64))
		case i < uint64(len(probersFields)):
			p.readField(probersFields[i])
		}
	}
}

func (p *probersDump) readField(name string) {
	switch name {
	case "registers":
		p.readRegisters()
	case "data":
		p.readData()
	case "instruction_set":
		p.isa = p.r.Str(64)
	case "core_type":
		p.coreType = p.r.Str(64)
	default:
		p.r.Skip(p.r.Token())
	}
}

// readRegisters reads a map of register numbers to {"U32": n}, {"U64": n} or
// {"U128": bytes}; no ARM core register has 128 bits.
func (p *probersDump) readRegisters() {
	for n := p.r.Expect(msgpack.Map); n > 0 && p.r.Err() == nil; n-- {
		id := p.r.Expect(msgpack.Uint)
		p.r.Expect(msgpack.Map)
		size := p.r.Str(8)
		t := p.r.Token()
		if t.Kind != msgpack.Uint || id > math.MaxUint16 {
			p.r.Skip(t)
			continue
		}
		if p.r.Err() == nil {
			p.registers[uint16(id)], p.wide[uint16(id)] = t.N, size == "U64"
		}
	}
}

// readData reads an array of [{"start": n, "end": n}, [byte, byte, ...]].
func (p *probersDump) readData() {
	for n := p.r.Expect(msgpack.Array); n > 0 && p.r.Err() == nil; n-- {
		parts := p.r.Expect(msgpack.Array)
		if parts < 2 {
			continue
		}
		x := p.readRange()
		if p.r.Err() != nil {
			return
		}
		x.content = p.r.Octets()
		p.ranges = append(p.ranges, x)
		for ; parts > 2 && p.r.Err() == nil; parts-- {
			p.r.Skip(p.r.Token())
		}
	}
}

// readRange reads the bounds of a range, by name or in order.
func (p *probersDump) readRange() (x probersRange) {
	t := p.r.Token()
	for i := uint64(0); i < t.N && p.r.Err() == nil; i++ {
		key := [...]string{"start", "end", ""}[min(i, 2)]
		if t.Kind == msgpack.Map {
			key = p.r.Str(64)
		}
		switch key {
		case "start":
			x.start = p.r.Expect(msgpack.Uint)
		case "end":
			x.end = p.r.Expect(msgpack.Uint)
		default:
			p.r.Skip(p.r.Token())
		}
	}
	return x
}

// mapMemory maps the ranges. Where two overlap the first wins, as in
// probe-rs, which looks for the first that has an address.
func (p *probersDump) mapMemory() {
	for _, x := range slices.Backward(p.ranges) {
		if x.start > math.MaxUint32 {
			p.d.warnf("the memory at %#x is above the 32-bit address space and left out", x.start)
			continue
		}
		switch {
		case x.end < x.start:
			p.d.warnf("the memory at %v has %d bytes, its range ends before it begins, at %#x", core.Addr(x.start), len(x.content), x.end)
		case uint64(len(x.content)) != x.end-x.start:
			p.d.warnf("the memory at %v has %d bytes, its range says %d", core.Addr(x.start), len(x.content), x.end-x.start)
		}
		if x.start+uint64(len(x.content)) > math.MaxUint32+1 {
			p.d.warnf("the memory at %v passes the top of the address space and is cut there", core.Addr(x.start))
		}
		p.d.mem.AddBytes(core.Addr(x.start), x.content)
	}
}
