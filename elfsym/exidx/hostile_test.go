package exidx_test

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"pushmask/elfsym/exidx"
)

// exercise asks everything of a table.
func exercise(index []byte, addr uint32, read exidx.Reader) {
	table, _ := exidx.Parse(index, addr, read)
	for i, e := range table.Entries() {
		if i > 1000 {
			break
		}
		u, _ := e.Unwind()
		for _, op := range u.Ops {
			_ = op.String()
		}
		table.Lookup(e.Start)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(words(rel31(indexAddr, 0x8000), 1, rel31(indexAddr+8, 0x8100), 0x80a8b0b0), []byte{})
	f.Add(words(rel31(indexAddr, 0x8000), rel31(indexAddr+4, tableAddr)), words(0x8101b108, 0x8400b0b0))
	f.Add(words(rel31(indexAddr, 0x8000), rel31(indexAddr+4, tableAddr)), words(0x7fffe801, 0x01b108a9, 0xb0b0b0b0))
	f.Fuzz(func(t *testing.T, index, extab []byte) {
		exercise(index, indexAddr, readBytes(tableAddr, extab))
	})
}

// FuzzRows runs instructions. Whatever they are, a frame of constant form has
// no error beside it, and one place for each saved register.
func FuzzRows(f *testing.F) {
	f.Add([]byte{0x97, 0x41, 0x84, 0x08})
	f.Add([]byte{0xb2, 0x81, 0x01, 0xb3, 0x42, 0xc7, 0x09, 0xb1, 0x0f})
	f.Add([]byte{0xb4, 0xb5, 0xa9, 0x80, 0x00})
	f.Fuzz(func(t *testing.T, code []byte) {
		if len(code) > 1000 {
			return
		}
		u, err := parseOne(t, personality1(code...)).Unwind()
		if u.Constant && (err != nil || u.Refuses || u.CantUnwind) {
			t.Fatalf("%s: constant in spite of %v", summary(u), err)
		}
		seen := map[exidx.Register]bool{}
		for _, s := range u.Saved {
			if seen[s.Reg] || s.Reg == exidx.SP {
				t.Fatalf("%s: %v twice", summary(u), s.Reg)
			}
			seen[s.Reg] = true
		}
	})
}

// TestMutations damages the tables of the fixture: no panic, no hang.
func TestMutations(t *testing.T) {
	t.Parallel()
	x, ok := readIndex(t, "../../testdata/firmware/cpp/fw.elf")
	if !ok {
		t.Fatal("the C++ fixture has no exception table")
	}
	r := rand.New(rand.NewPCG(1, 2))
	start := time.Now()
	for range 3000 {
		b := bytes.Clone(x.data)
		for range 1 + r.IntN(4) {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		// Bytes that differ at each read stand for a damaged .ARM.extab.
		exercise(b[:len(b)-r.IntN(9)], x.addr, func(addr uint32, n int) ([]byte, error) {
			if r.IntN(3) == 0 {
				return x.read(addr, n)
			}
			out := make([]byte, n)
			for i := range out {
				out[i] = byte(r.Uint32())
			}
			return out, nil
		})
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("3000 mutations took %v", d)
	}
}
