package unwind

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"pushmask/core"
	"pushmask/core/insn"
	"pushmask/elfsym"
)

// TestFirmwareExecuted executes each function of the firmware alone, with flags
// that change at random at compares and calls, and compares the rows before
// every instruction with what is true there. A row may say that it does not
// know; it must not be false.
func TestFirmwareExecuted(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a32", "cpp", "interrupt", "m0-Os", "m3-O0", "m33-O2", "m7-Og", "process-stack"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("..", "..", "testdata", "firmware", name, "fw.elf")
			img, err := elfsym.Open(path, elfsym.Options{})
			if err != nil {
				t.Fatal(err)
			}
			p := FromImages(elfsym.Join(img))
			var n executed
			for _, s := range img.Functions() {
				if f, ok := p.FuncAt(core.Addr(s.Entry)); ok && f.Entry == core.Addr(s.Entry) {
					n.function(t, p, f)
				}
			}
			if n.rows < 1000 || n.unknown > n.rows/50 {
				t.Errorf("%d instructions executed, the row of %d of them does not know", n.rows, n.unknown)
			}
		})
	}
}

// executed counts the instructions executed, and those where the rows do not
// know the return address.
type executed struct{ rows, unknown int }

// function executes f several times from its entry.
func (n *executed) function(t *testing.T, p *Program, f Func) {
	t.Helper()
	const runs = 4
	data := p.text.at(f.Entry)
	code := bareText{&extent{lo: f.Entry, data: data[:min(len(data), int(f.End-f.Entry))]}}
	plan := p.Plan(f)
	rng := rand.New(rand.NewPCG(1, uint64(f.Entry)))
	for flags := range uint32(runs) {
		m := newMachine(code, f.Thumb, 5*flags)
		m.run(func(i *insn.Inst) {
			m.finished = p.isData(i.Addr) || i.Flow == insn.FlowCall && p.noReturn(called(i))
			n.rows++
			switch err := m.compare(plan, i.Addr); {
			case errors.Is(err, errNoRA) || errors.Is(err, errNoCFA):
				n.unknown++
			case errors.Is(err, errNotReach): // behind a call that does not come back
				n.unknown++
				m.finished = true
			case err != nil:
				t.Errorf("%s: flags %#x, at %v: %v", f.Name, m.flags>>28, i.Addr, err)
			}
			if (i.Op == insn.OpCmp || isCall(i)) && !m.it.InBlock() {
				m.flags = rng.Uint32() & 0xf0000000
			}
		})
	}
}
