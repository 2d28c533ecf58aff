package inspect

import (
	"errors"
	"testing"

	"pushmask/core"
	"pushmask/core/memmap"
	"pushmask/elfsym/expr"
)

// TestPieces reads values that lie in pieces, of which some may be missing.
func TestPieces(t *testing.T) {
	t.Parallel()
	var mem memmap.Map
	mem.AddBytes(0x100, []byte{1, 2, 3, 4, 5, 6, 7, 8})
	var regs core.Regs
	regs.Set(core.R4, 0x11223344)
	c := New(nil, nil).context(&Frame{Memory: &mem, Regs: &regs, IsCaller: true})
	tests := []struct {
		name  string
		where expr.Location
		want  string
	}{
		{"memory", expr.Location{{Kind: expr.Memory, Addr: 0x100}}, "578437695752307201 (0x807060504030201)"},
		{"a piece of the size", expr.Location{{Kind: expr.Memory, Addr: 0x100, BitSize: 64}}, "578437695752307201 (0x807060504030201)"},
		// clang writes no piece for what follows: static variables of which a part was optimized out.
		{"one piece that is shorter", expr.Location{{Kind: expr.Memory, Addr: 0x100, BitSize: 32}}, "<optimized out>"},
		{"register and memory", expr.Location{{Kind: expr.Register, Register: 4, BitSize: 32}, {Kind: expr.Memory, Addr: 0x100, BitSize: 32}}, "289077004687520580 (0x403020111223344)"},
		{"a hole", expr.Location{{Kind: expr.Register, Register: 4, BitSize: 32}, {BitSize: 32}}, "<optimized out>"},
		{"unknown register", expr.Location{{Kind: expr.Register, Register: 5}}, "<r5 was not saved by any younger frame>"},
		{"no memory", expr.Location{{Kind: expr.Memory, Addr: 0x104}}, "<not in the dump: 0x00000108..0x0000010b>"},
		{"constant", expr.Location{{Kind: expr.Value, Data: []byte{9, 0, 0, 0, 0, 0, 0, 0}}}, "9 (0x9)"},
	}
	for _, tt := range tests {
		v := c.at(typeLlong, tt.where)
		if got := v.Text(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	half := c.at(arrayOf(typeInt, 2), expr.Location{{Kind: expr.Memory, Addr: 0x100, BitSize: 32}})
	if got, want := half.Text(), "{67305985, <optimized out>}"; got != want {
		t.Errorf("an array of which half is there is %s, want %s", got, want)
	}
	if e, _ := half.element(1); !errors.Is(e.err, expr.ErrOptimizedOut) {
		t.Errorf("the other half: %v", e.err)
	}
}
