package cfi_test

import (
	"bytes"
	"errors"
	"testing"

	"pushmask/elfsym/cfi"
)

var errNoMemory = errors.New("no memory")

// frame is a state where rN holds 0x100*N+4, r12 is unknown, and the word at
// an address is the address with its upper half set.
type frame struct{}

func (frame) Reg(r cfi.Register) (uint32, bool) { return uint32(r)*0x100 + 4, r != 12 }

func (frame) Read(addr uint32) (uint32, error) {
	if addr >= 0x10000 {
		return 0, errNoMemory
	}
	return addr | 0x20000000, nil
}

func TestEval(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		expr []byte
		want uint32
		err  string
	}{
		{"breg13 8, deref", []byte{0x7d, 8, 0x06}, 0x20000d0c, ""},
		{"breg13 -4", []byte{0x7d, 0x7c}, 0xd00, ""},
		{"bregx d0", []byte{0x92, 0x80, 2, 0}, 0x10004, ""},
		{"the CFA on the stack", []byte{0x23, 0x10}, 0x1010, ""},
		{"call_frame_cfa", []byte{0x30, 0x9c}, 0x1000, ""},
		{"addr", []byte{0x03, 1, 2, 3, 4}, 0x04030201, ""},
		{"const1u", []byte{0x08, 0xff}, 0xff, ""},
		{"const1s", []byte{0x09, 0xff}, 0xffffffff, ""},
		{"const2u", []byte{0x0a, 0xfe, 0xff}, 0xfffe, ""},
		{"const2s", []byte{0x0b, 0xfe, 0xff}, 0xfffffffe, ""},
		{"const4u, const4s", []byte{0x0c, 1, 0, 0, 0x80, 0x0d, 2, 0, 0, 0x80, 0x22}, 3, ""},
		{"constu, consts", []byte{0x10, 0x80, 1, 0x11, 0x7f, 0x22}, 127, ""},
		{"lit31 - lit1", []byte{0x4f, 0x31, 0x1c}, 30, ""},
		{"and", []byte{0x3c, 0x3a, 0x1a}, 8, ""},
		{"or", []byte{0x3c, 0x33, 0x21}, 15, ""},
		{"xor", []byte{0x3c, 0x3a, 0x27}, 6, ""},
		{"mul", []byte{0x33, 0x34, 0x1e}, 12, ""},
		{"shl", []byte{0x33, 0x34, 0x24}, 48, ""},
		{"shr by 32", []byte{0x33, 0x08, 32, 0x25}, 0, ""},
		{"neg, not", []byte{0x31, 0x1f, 0x20}, 0, ""},
		{"dup", []byte{0x33, 0x12, 0x1e}, 9, ""},
		{"over", []byte{0x35, 0x33, 0x14, 0x1c, 0x1c}, 7, ""},
		{"swap, drop, nop", []byte{0x35, 0x33, 0x16, 0x13, 0x96}, 3, ""},
		{"align down the stack pointer", []byte{0x7d, 0, 0x09, 0xf8, 0x1a}, 0xd00, ""},
		{"unknown register", []byte{0x7c, 0}, 0, "r12: value of register is unknown"},
		{"no memory", []byte{0x03, 0, 0, 1, 0, 0x06}, 0, "no memory"},
		{"empty stack", []byte{0x13, 0x13}, 0, "the stack is empty"},
		{"stack left empty", []byte{0x13}, 0, "the stack is empty"},
		{"read from an empty stack", []byte{0x13, 0x06}, 0, "the stack is empty"},
		{"loop", []byte{0x2f, 0xfd, 0xff}, 0, "operation 0x2f is not for frame rules"},
		{"truncated", []byte{0x0c, 1}, 0, "4 bytes expected, 1 left"},
		{"endless stack", bytes.Repeat([]byte{0x30}, 100), 0, "too many values"},
	} {
		got, err := cfi.Eval(tt.expr, frame{}, 0x1000)
		checkError(t, err, tt.err)
		if got != tt.want {
			t.Errorf("%s: %#x, want %#x", tt.name, got, tt.want)
		}
	}
	if _, err := cfi.Eval([]byte{0x7c, 0}, frame{}); !errors.Is(err, cfi.ErrUnknownRegister) {
		t.Errorf("unknown register: %v", err)
	}
	if _, err := cfi.Eval([]byte{0x7d, 0x80, 0x80, 4, 0x06}, frame{}); !errors.Is(err, errNoMemory) {
		t.Errorf("no memory: %v", err)
	}
	for _, expr := range [][]byte{nil, {0x9c}} {
		if v, err := cfi.Eval(expr, frame{}); err == nil {
			t.Errorf("% x without a CFA gives %#x", expr, v)
		}
	}
}
