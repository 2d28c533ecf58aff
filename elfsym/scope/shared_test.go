package scope_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pushmask/core/coretest"
)

// TestGDBShared compares programs of others with gdb.
func TestGDBShared(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(coretest.Shared(t, "dumps/probe-rs"), "*.elf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			m := open(t, path)
			pcs := sampled(m, 150)
			rust := len(m.Types().Find("u8")) > 0
			gdb, ours := gdbDescribe(t, path, pcs, rust), canonical(describe(m.Scopes(), pcs))
			if rust {
				// Where gdb makes no frame of an inlined call, it takes parameters
				// for variables.
				for _, list := range [][]string{gdb, ours} {
					for i := range list {
						list[i] = strings.Replace(list[i], " arg ", " var ", 1)
					}
				}
			}
			gdb, ours, others := sameFunctions(describedTypes(ours, gdb), describedTypes(gdb, ours))
			both, onlyGDB, onlyOurs := compareSets(gdb, ours)
			wrong := unexplained(t, "gdb", onlyGDB) + unexplained(t, "ours", onlyOurs)
			t.Logf("%d addresses, %d in functions that are not there: %d lines agree, %d differ, %d without a reason", len(pcs), others, both, len(onlyGDB)+len(onlyOurs), wrong)
		})
	}
}

// sameFunctions drops the addresses that gdb takes for those of another function:
// one that the linker left out may claim them.
func sameFunctions(gdb, ours []string) (gdbSame, oursSame []string, others int) {
	in := make(map[string]string)
	for _, s := range gdb {
		if pc, name, ok := strings.Cut(s, " in "); ok {
			in[pc] = name
		}
	}
	other := make(map[string]bool)
	for _, s := range ours {
		if pc, name, ok := strings.Cut(s, " in "); ok && in[pc] != name {
			other[pc] = true
		}
		if pc, _, ok := strings.Cut(s, " in "); ok {
			delete(in, pc)
		}
	}
	for pc := range in { // ours has no function there
		other[pc] = true
	}
	drop := func(s string) bool {
		pc, _, _ := strings.Cut(s, " ")
		return other[pc]
	}
	return slices.DeleteFunc(gdb, drop), slices.DeleteFunc(ours, drop), len(other)
}

// describedTypes drops from list the types that the other side does not describe:
// gdb makes other types of those with a variant part and of what contains them,
// and describes those of functions that are not there.
func describedTypes(from, list []string) []string {
	known := make(map[string]bool)
	for _, s := range from {
		if tag, _, ok := strings.Cut(s, " | "); ok {
			known[tag] = true
		}
	}
	return slices.DeleteFunc(list, func(s string) bool {
		tag, _, ok := strings.Cut(s, " | ")
		return ok && !known[tag]
	})
}
