package elfsym_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"pushmask/elfsym"
)

// exercise opens b and asks everything of it; addresses limits the work.
func exercise(b []byte, addresses int) {
	for _, opt := range []elfsym.Options{{}, {NoSymbols: true}} {
		m, err := elfsym.New(bytes.NewReader(b), "hostile.elf", opt)
		if err != nil {
			continue
		}
		pcs := []uint32{0, 1, 0x10, 0xffffffff, m.Entry()}
		for _, s := range m.Segments() {
			step := max(s.MemSize/uint32(addresses), 2)
			for i := range uint32(addresses) {
				pcs = append(pcs, s.Addr+i*step)
			}
			if len(pcs) > 4*addresses {
				break
			}
		}
		var buf [16]byte
		for _, pc := range pcs {
			for _, l := range m.Locate(pc) {
				m.Addresses(l.File, l.Line)
			}
			m.FuncAt(pc)
			m.SymbolAt(pc)
			m.State(pc)
			m.ReadAt(pc, buf[:])
		}
		m.Functions()
		m.Lookup("main")
		m.Sources()
		m.BuildID()
		m.MProfile()
		m.Problems()
	}
}

func seeds(t testing.TB) [][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/locate/*.elf")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	var out [][]byte
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

func FuzzOpen(f *testing.F) {
	for _, b := range seeds(f) {
		f.Add(b)
	}
	f.Add([]byte("\x7fELF"))
	f.Add(elfFile{sections: []elfSection{code(".text", 0x8000, 64)}, symbols: []elfSymbol{fn("f", 0x8001, 8)}}.bytes())
	f.Fuzz(func(t *testing.T, b []byte) { exercise(b, 8) })
}

// mutate flips some bits or cuts the end, most often in one place.
func mutate(r *rand.Rand, in []byte) []byte {
	b := bytes.Clone(in)
	if r.IntN(5) == 0 {
		return b[:r.IntN(len(b))]
	}
	for range 1 + r.IntN(4) {
		i := r.IntN(len(b))
		switch r.IntN(3) {
		case 0:
			b[i] ^= 1 << r.IntN(8)
		case 1:
			b[i] = byte(r.Uint32())
		case 2:
			b[i] = 0xff
		}
	}
	return b
}

// TestMutations damages the fixtures: no panic, no hang, and memory in
// proportion to the file.
func TestMutations(t *testing.T) {
	rounds := 150
	if testing.Short() {
		rounds = 20
	}
	r := rand.New(rand.NewPCG(1, 2))
	var slowest time.Duration
	var largest uint64
	count := 0
	for _, seed := range seeds(t) {
		for range rounds {
			b := mutate(r, seed)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			exercise(b, 20)
			slowest = max(slowest, time.Since(start))
			runtime.ReadMemStats(&after)
			largest = max(largest, after.TotalAlloc-before.TotalAlloc)
			count++
		}
	}
	t.Logf("%d mutations, slowest %v, most memory %d KB", count, slowest, largest>>10)
	if slowest > 5*time.Second || largest > 256<<20 {
		t.Errorf("slowest %v, most memory %d bytes", slowest, largest)
	}
}
