package inspect_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/inspect"
	"pushmask/core/session"
)

// stoppedIn opens a program that stands in the middle of a function, with what the
// ELF has for its memory.
func stoppedIn(t testing.TB, p *session.Program, function string) *session.Session {
	t.Helper()
	const ram, size = 0x20000000, 0x10000
	found := p.Images().Lookup(function)
	if len(found) == 0 {
		t.Fatalf("there is no %s", function)
	}
	f, _ := p.Images().FuncAt(found[0].Addr &^ 1)
	m := &stopped{}
	content := make([]byte, size)
	for i := 0; i < size; i += 4 { // what is not in the ELF stays 0
		_, _ = p.Images().ReadAt(uint32(ram+i), content[i:i+4])
	}
	m.memory.AddBytes(ram, content)
	for r := core.R0; r <= core.SP; r++ {
		m.regs.Set(r, ram+size/2)
	}
	m.regs.Set(core.PC, (f.Entry+(f.End-f.Entry)/2)&^1)
	s, err := p.OpenTarget(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// completed is what a text may become: where the word begins, and the first words.
func completed(t testing.TB, s *session.Session, text string) string {
	t.Helper()
	f, err := s.InspectFrame(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	list, from := s.Inspect().Complete(f, text)
	const most = 12
	words := []string{fmt.Sprint(from)}
	for _, x := range list[:min(len(list), most)] {
		word := x.Name
		if x.Text != x.Name {
			word += " as " + x.Text
		}
		if x.Type != "" {
			word += " (" + x.Type + ")"
		}
		words = append(words, word)
	}
	if len(list) > most {
		words = append(words, fmt.Sprintf("and %d more", len(list)-most))
	}
	return strings.Join(words, "; ")
}

// TestComplete completes the texts of testdata/complete-*.txt, "TEXT| => WORDS",
// in testdata/program. -update writes them again.
func TestComplete(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ golden, source, function string }{
		{"complete-c.txt", "program.c", "leaf"}, {"complete-cpp.txt", "program.cpp", "_ZN7Machine4stepERKN6shapes4BaseERiNS0_5ColorE"},
	} {
		t.Run(tt.source, func(t *testing.T) {
			t.Parallel()
			b := build{compiler: "gcc", source: tt.source, options: "-O0 -gdwarf-5"}
			s := stoppedIn(t, openProgram(t, b.compile(t)), tt.function)
			path := filepath.Join("testdata", tt.golden)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for line := range strings.Lines(string(text)) {
				word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "| => ")
				fmt.Fprintf(&got, "%s| => %s\n", word, completed(t, s, word))
			}
			if *update {
				if err := os.WriteFile(path, []byte(got.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(text), got.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestCompletionsEvaluate puts what completions insert after what they complete:
// each is an expression, or the beginning of one.
func TestCompletionsEvaluate(t *testing.T) {
	t.Parallel()
	b := build{compiler: "gcc", source: "program.c", options: "-O0 -gdwarf-5"}
	s := stoppedIn(t, openProgram(t, b.compile(t)), "leaf")
	f, err := s.InspectFrame(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, text := range []string{"", "a", "f", "g", "R", "first.", "all.", "bits.", "list->", "p.", "all.path[1].", "s", "all.number.", "device->", "$"} {
		list, from := s.Inspect().Complete(f, text)
		for _, x := range list {
			if x.Kind == inspect.CompleteNamespace || x.Kind == inspect.CompleteKeyword {
				continue
			}
			n++
			if _, _, err := s.Inspect().TypeOf(f, text[:from]+x.Text); err != nil {
				t.Errorf("%q completed to %q: %v", text, text[:from]+x.Text, err)
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d completions", n)
	}
}
