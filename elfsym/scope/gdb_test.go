package scope_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pushmask/elfsym"
)

// sampled returns every address of the functions that can be that of an
// instruction; a stride keeps large programs short.
func sampled(m *elfsym.Image, limit int) []uint32 {
	var all []uint32
	for _, f := range m.Functions() {
		for pc := f.Entry; pc < f.End; pc += 2 {
			all = append(all, pc)
		}
	}
	stride := max(1, len(all)/limit)
	var out []uint32
	for i := 0; i < len(all); i += stride {
		out = append(out, all[i])
	}
	return out
}

// gdbDescribe runs testdata/describe.py.
func gdbDescribe(t *testing.T, path string, pcs []uint32, rust bool) []string {
	t.Helper()
	gdb, err := exec.LookPath("gdb-multiarch")
	if err != nil {
		t.Skip("gdb-multiarch is not installed")
	}
	list := filepath.Join(t.TempDir(), "pcs")
	var b strings.Builder
	for _, pc := range pcs {
		fmt.Fprintf(&b, "%#x\n", pc)
	}
	if err := os.WriteFile(list, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	out := run(t, "testdata", gdb, "-nx", "-q", "-batch", "-ex", fmt.Sprintf("python PCS = %q; RUST = %s", list, map[bool]string{false: "False", true: "True"}[rust]), "-x", "describe.py", path)
	return slices.DeleteFunc(strings.Split(string(out), "\n"), func(s string) bool { return s == "" })
}

// compareSets returns what only one of two lists of lines has, and how many
// lines both have.
func compareSets(gdb, ours []string) (both int, onlyGDB, onlyOurs []string) {
	count := make(map[string]int)
	for _, s := range gdb {
		count[s]++
	}
	for _, s := range ours {
		if count[s] > 0 {
			count[s]--
			both++
		} else {
			onlyOurs = append(onlyOurs, s)
		}
	}
	for _, s := range gdb {
		if count[s] > 0 {
			count[s]--
			onlyGDB = append(onlyGDB, s)
		}
	}
	return both, onlyGDB, onlyOurs
}

// explained are lines that differ for a reason.
var explained = []struct{ text, reason string }{
	{"global none : ", "gdb takes std::nullptr_t for int"},
	{"global reference : ", "gdb gives the address that the reference has"},
	{"global method : ", "gdb adds const to the type of this"},
	{"<artificial> 0:0 : int (**)(", "the type of tables of virtual functions is no prototype: gdb writes (void) for it"},
	{"outer::Both::limit ", "gdb lists constants of classes beside the variables of the unit"},
	{" lambda arg ", "gdb takes the function that declares a lambda for the caller of its body"},
	{" lambda var ", "as above"},
	{" gone", "gdb adds the variables of blocks that the compiler left out to the function"},
	{"global cortex_m_rt::__ONCE__ :", "of no size, at the address 0: left out"},
	{"::{vtable", "left out by the linker"},
	{" in lambda", "gdb takes the function that declares a lambda for the caller of its body"},
	{" in operator", "as above"},
	{"thunk to ", "gdb demangles the names of thunks"},
	{" in _ZT", "as above"},
	{" in _GLOBAL__sub_I_", "a function that the source does not name"},
	{" in __cxx_global_", "as above"},
	{"global cortex_m::peripheral::TAKEN :", "gdb looks at the unit of a function that the linker left out"},
	{" operator arg ", "gdb demangles the names of lambdas"},
}

// canonical writes template arguments as gdb does, which parses the names.
func canonical(lines []string) []string {
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "char *, 2>", "char*, 2>")
	}
	return lines
}

// unexplained prints differences and counts those without a reason.
func unexplained(t *testing.T, who string, lines []string) (n int) {
	t.Helper()
next:
	for _, s := range lines {
		for _, e := range explained {
			if strings.Contains(s, e.text) {
				continue next
			}
		}
		if n++; n <= 20 {
			t.Errorf("only %s: %s", who, s)
		}
	}
	return n
}

// TestGDB compares names, types, sizes, offsets and lines of all variables with
// gdb, at every address.
func TestGDB(t *testing.T) {
	t.Parallel()
	for _, b := range builds {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			path := b.compile(t)
			m := open(t, path)
			pcs := sampled(m, 120)
			both, onlyGDB, onlyOurs := compareSets(gdbDescribe(t, path, pcs, false), canonical(describe(m.Scopes(), pcs)))
			wrong := unexplained(t, "gdb", onlyGDB) + unexplained(t, "ours", onlyOurs)
			t.Logf("%d addresses: %d lines agree, %d differ, %d without a reason", len(pcs), both, len(onlyGDB)+len(onlyOurs), wrong)
			if both < 300 {
				t.Errorf("%d lines compared", both)
			}
		})
	}
}
