package elfsym_test

import (
	"os"
	"path/filepath"
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

// BenchmarkSymboliseTen measures a new session on the shared firmware, and on
// the file that ELFSYM_BENCH names.
func BenchmarkSymboliseTen(b *testing.B) {
	paths := []string{os.Getenv("ELFSYM_BENCH")}
	if paths[0] == "" {
		paths = sharedELFs(b)
	}
	for _, path := range paths {
		b.Run(filepath.Base(path), func(b *testing.B) { symboliseTen(b, path) })
	}
}
