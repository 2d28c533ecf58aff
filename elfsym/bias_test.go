package elfsym_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/elfsym"
)

// TestBias opens images as if they had been loaded elsewhere and compares what
// they say with what the unmoved image says, bias away.
func TestBias(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a32", "cpp", "m0-Os"} {
		for _, bias := range []uint32{0x10000, 0x3aa00000, 0xfffe0000} {
			t.Run(fmt.Sprintf("%s/%#x", name, bias), func(t *testing.T) {
				t.Parallel()
				path := filepath.Join("..", "testdata", "firmware", name, "fw.elf")
				want := answers(t, path, elfsym.Options{}, bias)
				got := answers(t, path, elfsym.Options{Bias: bias}, 0)
				if d := cmp.Diff(want, got); d != "" {
					t.Error(d)
				}
			})
		}
	}
}

// TestBiasWithoutSymbols: functions and lines are those of DWARF alone.
func TestBiasWithoutSymbols(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "testdata", "firmware", "a32", "fw.elf")
	want := answers(t, path, elfsym.Options{NoSymbols: true}, 0x40000)
	got := answers(t, path, elfsym.Options{NoSymbols: true, Bias: 0x40000}, 0)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// answers writes down what an image says of all its code, with add added to the
// addresses in the answers.
func answers(t *testing.T, path string, opt elfsym.Options, add uint32) string {
	t.Helper()
	m, err := elfsym.Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var b strings.Builder
	fmt.Fprintf(&b, "entry %#x\n", m.Entry()+add)
	for _, f := range m.Functions() {
		fmt.Fprintf(&b, "function %s %#x-%#x thumb %v\n", f.Name, f.Entry+add, f.End+add, f.Thumb)
	}
	for _, s := range m.Segments() {
		fmt.Fprintf(&b, "segment %#x %#x\n", s.Addr+add, s.FileSize)
		if !s.Exec {
			continue
		}
		for at := s.Addr; at < s.Addr+s.FileSize; at += 2 {
			describeCode(&b, m, at, add)
		}
	}
	m.EachVariable(func(v elfsym.Symbol) bool {
		if len(m.Lookup(v.Name)) == 0 {
			t.Errorf("%s is not found", v.Name)
		}
		return true
	})
	for _, file := range m.Sources() {
		for line := range 100 {
			for _, a := range m.Addresses(file, line) {
				fmt.Fprintf(&b, "%s:%d at %#x\n", file, line, a+add)
			}
		}
	}
	if err := m.Problems(); err != nil {
		t.Error(err)
	}
	return b.String()
}

// describeCode writes down what an image says of an address.
func describeCode(b *strings.Builder, m *elfsym.Image, at, add uint32) {
	var bytes [2]byte
	n, _ := m.ReadAt(at, bytes[:])
	fn, _ := m.FuncAt(at)
	sym, _ := m.SymbolAt(at)
	fmt.Fprintf(b, "%#x %x state %v in %s %s\n", at+add, bytes[:n], m.State(at), fn.Name, sym.Name)
	for _, l := range m.Locate(at) {
		fmt.Fprintf(b, "  %v\n", l)
	}
	if table, err := m.CFI(); err == nil {
		if fde, ok := table.Lookup(at); ok {
			row, err := fde.RowAt(at)
			fmt.Fprintf(b, "  cfi %#x-%#x %v %v %v\n", row.Start+add, row.End+add, row.CFA, row.Regs, err)
		}
	}
	if table, err := m.EXIDX(); err == nil {
		if e, ok := table.Lookup(at); ok {
			u, err := e.Unwind()
			fmt.Fprintf(b, "  exidx %#x %v %v\n", e.Start+add, u, err != nil)
		}
	}
}
