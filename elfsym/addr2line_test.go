package elfsym_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/elfsym"
	"pushmask/elfsym/srcpath"
)

// position is one level of an inline chain as both tools can give it.
type position struct{ Function, File, Line string }

// addr2line asks binutils for the chains of addresses.
func addr2line(t testing.TB, elf string, pcs []uint32) map[uint32][]position {
	t.Helper()
	var in bytes.Buffer
	for _, pc := range pcs {
		fmt.Fprintf(&in, "%#x\n", pc)
	}
	cmd := exec.Command(toolchain(t, "addr2line"), "-f", "-i", "-a", "-e", elf)
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

// TestLocateMatchesAddr2line compares inline chains with binutils.
func TestLocateMatchesAddr2line(t *testing.T) {
	t.Parallel()
	for _, path := range sharedELFs(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			m := open(t, path, elfsym.Options{})
			pcs := codeAddresses(m, 4)
			want := addr2line(t, path, pcs)
			bad := 0
			for _, pc := range pcs {
				if got := ours(m, pc); fmt.Sprint(got) != fmt.Sprint(want[pc]) {
					if bad++; bad < 12 {
						t.Logf("%#x\n  got %v\n want %v", pc, got, want[pc])
					}
				}
			}
			t.Logf("%d of %d differ; problems %v", bad, len(pcs), m.Problems())
		})
	}
}
