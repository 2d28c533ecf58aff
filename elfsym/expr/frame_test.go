package expr_test

import (
	"encoding/binary"
	"errors"

	"pushmask/elfsym/expr"
)

// frame is a machine whose register n holds 0x1000*n, and D registers 0x3ff8... ,
// the double 1.5, which S16 and S17 hold too; S0 is 0.5. Memory is the low byte of
// each address.
type frame struct{ noCFA bool }

var errEntry = errors.New("no call site")

func (frame) Register(n uint32) (uint64, bool) {
	switch {
	case n < 16 && n != 12:
		return uint64(n) * 0x1000, true
	case n == 64:
		return 0x3f000000, true
	case n == 80:
		return 0, true
	case n == 81:
		return 0x3ff80000, true
	case n >= 256 && n < 272:
		return 0x3ff8000000000000, true
	}
	return 0, false
}

func (frame) Read(addr uint32, p []byte) error {
	if addr >= 0xf0000000 {
		return errNoMemory
	}
	for i := range p {
		p[i] = byte(addr + uint32(i))
	}
	return nil
}

var errNoMemory = errors.New("no memory")

func (f frame) CFA() (uint32, bool) { return 0x20001000, !f.noCFA }

func (frame) EntryValue(code []byte) (uint64, error) {
	if string(code) == "\x50" {
		return 77, nil
	}
	return 0, errEntry
}

func (frame) Parameter(off uint64) (uint64, error) {
	if off == 0x1040 {
		return 88, nil
	}
	return 0, errEntry
}

// program is what expressions refer to: a unit at 0x1000 of a program that was
// moved by 0x100.
type program struct{ base []byte }

func (program) Bias() uint32      { return 0x100 }
func (program) UnitStart() uint64 { return 0x1000 }
func (program) Address(i uint64) (uint32, bool) {
	return 0x8000 + uint32(i), i < 4
}

func (p program) FrameBase() (expr.Expr, bool) {
	return expr.Expr{Code: p.base, Context: p}, p.base != nil
}

func (program) BaseType(off uint64) (expr.BaseType, bool) {
	t, ok := map[uint64]expr.BaseType{
		0x20: {Encoding: 4, Size: 8}, 0x21: {Encoding: 4, Size: 4}, 0x22: {Encoding: 5, Size: 8}, 0x23: {Encoding: 7, Size: 2},
		0x24: {Encoding: 5, Size: 1}, 0x25: {Encoding: 4, Size: 16}, 0x26: {Encoding: 5, Size: 4},
	}[off]
	return t, ok
}

func (p program) Procedure(off uint64, global bool) (expr.Expr, error) {
	code := map[uint64][]byte{0x30: {0x35}, 0x31: {}, 0x32: {0x98, 0x32, 0}, 0x1033: {0x03, 0x10, 0, 0, 0}, 0x34: {0x50}, 0x35: {0xfd, 0x35, 0, 0, 0}}
	c, ok := code[off]
	if !ok && global {
		c, ok = code[off-0x1000]
	}
	if !ok {
		return expr.Expr{}, expr.ErrNoContext
	}
	return expr.Expr{Code: c, Context: p}, nil
}

func u32(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
