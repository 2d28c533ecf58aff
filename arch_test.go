// Package pushmask_test checks what holds for the whole tree and no single
// package can check for itself: which package may import which, what has to
// be documented, how long files and functions may grow, that no file names a
// path of the machine it was made on, and that links between documents lead
// somewhere.
package pushmask_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// module is the path that go.mod declares.
const module = "pushmask"

// arrow lists what the packages matched by pkg may import in code that is not
// a test, beside the standard library. Patterns follow the go command: "x/..."
// is x and everything below. The first matching arrow counts.
type arrow struct {
	pkg   string
	ours  []string // packages of this module, relative to it
	third []string // packages of other modules
}

// arrows is the layout of docs/architecture.md as a table.
var arrows = []arrow{
	// testdata/firmware embeds the crash that "pushmask demo" opens.
	{pkg: "cmd/...", ours: []string{"cmd/...", "core", "core/gdbremote/serve", "core/inspect", "core/session", "core/stackdepth", "core/triage", "dap", "dap/dapclient", "lsp", "testdata/firmware"}},
	{
		pkg:   "dap/...",
		ours:  []string{"dap/...", "core", "core/gdbcommand", "core/inspect", "core/gdbremote", "core/live", "core/loadfile", "core/probe", "core/runcontrol", "core/session", "elfsym", "internal/loopback"},
		third: []string{"github.com/google/go-dap"},
	},
	{
		pkg:   "lsp/...",
		ours:  []string{"lsp/...", "core", "core/session"},
		third: []string{"go.lsp.dev/...", "go.uber.org/zap"},
	},
	{pkg: "core/session/...", ours: []string{"core/...", "elfsym/..."}},
	{pkg: "core/coretest/...", ours: []string{"core/...", "elfsym/..."}, third: []string{"github.com/google/go-cmp/..."}},
	{
		pkg:  "core/unwind/...",
		ours: []string{"core", "core/insn", "core/thumb", "core/a32", "core/exc", "core/unwind/...", "elfsym/..."},
	},
	{pkg: "core/stackdepth", ours: []string{"core", "core/exc", "core/unwind"}},
	{pkg: "core/dump/...", ours: []string{"core", "core/memmap", "core/exc", "core/dump/...", "internal/cursor"}, third: []string{"golang.org/x/text/..."}},
	{pkg: "core/rtos/...", ours: []string{"core", "core/exc", "core/rtos/...", "elfsym/..."}},
	{pkg: "core/cause/...", ours: []string{"core", "core/exc", "core/insn", "core/thumb", "core/a32", "core/cause/..."}},
	{pkg: "core/inspect", ours: []string{"core", "elfsym/..."}},
	{pkg: "core/svd", ours: []string{"core"}},
	{pkg: "core/elfcore", ours: []string{"core"}},
	{pkg: "core/triage", ours: []string{"core", "core/session"}},
	// A dump as a stub needs the opened dump, and its signal is that of the cause;
	// the client knows the protocol alone.
	{pkg: "core/gdbremote/serve", ours: []string{"core", "core/cause", "core/gdbremote/rsp", "core/session", "internal/loopback"}},
	{pkg: "core/gdbremote/...", ours: []string{"core", "core/gdbremote/..."}, third: []string{"go.bug.st/serial"}},
	{pkg: "core/live", ours: []string{"core", "core/gdbremote"}},
	{pkg: "core/runcontrol", ours: []string{"core", "core/exc", "core/gdbremote", "core/insn", "core/memmap", "core/thumb", "core/a32", "core/live", "core/session", "elfsym"}},
	{pkg: "core/loadfile", ours: []string{"core", "core/dump/hexfile"}},
	{pkg: "core/gdbcommand"},
	{pkg: "core/probe"},
	{
		pkg:   "core/a32",
		ours:  []string{"core", "core/insn"},
		third: []string{"golang.org/x/arch/arm/armasm"},
	},
	{pkg: "core/thumb", ours: []string{"core", "core/insn"}},
	{pkg: "core/exc", ours: []string{"core"}},
	{pkg: "core/memmap", ours: []string{"core"}},
	{pkg: "core/insn", ours: []string{"core"}},
	{pkg: "core"},
	{pkg: "internal/cursor"},
	{pkg: "internal/loopback"},
	{pkg: "elfsym", ours: []string{"elfsym/...", "internal/cursor"}, third: []string{"github.com/ianlancetaylor/demangle"}},
	{pkg: "elfsym/...", ours: []string{"elfsym/...", "internal/cursor"}},
}

