package elfsym_test

import (
	"bufio"
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pushmask/core/coretest"
	"pushmask/elfsym"
)

// sharedELFs returns every linked firmware of the shared test data.
func sharedELFs(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"dumps/probe-rs/*.elf", "dumps/recorded/*/fw.elf", "cases/oracle/*.elf"} {
		found, err := filepath.Glob(filepath.Join(coretest.Shared(t), pattern))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, found...)
	}
	if len(out) == 0 {
		t.Skip("no firmware in the shared test data")
	}
	return out
}

// forEachELF runs a test for every ELF of the fixtures and of the shared test
// data, which may be absent.
func forEachELF(t *testing.T, test func(t *testing.T, path string)) {
	t.Helper()
	for _, pattern := range []string{"../testdata/firmware/*/fw.elf", "testdata/locate/*.elf"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("no fixtures match %s: %v", pattern, err)
		}
		for _, path := range paths {
			name := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
			t.Run(name, func(t *testing.T) { t.Parallel(); test(t, path) })
		}
	}
	t.Run("shared", func(t *testing.T) {
		t.Parallel()
		for _, path := range sharedELFs(t) {
			t.Run(filepath.Base(path), func(t *testing.T) { t.Parallel(); test(t, path) })
		}
	})
}

func open(t testing.TB, path string, opt elfsym.Options) *elfsym.Image {
	t.Helper()
	m, err := elfsym.Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// toolchain returns the path of a binutils program and skips without it.
func toolchain(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath("arm-none-eabi-" + name)
	if err != nil {
		t.Skipf("arm-none-eabi-%s is not installed", name)
	}
	return path
}

func run(t testing.TB, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, &stderr)
	}
	return out
}

// TestFunctionsMatchReadelf compares every sized function symbol of readelf
// with FuncAt at its first, middle and last address.
func TestFunctionsMatchReadelf(t *testing.T) {
	t.Parallel()
	readelf := toolchain(t, "readelf")
	forEachELF(t, func(t *testing.T, path string) {
		m := open(t, path, elfsym.Options{})
		checked := 0
		sc := bufio.NewScanner(bytes.NewReader(run(t, readelf, "-sW", path)))
		for sc.Scan() {
			f := strings.Fields(sc.Text())
			if len(f) < 8 || f[3] != "FUNC" || f[6] == "UND" {
				continue
			}
			value, _ := strconv.ParseUint(f[1], 16, 32)
			size, _ := strconv.ParseUint(f[2], 0, 32)
			if size == 0 {
				continue
			}
			checkFunction(t, m, f[7], uint32(value)&^1, uint32(size))
			checked++
		}
		if checked == 0 && m.HasSymbols() {
			t.Error("readelf lists no functions")
		}
		t.Logf("%d function symbols, %d functions", checked, len(m.Functions()))
	})
}

func checkFunction(t *testing.T, m *elfsym.Image, name string, entry, size uint32) {
	t.Helper()
	for _, pc := range []uint32{entry, entry + size/2, entry + size - 1} {
		if got, ok := m.FuncAt(pc); !ok || got.Entry > pc || got.End <= pc {
			t.Errorf("FuncAt(%#x) = %+v, %v; want %s [%#x, +%d)", pc, got, ok, name, entry, size)
		}
	}
	if got, _ := m.FuncAt(entry); got.Entry != entry || !got.Sized {
		t.Errorf("FuncAt(%#x) = %+v, want the entry of %s", entry, got, name)
	}
}

// TestFunctionsWithoutSymbols compares the functions that DWARF alone gives
// with the symbol table: each one that DWARF claims must be the entry of a
// symbol, and each symbol that the standard library finds a subprogram for
// must be there.
func TestFunctionsWithoutSymbols(t *testing.T) {
	t.Parallel()
	forEachELF(t, func(t *testing.T, path string) {
		m := open(t, path, elfsym.Options{})
		bare := open(t, path, elfsym.Options{NoSymbols: true})
		if !m.HasDebug() || !m.HasSymbols() || filepath.Base(path) == "itcm.elf" {
			t.Skip("nothing to compare, or a function at 0, which only symbols tell from discarded ones")
		}
		entries := make(map[uint32]bool)
		invented := 0
		for _, f := range bare.Functions() {
			entries[f.Entry] = true
			if s, ok := m.FuncAt(f.Entry); !ok || s.Entry != f.Entry {
				invented++
				t.Logf("%s %#x-%#x", f.Name, f.Entry, f.End)
			}
		}
		inDWARF := standardEntries(t, path)
		missing := 0
		for _, f := range m.Functions() {
			if inDWARF[f.Entry] && !entries[f.Entry] {
				missing++
				t.Errorf("%s at %#x is missing", f.Name, f.Entry)
			}
		}
		t.Logf("%d functions, %d missing, %d not in the symbol table", len(entries), missing, invented)
		if invented > 0 {
			t.Errorf("%d functions are not in the symbol table", invented)
		}
	})
}

// standardEntries returns DW_AT_low_pc of all subprograms.
func standardEntries(t *testing.T, path string) map[uint32]bool {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := f.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[uint32]bool)
	for r := data.Reader(); ; {
		e, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e == nil {
			return out
		}
		if low, ok := e.Val(dwarf.AttrLowpc).(uint64); ok && e.Tag == dwarf.TagSubprogram {
			out[uint32(low)] = true
		}
	}
}
