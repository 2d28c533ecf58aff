package elfsym_test

import (
	"bufio"
	"bytes"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pushmask/elfsym"
	"pushmask/elfsym/srcpath"
)

// position is one level of an inline chain as both tools can give it.
type position struct{ Function, File, Line string }

// addr2line asks a program with addr2line's interface for the chains of
// addresses.
func addr2line(t testing.TB, tool, elf string, pcs []uint32) map[uint32][]position {
	t.Helper()
	var in bytes.Buffer
	for _, pc := range pcs {
		fmt.Fprintf(&in, "%#x\n", pc)
	}
	cmd := exec.Command(tool, "-f", "-i", "-a", "-e", elf)
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[uint32][]position)
	var pc uint32
	sc := bufio.NewScanner(bytes.NewReader(out))
	for sc.Scan() {
		if strings.HasPrefix(sc.Text(), "0x") {
			fmt.Sscanf(sc.Text(), "0x%x", &pc)
			continue
		}
		function := sc.Text()
		sc.Scan()
		where, _, _ := strings.Cut(sc.Text(), " (discriminator")
		i := strings.LastIndexByte(where, ':')
		p := position{elfsym.Demangle(function), srcpath.Clean(where[:i]), where[i+1:]}
		if p.Line == "?" {
			p.Line = "0"
		}
		got[pc] = append(got[pc], p)
	}
	return got
}

// sequence is a line sequence as the standard library decodes it.
type sequence struct {
	start uint32
	rows  []dwarf.LineEntry // the last one ends it
}

// standardSequences decodes all line programs of an ELF with debug/dwarf.
func standardSequences(t testing.TB, path string) []sequence {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := f.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	var out []sequence
	r := data.Reader()
	for {
		cu, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if cu == nil {
			return out
		}
		r.SkipChildren()
		lr, err := data.LineReader(cu)
		if err != nil {
			t.Fatal(err)
		}
		if lr == nil {
			continue
		}
		var rows []dwarf.LineEntry
		for {
			var e dwarf.LineEntry
			if err := lr.Next(&e); err != nil {
				break
			}
			rows = append(rows, e)
			if e.EndSequence {
				out, rows = append(out, sequence{uint32(rows[0].Address), rows}), nil
			}
		}
	}
}

// standardSymbols reads the symbol table with debug/elf.
func standardSymbols(t testing.TB, path string) []elf.Symbol {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	return symbols
}

// fromSequence reports whether a sequence whose start satisfies ok gives pc the
// position p.
func fromSequence(all []sequence, pc uint32, p position, ok func(start uint32) bool) bool {
	for _, s := range all {
		if s.rows[len(s.rows)-1].Address <= uint64(pc) || !ok(s.start) {
			continue
		}
		for i, e := range s.rows[:len(s.rows)-1] {
			if uint64(pc) >= e.Address && uint64(pc) < s.rows[i+1].Address &&
				srcpath.Clean(e.File.Name) == p.File && fmt.Sprint(e.Line) == p.Line {
				return true
			}
		}
	}
	return false
}

// ours is the same from Locate, with binutils' spelling of the unknown.
func ours(m *elfsym.Image, pc uint32) []position {
	chain := m.Locate(pc)
	if chain == nil {
		return []position{{"??", "??", "0"}}
	}
	out := make([]position, len(chain))
	for i, l := range chain {
		out[i] = position{l.Function, l.File, fmt.Sprint(l.Line)}
		if l.Function == "" {
			out[i].Function = "??"
		}
		if l.File == "" {
			out[i].File = "??"
		}
	}
	return out
}

// codeAddresses returns every step-th halfword of the sized functions.
func codeAddresses(m *elfsym.Image, step int) []uint32 {
	var out []uint32
	n := 0
	for _, f := range m.Functions() {
		for pc := f.Entry; pc < f.End; pc += 2 {
			if m.State(pc) == elfsym.StateData {
				continue
			}
			if n%step == 0 {
				out = append(out, pc)
			}
			n++
		}
	}
	return out
}