// testOnly are the modules that only tests may import, in any package.
var testOnly = []string{"github.com/google/go-cmp/...", "github.com/rogpeppe/go-internal/..."}

// rule is one property of the tree; check returns one line per violation.
type rule struct {
	name  string
	check func(*tree) []string
}

var rules = []rule{
	{"imports follow the arrows", checkArrows},
	{"packages have a doc comment", checkPackageDocs},
	{"exported identifiers have a doc comment", checkExportedDocs},
	{"files are at most 500 lines long", checkFileLength},
	{"functions are at most 60 lines long", checkFuncLength},
	{"open work has an issue", checkOpenWork},
	{"no file names the folder of the checkout", checkMachinePaths},
	{"links in documents lead somewhere", checkLinks},
}

// TestTree applies every rule to the repository.
func TestTree(t *testing.T) {
	t.Parallel()
	tr := loadRepository(t)
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			for _, v := range r.check(tr) {
				t.Error(v)
			}
		})
	}
}

// checkArrows reports imports that the table does not allow, and packages
// that the table does not know.
func checkArrows(tr *tree) []string {
	var bad []string
	for _, f := range tr.goFiles {
		a, ok := arrowOf(f.pkg)
		if !ok && !f.test {
			bad = append(bad, fmt.Sprintf("%s: package %s has no place in the table of arrows", f.path, f.pkg))
			continue
		}
		for _, imp := range f.imports() {
			if why := a.forbids(f, imp); why != "" {
				bad = append(bad, fmt.Sprintf("%s: imports %s: %s", f.path, imp, why))
			}
		}
	}
	return bad
}

func arrowOf(pkg string) (arrow, bool) {
	i := slices.IndexFunc(arrows, func(a arrow) bool { return matches(a.pkg, pkg) })
	if i < 0 {
		return arrow{pkg: pkg}, false
	}
	return arrows[i], true
}

// forbids says why f must not import imp, "" when it may. Tests may import
// any package of this module, since Go keeps them from forming cycles; other
// modules stay confined in tests too.
func (a arrow) forbids(f *goFile, imp string) string {
	own, isOurs := strings.CutPrefix(imp, module+"/")
	switch {
	case imp == "C":
		return "the binary is static, without cgo"
	case isOurs && !f.test && isTestPackage(own) && !isTestPackage(f.pkg):
		return "a package for tests"
	case isOurs && !f.test && !matchesAny(a.ours, own):
		return "against the arrows"
	case isOurs || isStandard(imp) || matchesAny(a.third, imp):
		return ""
	case f.test && matchesAny(testOnly, imp):
		return ""
	}
	return "this module is confined to other packages"
}

// isTestPackage reports whether pkg holds test doubles: coretest and what is
// below it.
func isTestPackage(pkg string) bool {
	return strings.HasSuffix(pkg, "test") || strings.Contains(pkg, "test/")
}

// isStandard tells the standard library by the go command's own convention:
// the first element of other modules' paths has a dot.
func isStandard(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".")
}

func matchesAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, pkg) })
}

func matches(pattern, pkg string) bool {
	base, below := strings.CutSuffix(pattern, "/...")
	return pkg == base || below && strings.HasPrefix(pkg, base+"/")
}
