package inspect_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core/inspect"
	"pushmask/core/session"
)

const demoELF, demoCore = "../../testdata/firmware/demo/fw.elf", "../../testdata/firmware/demo/crash.core"

// openDemo opens the crash of the demo.
func openDemo(t testing.TB) *session.Session {
	t.Helper()
	s, err := openProgram(t, demoELF).OpenDump(context.Background(), demoCore, session.DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestSemantics compares what expressions come to with testdata/semantics.txt:
// EXPRESSION = TYPE VALUE, as gdb prints it. With -update gdb writes it again.
func TestSemantics(t *testing.T) {
	t.Parallel()
	const table = "testdata/semantics.txt"
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	var lines, exprs, got []string
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.TrimSpace(line))
		expr, _, _ := strings.Cut(line, "  = ")
		exprs = append(exprs, strings.TrimSpace(expr))
	}
	if *update {
		lines = gdbSemantics(t, exprs)
		if err := os.WriteFile(table, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s := openDemo(t)
	for _, e := range exprs {
		got = append(got, e+"  = "+ourSemantics(s, e))
	}
	if diff := cmp.Diff(lines, got); diff != "" {
		t.Errorf("what gdb says (-) and what we say (+):\n%s", diff)
	}
	if len(lines) < 100 {
		t.Errorf("only %d expressions", len(lines))
	}
}

func ourSemantics(s *session.Session, expr string) string {
	v, err := s.Evaluate(context.Background(), expr, nil)
	if err != nil {
		return "<error>"
	}
	var parts []string
	for _, l := range inspect.Leaves(v.Value) {
		parts = append(parts, l.Value)
	}
	return v.Type + " " + strings.Join(parts, " ")
}

// gdbSemantics evaluates expressions in gdb.
func gdbSemantics(t *testing.T, exprs []string) []string {
	run := gdbRun{elf: demoELF, core: demoCore, dir: filepath.Dir(demoCore)}
	for _, e := range exprs {
		run.globals = append(run.globals, global{expr: e})
	}
	_, leaves := run.do(t)
	values := make(map[string][]string)
	kinds := make(map[string]string)
	for _, l := range leaves[0] {
		if l.frame == -1 {
			kinds[l.variable] = l.outer
			value := strings.TrimSuffix(l.value, ".0") // as Python writes numbers that are whole
			if value == "inf" {
				value = "+Inf"
			}
			values[l.variable] = append(values[l.variable], value)
		}
	}
	var lines []string
	for _, e := range exprs {
		text := kinds[e] + " " + strings.Join(values[e], " ")
		if strings.HasPrefix(text, " <error>") {
			text = "<error>"
		}
		lines = append(lines, e+"  = "+text)
	}
	return lines
}
