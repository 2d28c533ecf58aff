package scope_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pushmask/elfsym/die"
	"pushmask/elfsym/scope"
	"pushmask/elfsym/types"
)

// definitions returns the named types of a program by what gdb takes for their
// names, "struct node", and how they are written.
func definitions(p *scope.Program) map[string]string {
	out := make(map[string]string)
	p.Data().All(die.Types, func(e die.Entry) bool {
		t := p.Types.At(e.Offset)
		name := t.Name()
		if e.Name() == "" || strings.Contains(name, "(anonymous") || t.Kind == types.Base {
			return true
		}
		if _, ok := out[name]; !ok {
			out[name] = "type = " + t.Source()
			out["/o "+name] = "type = " + t.SourceOffsets()
		}
		return true
	})
	return out
}

// gdbDefinitions asks gdb about the same types.
func gdbDefinitions(t *testing.T, path, language string, names []string) map[string]string {
	t.Helper()
	gdb, err := exec.LookPath("gdb-multiarch")
	if err != nil {
		t.Skip("gdb-multiarch is not installed")
	}
	list := filepath.Join(t.TempDir(), "names")
	if err := os.WriteFile(list, []byte(strings.Join(names, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	text := run(t, "testdata", gdb, "-nx", "-q", "-batch", "-ex", "set language "+language, "-ex", fmt.Sprintf("python NAMES = %q", list), "-x", "ptype.py", path)
	out := make(map[string]string)
	for part := range strings.SplitSeq(string(text), "=== ") {
		if name, body, ok := strings.Cut(part, "\n"); ok {
			out[name] = strings.TrimRight(body, "\n")
		}
	}
	return out
}

// reviewed are parts of the texts that differ by intent, which are left out.
var reviewed = []struct {
	pattern *regexp.Regexp
	reason  string
}{
	{regexp.MustCompile(`^/\* offset.*\*/  `), "gdb has no heading for aliases"},
	{regexp.MustCompile(`(?m)^/\* (?:X{3}|---)`), "another mark of holes"},
	{regexp.MustCompile(`(?m)^ *(?:public|protected|private):\n`), "gdb has labels for what is public anyway, and before methods"},
	{regexp.MustCompile(`(?m)^/.* <.*>;\n|^ *<virtual .*>;\n`), "gdb shows no base classes among the members"},
	{regexp.MustCompile(`(?m)^/.*(?:_vptr|__ap).*\n`), "gdb shows no members that the compiler made"},
	{regexp.MustCompile(`(?m)^/.*-(?:byte|bit) hole .*\n`), "gdb shows holes where base classes lie, and none behind what it leaves out"},
	{regexp.MustCompile(`(?m)^ *static .*\n`), "gdb has static members among the others, and in ptype/o"},
	{regexp.MustCompile(`(?m)^\n`), "gdb separates methods"},
	{regexp.MustCompile(`virtual (~)`), "gdb does not say that destructors are virtual"},
	{regexp.MustCompile(` ?(&)`), "gdb leaves out a space"},
}

// comparable returns the lines of a text without what is reviewed; those of C
// keep their holes.
func comparable(text string, cplusplus bool) string {
	for _, r := range reviewed {
		if !cplusplus && strings.Contains(r.pattern.String(), "hole") {
			continue
		}
		text = r.pattern.ReplaceAllString(text, "$1")
	}
	if head, list, ok := strings.Cut(text, "{"); ok && strings.HasPrefix(text, "type = enum") {
		return head + "{" + regexp.MustCompile(`\w+::`).ReplaceAllString(list, "") // gdb qualifies constants
	}
	return text
}

// otherwise says why gdb's text of a type is of another kind, "" where it is not.
func otherwise(name, text string) string {
	switch {
	case strings.HasPrefix(text, "error: "):
		return "gdb cannot read the name"
	case strings.Contains(text, " [with "):
		return "gdb writes the parameters of a template for its arguments, also where another type is the same"
	case strings.HasPrefix(name, "/o ") && strings.Contains(text, "virtual "):
		return "gdb shows padding where a virtual base class lies"
	}
	return ""
}

// TestDefinitions compares the definitions of all types with gdb's ptype and
// ptype/o.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	for _, b := range builds {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			if n := compareDefinitions(t, b.compile(t), b.source == "values.cc"); n < 15 {
				t.Errorf("%d definitions compared", n)
			}
		})
	}
}

// compareDefinitions returns how many definitions agree.
func compareDefinitions(t *testing.T, path string, cplusplus bool) int {
	ours := definitions(open(t, path).Scopes())
	names := slices.Sorted(maps.Keys(ours))
	names = slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, "/o ") })
	language := map[bool]string{false: "c", true: "c++"}[cplusplus]
	agree, other := 0, make(map[string]int)
	for name, text := range gdbDefinitions(t, path, language, names) {
		if reason := otherwise(name, text); reason != "" {
			other[reason]++
		} else if comparable(text, cplusplus) == comparable(ours[name], cplusplus) {
			agree++
		} else {
			t.Errorf("%s\ngdb:  %s\nours: %s", name, text, ours[name])
		}
	}
	t.Logf("%d definitions agree; %v", agree, other)
	return agree
}
