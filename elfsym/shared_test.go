package elfsym_test

import (
	"bufio"
	"bytes"
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
	for _, path := range sharedELFs(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
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
				entry := uint32(value) &^ 1
				for _, pc := range []uint32{entry, entry + uint32(size)/2, entry + uint32(size) - 1} {
					got, ok := m.FuncAt(pc)
					if !ok || got.Entry > pc || got.End <= pc {
						t.Fatalf("FuncAt(%#x) = %+v, %v; want %s [%#x, +%d)", pc, got, ok, f[7], entry, size)
					}
				}
				if got, _ := m.FuncAt(entry); got.Entry != entry || !got.Sized {
					t.Errorf("FuncAt(%#x) = %+v, want the entry of %s", entry, got, f[7])
				}
				checked++
			}
			if checked == 0 {
				t.Error("readelf lists no functions")
			}
			t.Logf("%d function symbols, %d functions", checked, len(m.Functions()))
		})
	}
}
