package elfsym_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/elfsym"
)

// symboliseTen opens an image and locates ten addresses spread over its code.
func symboliseTen(b *testing.B, path string) {
	m := open(b, path, elfsym.Options{})
	funcs := m.Functions()
	if len(funcs) < 5 {
		b.Fatalf("%s has %d functions", path, len(funcs))
	}
	var pcs [10]uint32
	for i := range pcs {
		pcs[i] = funcs[i*(len(funcs)-1)/9].Entry
	}
	b.ReportAllocs()
	for b.Loop() {
		m, err := elfsym.Open(path, elfsym.Options{})
		if err != nil {
			b.Fatal(err)
		}
		for _, pc := range pcs {
			if len(m.Locate(pc)) == 0 {
				b.Fatalf("no location for %#x", pc)
			}
		}
		m.Close()
	}
}

// BenchmarkSymboliseTen measures a new session on the shared firmware.
func BenchmarkSymboliseTen(b *testing.B) {
	for _, path := range sharedELFs(b) {
		b.Run(filepath.Base(path), func(b *testing.B) { symboliseTen(b, path) })
	}
}

// BenchmarkSymboliseTenLarge measures it on the file that ELFSYM_BENCH names
// or, without it, on generated C++.
func BenchmarkSymboliseTenLarge(b *testing.B) {
	path := os.Getenv("ELFSYM_BENCH")
	if path == "" {
		path = largeELF(b, 4, 500)
	}
	fi, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	symboliseTen(b, path)
	b.ReportMetric(float64(fi.Size())/1e6, "MB-file")
}

// BenchmarkLocateAgain measures an address whose unit has been parsed.
func BenchmarkLocateAgain(b *testing.B) {
	m := open(b, "testdata/locate/inline.dwarf5.elf", elfsym.Options{})
	b.ReportAllocs()
	for b.Loop() {
		if len(m.Locate(0x28)) != 3 {
			b.Fatal("wrong chain")
		}
	}
}

// largeELF compiles generated C++: units files with functions functions each,
// which inline others.
func largeELF(b *testing.B, units, functions int) string {
	b.Helper()
	gcc := toolchain(b, "g++")
	dir := b.TempDir()
	args := []string{"-mcpu=cortex-m4", "-mthumb", "-O1", "-g", "-ffunction-sections", "-nostdlib", "-nostartfiles",
		"-Wl,-Ttext=0x8000000,--entry=0x8000001", "-o", filepath.Join(dir, "large.elf")}
	for u := range units {
		var src strings.Builder
		for i := range functions {
			fmt.Fprintf(&src, `namespace u%d { struct S%d { int a, b; int sum(int x) const { return a * x + b; } };
inline int twice%d(const S%d &s, int x) { return s.sum(x) + s.sum(x + 1); }
int work%d(const S%d &s, int x) { int t = 0; for (int i = 0; i < x; i++) t += twice%d(s, i) ^ x; return t; } }
`, u, i, i, i, i, i, i)
		}
		path := filepath.Join(dir, fmt.Sprintf("u%d.cc", u))
		if err := os.WriteFile(path, []byte(src.String()), 0o644); err != nil {
			b.Fatal(err)
		}
		args = append(args, path)
	}
	run(b, gcc, args...)
	return filepath.Join(dir, "large.elf")
}
