package thumb

import (
	"fmt"
	"math/bits"

	"pushmask/core"
	"pushmask/core/insn"
)

// encoding is one row of the tables: everything that is known about one
// encoding. Decode and Text both read it, so semantics and text agree.
type encoding struct {
	// bits is the encoding diagram, most significant bit first: 0 and 1 must
	// match, - may be anything (should-be bits included), a letter is a bit of
	// the field of that name. The pieces of a scattered field are
	// concatenated. Spaces are for the reader.
	bits string
	// text is the UAL template: <placeholders> are those of operands.go.
	text string
	// defs names the fields whose core registers are written; sem may add to
	// them. Upper case L, P and C stand for LR, PC and R12.
	defs string
	// sem fills in what the generic part cannot know; nil leaves OpOther.
	sem semantics
}

// semantics completes an instruction whose register fields, condition AL and
// Defs are set. It works by value so that decoding does not allocate.
type semantics func(i insn.Inst, f *form) insn.Inst

// form is a compiled encoding.
type form struct {
	mask, value uint32
	size        uint8
	text        string
	fields      []field
	// The fields that fill Rd, Rd2, Rn and Rm, of mask 0 when absent, and
	// those whose registers are written. They are copies: Decode reads them
	// without following pointers.
	rd, rd2, rn, rm field
	defs            [2]field
	implicit        uint16 // registers written that no field names
	sem             semantics
}

// field is the set of bits of an encoding that one letter names.
type field struct {
	letter byte
	mask   uint32
	shift  uint8
	split  bool // the bits are not adjacent
}

// of extracts the field from an encoding.
func (f *field) of(raw uint32) uint32 {
	if !f.split {
		return raw & f.mask >> f.shift
	}
	var v uint32
	for m := f.mask; m != 0; {
		high := 31 - bits.LeadingZeros32(m)
		v = v<<1 | raw>>high&1
		m &^= 1 << high
	}
	return v
}

// width returns the number of bits in the field.
func (f *field) width() int { return bits.OnesCount32(f.mask) }

// compile turns a row into the form that Decode uses. It panics on a
// malformed row, which is a defect of the tables that any test run finds.
func compile(e *encoding) *form {
	f := &form{text: e.text, sem: e.sem}
	var at [128]uint32
	n := 0
	for p := range len(e.bits) {
		if e.bits[p] != ' ' {
			n++
		}
	}
	if n != 16 && n != 32 {
		panic(fmt.Sprintf("thumb: encoding %q has %d bits", e.bits, n))
	}
	f.size = uint8(n / 8)
	bit := uint32(1) << (n - 1)
	for p := range len(e.bits) {
		switch c := e.bits[p]; c {
		case ' ':
			continue
		case '0':
			f.mask |= bit
		case '1':
			f.mask |= bit
			f.value |= bit
		case '-':
		default:
			at[c] |= bit
		}
		bit >>= 1
	}
	for c, m := range at {
		if m != 0 {
			f.fields = append(f.fields, newField(byte(c), m))
		}
	}
	f.bindRegisters(e)
	return f
}

func newField(letter byte, m uint32) field {
	shift := bits.TrailingZeros32(m)
	run := m >> shift
	return field{letter: letter, mask: m, shift: uint8(shift), split: run&(run+1) != 0}
}

// bindRegisters finds the fields that fill Inst's registers and Defs.
func (f *form) bindRegisters(e *encoding) {
	f.rd, f.rd2, f.rn, f.rm = f.copyOf('t'), f.copyOf('u'), f.copyOf('n'), f.copyOf('m')
	if f.lookup('d') != nil {
		f.rd = f.copyOf('d')
	}
	named := 0
	for p := range len(e.defs) {
		switch c := e.defs[p]; c {
		case 'L':
			f.implicit |= 1 << core.LR
		case 'P':
			f.implicit |= 1 << core.PC
		case 'C':
			f.implicit |= 1 << core.R12
		default:
			if f.lookup(c) == nil {
				panic(fmt.Sprintf("thumb: encoding %q writes field %c which it lacks", e.bits, c))
			}
			f.defs[named] = f.copyOf(c)
			named++
		}
	}
}

// copyOf returns the field with the given letter, the zero field when there
// is none.
func (f *form) copyOf(letter byte) field {
	if d := f.lookup(letter); d != nil {
		return *d
	}
	return field{}
}

// lookup returns the field with the given letter or nil.
func (f *form) lookup(letter byte) *field {
	for i := range f.fields {
		if f.fields[i].letter == letter {
			return &f.fields[i]
		}
	}
	return nil
}

// get returns the value of a field, 0 when the encoding has none of that name.
func (f *form) get(raw uint32, letter byte) uint32 {
	if d := f.lookup(letter); d != nil {
		return d.of(raw)
	}
	return 0
}