// difference classifies an answer that is not binutils'. Each reason names
// what binutils does; "" is a difference that nothing explains.
func difference(m *elfsym.Image, pc uint32, got, want []position, lines []sequence, symbols []elf.Symbol) string {
	aliases := make(map[string]bool)
	for _, s := range symbols {
		if start := uint32(s.Value) &^ 1; start <= pc && pc-start < max(uint32(s.Size), 1) {
			aliases[elfsym.Demangle(s.Name)] = true
		}
	}
	if f, ok := m.FuncAt(pc); ok && !f.Sized {
		aliases[elfsym.Demangle(f.Name)] = true
	}
	isEntry := func(a uint32) bool { f, ok := m.FuncAt(a); return ok && f.Entry == a }
	last, lastWant := got[len(got)-1], want[len(want)-1]
	switch {
	case !aliases[last.Function]:
		return ""
	case !aliases[lastWant.Function]:
		// DWARF of a discarded function, whose addresses start at 0 where the
		// flash is, or the function before, for an entry address.
		return "function that does not cover the address"
	case len(got) == 1 && last.File == "??" && lastWant.Line == "0":
		return "file symbol as file without line"
	case len(got) == 1 && len(want) > 1 && want[0] == want[1]:
		return "overlapping assembler functions shown as inlined"
	case len(got) == len(want) && slices.Equal(got[:len(got)-1], want[:len(want)-1]) &&
		last.File == lastWant.File && last.Line == lastWant.Line:
		return "other alias"
	case len(got) > 1 && slices.Equal(got[1:], want[1:]) && aliases[want[0].Function] &&
		got[0].File == want[0].File && got[0].Line == want[0].Line:
		// LLVM names the lambda, as we do.
		return "symbol's name for an inlined call without linkage name"
	case fromSequence(lines, pc, got[0], isEntry) &&
		fromSequence(lines, pc, want[0], func(start uint32) bool { return !isEntry(start) }):
		return "line of a discarded function"
	}
	return ""
}

// binutilsCannot names the fixtures that binutils 2.40 does not read; their
// goldens and LLVM agree, but for itcm.elf, where LLVM fails too.
var binutilsCannot = map[string]string{
	"itcm.elf":                "takes discarded functions for the live one at 0",
	"inline.zlib-gnu.elf":     "shows no lines of .zdebug sections",
	"shapes-clang.dwarf5.elf": "shows no inlined calls of clang's DWARF 5",
}

// TestLocateMatchesAddr2line compares inline chains with binutils.
func TestLocateMatchesAddr2line(t *testing.T) {
	t.Parallel()
	tool := toolchain(t, "addr2line")
	forEachELF(t, func(t *testing.T, path string) {
		m := open(t, path, elfsym.Options{})
		if why := binutilsCannot[filepath.Base(path)]; why != "" || !m.HasSymbols() {
			t.Skip("no comparison: ", cmp.Or(why, "no symbols"))
		}
		pcs := codeAddresses(m, 4)
		want := addr2line(t, tool, path, pcs)
		var lines []sequence
		if m.HasDebug() {
			lines = standardSequences(t, path)
		}
		symbols := standardSymbols(t, path)
		explained := make(map[string]int)
		bad := 0
		for _, pc := range pcs {
			got := ours(m, pc)
			if slices.Equal(got, want[pc]) {
				continue
			}
			if why := difference(m, pc, got, want[pc], lines, symbols); why != "" {
				explained[why]++
			} else if bad++; bad <= 5 {
				t.Errorf("%#x\n got %v\nwant %v", pc, got, want[pc])
			}
		}
		if p := m.Problems(); len(p) > 0 {
			t.Error(p)
		}
		t.Logf("%d addresses, %d unexplained differences, explained %v", len(pcs), bad, explained)
	})
}
