package session

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/unwind"
)

// TestRowsOfFixtures asks for the rows of every frame of the recorded crashes:
// the rule that found the caller is among them, and no sources disagree.
func TestRowsOfFixtures(t *testing.T) {
	t.Parallel()
	cores, err := filepath.Glob(filepath.Join(fixtures, "*", "crash.core"))
	if err != nil || len(cores) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	seen := map[core.Trust]int{}
	ahead := 0
	for _, path := range cores {
		ctx := context.Background()
		p := openDemo(t, Config{Image: filepath.Join(filepath.Dir(path), "fw.elf")})
		s, err := p.OpenDump(ctx, path, DumpOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		k, err := s.Stack(s.Threads()[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		frames, err := k.Frames(ctx, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range frames {
			rows, conflict := s.Rows(&frames[i])
			if conflict != "" {
				t.Errorf("%s, frame %d, %s: %s", path, i, frames[i].Function, conflict)
			}
			if frames[i].Kind == KindException && len(rows) > 0 {
				t.Errorf("%s, frame %d: an exception has the rows %v", path, i, rows)
			}
			if why, ok := callerRule(frames[i:]); ok && !strings.Contains(fmt.Sprint(rows), why) {
				t.Errorf("%s, frame %d, %s: the caller was found by %q, which is not among the rows %v", path, i, frames[i].Function, why, rows)
			}
			for _, r := range rows {
				if r.Ahead {
					ahead++
					continue
				}
				seen[r.Source]++
				if r.Source == core.TrustEXIDX && r.CallsOnly != (frames[i].Core.Lookup == frames[i].Core.PC) {
					t.Errorf("%s, frame %d: CallsOnly is %v", path, i, r.CallsOnly)
				}
			}
		}
	}
	if ahead == 0 {
		t.Error("no frame has a row of the code ahead")
	}
	for _, source := range rowSources {
		if seen[source] == 0 {
			t.Errorf("no frame has a row of %v", source)
		}
	}
}

// callerRule is the row that found the caller of the first frame.
func callerRule(frames []Frame) (string, bool) {
	for _, f := range frames {
		if f.Core != frames[0].Core {
			return f.Core.Why, slices.Contains(rowSources[:], f.Core.Trust)
		}
	}
	return "", false
}

func TestConflicts(t *testing.T) {
	t.Parallel()
	row := func(reg core.Reg, off, ra int32) *unwind.Row {
		return &unwind.Row{
			CFA:   []unwind.CFARule{{Reg: reg, Off: off}},
			RA:    unwind.Loc{Kind: unwind.LocAtCFA, Off: ra},
			HasRA: true,
		}
	}
	both := row(core.SP, 8, -4)
	both.CFA = append(both.CFA, unwind.CFARule{Reg: core.R7, Off: 16})
	at := func(cfa core.Addr, ra uint32) meaning {
		return meaning{row: row(core.SP, 8, -4), cfa: cfa, ra: ra, known: true}
	}
	rule := func(r *unwind.Row) meaning { return meaning{row: r} }
	tests := []struct {
		name string
		a, b []meaning
		want string
	}{
		{"the same values by other rules", []meaning{at(0x100, 0x201)}, []meaning{{row: row(core.R7, 4, -8), cfa: 0x100, ra: 0x200, known: true}}, ""},
		{"one of several paths", []meaning{at(0x100, 0x201), at(0x110, 0x301)}, []meaning{at(0x110, 0x301)}, ""},
		{"another CFA", []meaning{at(0x100, 0x201)}, []meaning{at(0x108, 0x201)}, "analysis and cfi: CFA 0x00000100 and 0x00000108"},
		{"another return address", []meaning{at(0x100, 0x201)}, []meaning{at(0x100, 0x301)}, "analysis and cfi: return address 0x00000201 and 0x00000301"},
		{"a way to the CFA in common", []meaning{rule(both)}, []meaning{rule(row(core.R7, 16, -4))}, ""},
		{"no way in common", []meaning{rule(both)}, []meaning{rule(row(core.SP, 16, -8))}, "analysis and cfi: CFA sp+8 and sp+16, return address [CFA-4] and [CFA-8]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := conflicts([]claim{{"analysis", tt.a}, {"cfi", tt.b}})
			if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
