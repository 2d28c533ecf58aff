package elfsym

import (
	"path/filepath"
	"slices"
	"testing"

	"pushmask/core/coretest"
)

// TestReadable compares the search for a readable name with the index of all, in
// programs of C++ and Rust.
func TestReadable(t *testing.T) {
	t.Parallel()
	elfs, err := filepath.Glob(filepath.Join(coretest.Shared(t, "dumps"), "*", "*.elf"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range elfs {
		m, err := Open(path, Options{})
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		defer m.Close()
		all := m.demangled()
		for name, want := range all {
			found++
			if got := m.readable(name, func(*symbol) bool { return true }); !slices.Equal(got, want) {
				t.Errorf("%s: %q is %v, want %v", filepath.Base(path), name, got, want)
			}
		}
	}
	if found < 500 {
		t.Errorf("only %d names were compared", found)
	}
}
