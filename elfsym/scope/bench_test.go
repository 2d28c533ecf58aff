package scope_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/elfsym"
)

// largeELF is the file that ELFSYM_BENCH names or, without it, generated C++.
func largeELF(b *testing.B, units, classes int) string {
	b.Helper()
	if path := os.Getenv("ELFSYM_BENCH"); path != "" {
		return path
	}
	gxx, err := exec.LookPath("arm-none-eabi-g++")
	if err != nil {
		b.Skip("arm-none-eabi-g++ is not installed")
	}
	dir := b.TempDir()
	args := []string{"-mcpu=cortex-m4", "-mthumb", "-O1", "-g", "-nostdlib", "-nostartfiles", "-Wl,--entry=0", "-o", "large.elf"}
	for u := range units {
		var src strings.Builder
		fmt.Fprintf(&src, "namespace u%d {\n", u)
		for i := range classes {
			fmt.Fprintf(&src, `struct S%d { int a, b; S%d *next; char name[%d]; int sum(int x) const { return a * x + b; } };
S%d object%d;
__attribute__((noinline)) int work%d(const S%d &s, int x) { int t = 0; for (int i = 0; i < x; i++) t += s.sum(i) ^ x; return t; }
`, i, i, i+1, i, i, i, i)
		}
		src.WriteString("}\n")
		name := fmt.Sprintf("u%d.cc", u)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(src.String()), 0o644); err != nil {
			b.Fatal(err)
		}
		args = append(args, name)
	}
	run(b, dir, gxx, args...)
	return filepath.Join(dir, "large.elf")
}

// BenchmarkFirstFrame measures a new session that shows the variables of one
// frame.
func BenchmarkFirstFrame(b *testing.B) {
	path := largeELF(b, 4, 300)
	m := open(b, path)
	funcs := m.Functions()
	pc := funcs[len(funcs)/2].Entry + 4
	fi, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		m, err := elfsym.Open(path, elfsym.Options{})
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for _, s := range m.Scopes().At(pc) {
			for _, v := range s.Variables {
				v.Type.Name()
				n++
			}
		}
		if n == 0 {
			b.Fatal("no variables")
		}
		m.Close()
	}
	b.ReportMetric(float64(fi.Size())/1e6, "MB-file")
}

// BenchmarkFrameAgain measures a frame whose unit has been read.
func BenchmarkFrameAgain(b *testing.B) {
	m := open(b, largeELF(b, 2, 100))
	funcs := m.Functions()
	pc := funcs[len(funcs)/2].Entry + 4
	for b.Loop() {
		if len(m.Scopes().At(pc)) == 0 {
			b.Fatal("no scopes")
		}
	}
}

// BenchmarkIndex measures the first name that is looked up in the whole program.
func BenchmarkIndex(b *testing.B) {
	path := largeELF(b, 4, 300)
	for b.Loop() {
		m, err := elfsym.Open(path, elfsym.Options{})
		if err != nil {
			b.Fatal(err)
		}
		m.Scopes().Globals("no such name")
		m.Close()
	}
}
