package unwind

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/insn"
	"pushmask/elfsym"
)

// TestListingsWalked executes the listings of testdata/rows in a program that
// calls them, and walks the stack before every instruction and inside of every
// call. With symbols the list must be the true one; without, no frame of it may
// differ.
func TestListingsWalked(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/rows/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no listings: %v", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			t.Parallel()
			code, th := listingCode(t, path)
			l := programAround(t, code, th)
			settings := uint32(4) // of r0, see newMachine
			if conditional(code, th) {
				settings = 16
			}
			for flags := range settings {
				m := newMachine(code, th, flags)
				m.run(func(i *insn.Inst) { l.visit(t, m, i) })
			}
		})
	}
}

// conditional reports whether flags change what the code does.
func conditional(code bareText, th bool) bool {
	for pc := code.lo; pc < code.lo+core.Addr(len(code.data)); {
		i, err := fetch(code, pc, th)
		if err != nil {
			return true
		}
		if i.Conditional() || i.Op == insn.OpIT {
			return true
		}
		pc = i.Next()
	}
	return false
}

// listingProgram is a listing with what is around it.
type listingProgram struct {
	around
	profile  core.Profile
	with     *Program // with symbols
	stripped *Program
}

// listingSymbols is a symbol table.
type listingSymbols struct {
	funcs []elfsym.Func
	state elfsym.State
}

func (s listingSymbols) FuncAt(pc uint32) (elfsym.Func, bool) {
	for _, f := range s.funcs {
		if pc >= f.Entry && pc < f.End {
			return f, true
		}
	}
	return elfsym.Func{}, false
}

func (s listingSymbols) State(uint32) elfsym.State { return s.state }

func (s *listingSymbols) add(name string, lo core.Addr, size int, th bool) {
	s.funcs = append(s.funcs, elfsym.Func{
		Name: name, Entry: uint32(lo), End: uint32(lo) + uint32(size), Thumb: th, Sized: true,
	})
}

// programAround builds the program; what the listing calls or jumps to is a leaf.
func programAround(t *testing.T, code bareText, th bool) *listingProgram {
	t.Helper()
	a := aroundListing(th)
	l := &listingProgram{around: a, profile: core.ProfileM}
	ret := []byte{0x70, 0x47}
	syms := listingSymbols{state: elfsym.StateThumb}
	if !th {
		l.profile, syms.state, ret = core.ProfileA, elfsym.StateARM, []byte{0x1e, 0xff, 0x2f, 0xe1}
	}
	text := imageText{{lo: code.lo, data: code.data}, {lo: a.lo, data: a.code}}
	syms.add("listing", code.lo, len(code.data), th)
	syms.add("reset", a.reset, 8, th)
	syms.add("caller", a.caller, int(a.leaf-a.caller), th)
	syms.add("leaf", a.leaf, len(ret), th)
	for pc := code.lo; pc < code.lo+core.Addr(len(code.data)); {
		i, err := fetch(code, pc, th)
		if err != nil {
			t.Fatal(err)
		}
		known := func(f elfsym.Func) bool { return f.Entry == uint32(i.Target) }
		if i.Flow == insn.FlowCall && !code.contains(i.Target) && !slices.ContainsFunc(syms.funcs, known) {
			syms.add("callee", i.Target, len(ret), th)
			text = append(text, extent{i.Target, ret, nil})
		}
		pc = i.Next()
	}
	start := uint32(a.reset)
	if th {
		start |= 1
	}
	l.with = newProgram(nil, syms, text, l.profile, start)
	l.stripped = newProgram(nil, noSymbols{}, text, l.profile, start)
	return l
}

// visit walks from before i, and, where i is a call, from the callee.
func (l *listingProgram) visit(t *testing.T, m *machine, i *insn.Inst) {
	t.Helper()
	outer := []core.Addr{core.Addr(l.inCaller &^ 1), core.Addr(l.inReset &^ 1)}
	regs := m.regs()
	l.compare(t, m, regs, append([]core.Addr{i.Addr}, outer...))
	if !isCall(i) || !m.executes(i) || m.code.contains(i.Target) && i.Flow == insn.FlowCall {
		return
	}
	target, back := i.Target, uint32(i.Next())
	if i.Flow == insn.FlowCallReg {
		target = l.leaf
	}
	if m.thumb {
		back |= 1
	}
	regs.Set(core.PC, uint32(target))
	regs.Set(core.LR, back)
	l.compare(t, m, regs, append([]core.Addr{target, i.Next()}, outer...))
}

// compare walks from regs with and without symbols.
func (l *listingProgram) compare(t *testing.T, m *machine, regs core.Regs, want []core.Addr) {
	t.Helper()
	opt := Options{Profile: l.profile}
	w := l.with.Walk(m, regs, opt)
	if d := cmp.Diff(want, addresses(w)); d != "" || w.Stop().Kind != core.StopEntry {
		t.Errorf("flags %#x: %v (-want +got):\n%s", m.flags>>28, w.Stop(), d)
	}
	w = l.stripped.Walk(m, regs, opt)
	got := addresses(w)
	if len(got) > len(want) || !slices.Equal(want[:len(got)], got) {
		t.Errorf("flags %#x, without symbols: %v:\n%s", m.flags>>28, w.Stop(), fmt.Sprint("want ", want, " got ", got))
	}
}
