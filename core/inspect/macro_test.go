package inspect_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pushmask/core/inspect"
	"pushmask/core/session"
)

// macroExpressions use the macros of testdata/program/macros.c.
var macroExpressions = []string{
	"EARLY", "LATE", "CHANGES", "CHANGES_AGAIN", "IN_HEADER", "AFTER_FUNCTION", "LOCAL_TO_HEADER", "BIT(3)", "BIT(ENABLE_POS)", "BIT (3) + BIT( 4 )",
	"DEVICE_MASK", "DEVICE_MASK & 0x20", "DEVICE", "DEVICE->control", "DEVICE->FIELD", "*DEVICE", "&DEVICE->status", "REG_BASE + 4",
	"TWICE(3)", "TWICE(TWICE(early_count))", "CAT(early, _count)", "XCAT(ear, CAT(ly_, count))", "NAME(a b  c)", "XNAME(CHANGES)",
	"LOOP", "PING", "BOARD", "STATE", "STATE + status", "board.now.level", "MAX(early_count, STATE)", "MAX(MAX(1, 2), MAX(3, 4))",
	"(TYPE *)REG_BASE", "sizeof(TYPE)", "sizeof TEXT", "NEGATIVE", "-NEGATIVE", "3 NEGATIVE", "FLOAT * 2", "TEXT", "LETTER", "LONG_NAME_OF_A_MACRO",
	"LINE_TWO", "OFFSET(TYPE, status)", "argument + CHANGES", "status", "sink", "early_count NOTHING + 1", "UNKNOWN_MACRO", "BIT", "MAX(1)", "MAX(1",
	"BLOCK(sink)", "SUM(1, 2)", "\"BIT(3)\"", "'B'", "__STDC_VERSION__", "__CHAR_BIT__", "UINT32_MAX", "INT32_MIN", "__INT_MAX__ - 1",
}

// gdbMacros returns what gdb says of expressions: what they expand to, and what
// they come to.
func gdbMacros(t *testing.T, elf, core string, exprs []string) (expanded, values []string) {
	t.Helper()
	list := filepath.Join(t.TempDir(), "expressions")
	if err := os.WriteFile(list, []byte(strings.Join(exprs, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("gdb-multiarch", "-nx", "-q", "-batch", "-ex", fmt.Sprintf("python EXPRESSIONS = %q", list),
		"-x", "testdata/macros.py", elf, core).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		text, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "=== ")
		switch {
		case !ok:
		case len(expanded) == len(values):
			expanded = append(expanded, text)
		default:
			values = append(values, text)
		}
	}
	if len(values) != len(exprs) {
		t.Fatalf("gdb has %d answers:\n%s", len(values), out)
	}
	return expanded, values
}

// TestMacrosAgainstGDB compares what macros expand and come to with gdb, in each
// way that compilers record them, in functions of the file and of a header.
func TestMacrosAgainstGDB(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gdb-multiarch"); err != nil {
		t.Skip("gdb-multiarch is not installed")
	}
	for _, b := range []build{
		{compiler: "gcc", options: "-O0 -g3 -gdwarf-5"}, {compiler: "gcc", options: "-O0 -g3 -gdwarf-4"},
		{compiler: "gcc", options: "-O1 -g3 -gdwarf-2 -gstrict-dwarf"}, {compiler: "gcc", options: "-O2 -g3 -gdwarf-5 -gdwarf64"},
		{compiler: "clang-16", options: "-O0 -gdwarf-5 -fdebug-macro"}, {compiler: "clang-16", options: "-O0 -gdwarf-4 -fdebug-macro"},
	} {
		t.Run(b.compiler+b.options, func(t *testing.T) {
			t.Parallel()
			b.source = "macros.c"
			elf := b.compile(t)
			p := openProgram(t, elf)
			for _, function := range []string{"early", "late", "in_header"} {
				compareMacros(t, p, elf, function)
			}
		})
	}
}

func compareMacros(t *testing.T, p *session.Program, elf, function string) {
	s := stoppedIn(t, p, function)
	core := filepath.Join(t.TempDir(), "core")
	var file bytes.Buffer
	if err := s.WriteCore(context.Background(), &file, true); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(core, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := s.InspectFrame(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	expanded, values := gdbMacros(t, elf, core, macroExpressions)
	agree := 0
	for i, e := range macroExpressions {
		text, value := s.Inspect().ExpandMacros(f, e), macroValue(s, e)
		theirs := gdbNumber(values[i])
		switch {
		case strings.HasPrefix(expanded[i], "error: ") && value == "<error>":
		case oneSpace(text) != oneSpace(expanded[i]), theirs != "" && value != theirs:
			t.Errorf("%s in %s\ngdb:  %s: %s\nours: %s: %s", e, function, expanded[i], values[i], text, value)
			continue
		}
		agree++
	}
	t.Logf("%s: %d agree", function, agree)
}

// oneSpace makes one space of each white space.
func oneSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// gdbNumber is what gdb says of a number, without the character; "<error>" for an
// error, "" for what is no number.
func gdbNumber(s string) string {
	switch {
	case strings.HasPrefix(s, "error: Cannot access memory"): // the core is of a stop that was made up
		return ""
	case strings.HasPrefix(s, "error: "):
		return "<error>"
	}
	first, _, _ := strings.Cut(s, " ")
	if _, err := strconv.ParseFloat(first, 64); err != nil {
		return ""
	}
	return first
}

// macroValue is a number, or "<error>".
func macroValue(s *session.Session, expr string) string {
	v, err := s.Evaluate(context.Background(), expr, nil)
	if err != nil {
		return "<error>"
	}
	for _, l := range inspect.Leaves(v.Value) {
		return l.Value
	}
	return ""
}

// TestMacroErrors: what a macro stands for is said where that is no expression,
// and a macro changes nothing.
func TestMacroErrors(t *testing.T) {
	t.Parallel()
	b := build{compiler: "gcc", source: "macros.c", options: "-O0 -g3 -gdwarf-5"}
	s := stoppedIn(t, openProgram(t, b.compile(t)), "late")
	for _, tt := range []struct{ expr, want string }{
		{"BIT", `"BIT" is a macro: #define BIT(n) (1UL << (n)) at column 1`},
		{"NOTHING", "it stands for nothing: expected a value"},
		{"INIT(sink)", "it stands for ((sink) = 0), which changes something"},
		{"BLOCK(sink)", "it stands for do { (sink)++; } while (0): "},
		{"MAX(1)", "the macro MAX has 2 parameters, not 1"},
		{"DEVICE->nothing", `it stands for ((struct device *)0x20000100UL)->nothing: struct device has no member "nothing"`},
		{"CALL(1)", "it stands for in_header(1): a stopped program cannot be called"},
		{"EARLY", `no symbol "EARLY" in the current context`},
	} {
		_, err := s.Evaluate(context.Background(), tt.expr, nil)
		if e, ok := errors.AsType[*inspect.ExprError](err); !ok || e.Expr != tt.expr || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.expr, err, tt.want)
		}
	}
	for expr, want := range map[string]string{
		"DEVICE->": "8; control (volatile uint32_t); status (volatile uint32_t)", "STA": "0; STATE ((BOARD.level))", "BOARD.l": "6; level (int); limit (int)",
	} {
		if got := completed(t, s, expr); got != want {
			t.Errorf("%s completed to %s, want %s", expr, got, want)
		}
	}
	f, err := s.InspectFrame(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if typ, isName, err := s.Inspect().TypeOf(f, "BIT(3)"); err != nil || isName || typ.Name() != "unsigned long" {
		t.Errorf("the type of BIT(3): %v, %v", typ, err)
	}
}
