package cfi_test

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"pushmask/elfsym/cfi"
)

// seeds are sections of the fixtures and hand-made ones.
func seeds(t testing.TB) []cfi.Section {
	t.Helper()
	out := []cfi.Section{
		debugFrame(cie(defCFA...), fde(0x8000, 0x10, 0x41, 0x0e, 8, 0x8e, 1, 0x0a, 0x41, 0x0b)),
		ehFrame(0x1000, entry(u32(0), []byte("\x01zPLR\x00\x02\x7c\x0e\x07\x00"), u32(0x8000), []byte{0x1b, 0x1b}, defCFA),
			entry(u32(0x20), u32(0x7000), u32(0x10), []byte{0, 0x41, 0x0f, 2, 0x7d, 8})),
	}
	for _, path := range []string{"cpp", "m0-Os", "a32"} {
		out = append(out, sections(t, "../../testdata/firmware/"+path+"/fw.elf")...)
	}
	return out
}

// exercise asks everything of a section.
func exercise(s cfi.Section) {
	table, _ := cfi.Parse(s)
	for i, f := range table.FDEs() {
		if i > 100 {
			break
		}
		rows, _ := f.Rows()
		for _, r := range rows[:min(len(rows), 20)] {
			f.RowAt(r.Start)
			for _, reg := range r.Regs {
				cfi.Eval(reg.Rule.Expr, frame{}, 0x1000)
			}
			cfi.Eval(r.CFA.Expr, frame{})
			_ = r.String()
		}
		table.Lookup(f.Start)
		table.Lookup(f.End)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s.Data, s.Addr, s.EH)
	}
	f.Fuzz(func(t *testing.T, data []byte, addr uint32, eh bool) {
		exercise(cfi.Section{Name: "fuzz", Data: data, Addr: addr, EH: eh, TextBase: 0x8000})
	})
}

// FuzzRows runs instructions in a function of 0x1000 bytes. Rows must cover it
// without gaps, and RowAt agree with Rows.
func FuzzRows(f *testing.F) {
	f.Add([]byte{}, []byte{0x41, 0x0e, 8, 0x8e, 1})
	f.Add([]byte{0x08, 4}, []byte{0x0a, 0x84, 1, 0x41, 0x0b, 0xc4, 0x02, 8, 0x0f, 1, 0x30})
	f.Add([]byte{0x0f, 1, 0x30}, []byte{0x01, 0x40, 0x80, 0, 0, 0x11, 4, 0x7f, 0x2e, 4})
	f.Fuzz(func(t *testing.T, initial, instructions []byte) {
		table, _ := cfi.Parse(debugFrame(cie(slices.Concat(defCFA, initial)...), fde(0x8000, 0x1000, instructions...)))
		for _, entry := range table.FDEs() {
			rows, err := entry.Rows()
			at := entry.Start
			for i, r := range rows {
				if r.Start != at || r.End <= r.Start {
					t.Fatalf("row %v..%#x follows %#x", r, r.End, at)
				}
				at = r.End
				if i > 20 {
					continue
				}
				if got, err := entry.RowAt(r.Start); err != nil || got.String() != r.String() {
					t.Fatalf("row at %#x: %v, %v; want %v", r.Start, got, err, r)
				}
			}
			if err == nil && at != entry.End {
				t.Fatalf("rows end at %#x", at)
			}
		}
	})
}

// mutate flips some bits or cuts the end, most often in few places.
func mutate(r *rand.Rand, in []byte) []byte {
	b := bytes.Clone(in)
	if r.IntN(8) == 0 {
		return b[:r.IntN(len(b))]
	}
	for range 1 + r.IntN(6) {
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

// TestMutations damages real sections: no panic, no hang, memory in proportion.
func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var slowest time.Duration
	var largest uint64
	count := 0
	for _, s := range seeds(t) {
		original := s.Data
		for range 300 {
			s.Data = mutate(r, original)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			exercise(s)
			slowest = max(slowest, time.Since(start))
			runtime.ReadMemStats(&after)
			largest = max(largest, after.TotalAlloc-before.TotalAlloc)
			count++
		}
	}
	t.Logf("%d mutations, slowest %v, most memory %d KB", count, slowest, largest>>10)
	if slowest > 2*time.Second || largest > 64<<20 {
		t.Errorf("slowest %v, most memory %d bytes", slowest, largest)
	}
}

// TestHostileSizes gives the worst that a section of 1 MB can ask for.
func TestHostileSizes(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	manyRows := []byte{}
	for len(manyRows) < size {
		manyRows = append(manyRows, 0x41, 0x05, byte(len(manyRows)|0x80), 3, 1)
	}
	overlapping := [][]byte{cie(defCFA...)}
	for i := range uint32(size / 16) {
		overlapping = append(overlapping, fde(0x8000+2*i, 0x1000000))
	}
	for name, s := range map[string]cfi.Section{
		"rows":        debugFrame(cie(defCFA...), fde(0x8000, 1<<30, manyRows...)),
		"overlapping": debugFrame(overlapping...),
		"zeros":       debugFrame(make([]byte, size)),
	} {
		start := time.Now()
		exercise(s)
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s: %v", name, d)
		}
	}
}
