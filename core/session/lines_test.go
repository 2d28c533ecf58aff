package session

import (
	"testing"

	"pushmask/core"
)

// TestLineAt asks for the line of every instruction of a function: the ranges
// have the address, and lie in the function.
func TestLineAt(t *testing.T) {
	t.Parallel()
	p := openDemo(t, Config{})
	fn := p.Images().Lookup("packet_receive")[0]
	f, ok := p.Images().FuncAt(fn.Addr &^ 1)
	if !ok {
		t.Fatal("no packet_receive")
	}
	lines := map[int]bool{}
	for a := f.Entry; a < f.End; a += 2 {
		r, ok := p.LineAt(core.Addr(a))
		if !ok || r.Lo > core.Addr(a) || r.Hi <= core.Addr(a) || r.Lo < core.Addr(f.Entry) || r.Hi > core.Addr(f.End) {
			t.Errorf("%#x: %+v, %v", a, r, ok)
		}
		lines[r.Line] = true
	}
	if len(lines) < 5 || p.SymbolText(core.Addr(f.Entry+2)) != "packet_receive+2" {
		t.Errorf("%d lines, %q", len(lines), p.SymbolText(core.Addr(f.Entry+2)))
	}
	if _, ok := p.LineAt(0xf0000000); ok {
		t.Error("a line where nothing is")
	}
}
