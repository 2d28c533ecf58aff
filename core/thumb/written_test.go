package thumb

import (
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/insn"
)

// customSpace tells the encodings of coprocessors 0 to 7 that are CX1, CX2 and
// CX3 on a core with the custom datapath extension.
func customSpace(raw uint32) bool { return raw>>24&0xef == 0xee && raw>>11&1 == 0 }

// TestLLVMCustom checks the registers that CX1, CX2 and CX3 write against
// LLVM's texts: beyond them Defs may only have what the generic encoding, which
// is the same, writes.
func TestLLVMCustom(t *testing.T) {
	t.Parallel()
	requireLLVM(t)
	r := rand.New(rand.NewPCG(15, 16))
	raws := make([]uint32, min(sampleCount(t)/15, 100_000))
	for k := range raws {
		raws[k] = 0xee000000 | r.Uint32()&0x10fff7ff
	}
	var features []string
	for k := range 8 {
		features = append(features, "+cdecp"+string(rune('0'+k)))
	}
	texts := listLLVM(t, raws, "thumbv8.1m.main", strings.Join(features, ","))
	names := make(map[string]int)
	for k, raw := range raws {
		a := parseAsm(texts[k])
		if !strings.HasPrefix(a.name, "cx") {
			continue // a pair that ends in PC
		}
		names[a.name]++
		want := a.customWritten() &^ (1 << core.SP) // UNPREDICTABLE; LLVM prints it
		got := decodeRaw(raw, 4, 0).Defs
		const generic = 1<<20 | 1<<4 // MRC
		spare := uint16(0)
		if raw&generic == generic {
			spare = 1 << (raw >> 12 & 15)
		}
		if got&want != want || got&^want&^spare != 0 {
			t.Errorf("%08x: %s: writes %04x, want %04x", raw, texts[k], got, want)
		}
	}
	for _, name := range []string{"cx1", "cx1a", "cx1d", "cx1da", "cx2", "cx2a", "cx2d", "cx2da", "cx3", "cx3a", "cx3d", "cx3da"} {
		if names[name] < 20 {
			t.Errorf("only %d of %s", names[name], name)
		}
	}
}

// customWritten are the registers behind the coprocessor: one, or a pair where
// the mnemonic has a D.
func (a asm) customWritten() uint16 {
	var m uint16
	for k := 1; k <= 1+strings.Count(a.name[3:], "d"); k++ {
		if r, ok := coreReg(a.op(k)); ok {
			m |= 1 << r
		}
	}
	return m
}

// TestCustomDatapath has one encoding of each kind, assembled with LLVM.
func TestCustomDatapath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		asm  string
		raw  uint32
		defs uint16
	}{
		{"cx1 p0, r1, #5", 0xee001005, 1 << 1},
		{"cx1d p0, r10, r11, #5", 0xee00a045, 3 << 10},
		{"cx1a p3, lr, #5", 0xfe00e305, 1 << 14},
		{"cx2 p0, r1, r2, #5", 0xee421005, 1 << 1},
		{"cx2da p1, r0, r1, r2, #5", 0xfe420145, 3},
		{"cx3 p0, r1, r2, r3, #5", 0xee823091, 1 << 1},
		{"cx3d p0, r0, r1, r2, r3, #5", 0xee8230d0, 3},
		{"cx3 p0, APSR_nzcv, r2, r3, #5", 0xee82309f, 0},
		{"mcr p14, 0, r1, c0, c5, 0", 0xee001e15, 0},
		{"mrc p7, 0, r9, c0, c5, 0", 0xee109715, 1 << 9},
	} {
		i := decodeRaw(c.raw, 4, 0)
		if i.Defs != c.defs || i.Flow != insn.FlowNext {
			t.Errorf("%s: writes %016b (%d), want %016b", c.asm, i.Defs, bits.OnesCount16(i.Defs), c.defs)
		}
	}
}

// TestLLVMWritten compares the core registers that vector instructions, 64-bit
// shifts and conditional selects write with what LLVM's texts say.
func TestLLVMWritten(t *testing.T) {
	t.Parallel()
	requireLLVM(t)
	r := rand.New(rand.NewPCG(17, 18))
	n := min(sampleCount(t)/3, 400_000)
	raws := vectorSamples(r, n)
	for range n / 4 {
		raws = append(raws, 0xea500000|r.Uint32()&0x000fffff) // shifts by pairs, CSEL
	}
	texts := listLLVM(t, raws, "thumbv8.1m.main", "+mve.fp,+fp64,+fullfp16,+fp-armv8d16,+lob,+pacbti,+8msecext,+dsp")
	compared := 0
	for k, raw := range raws {
		i := decodeRaw(raw, 4, 0)
		a := parseAsm(texts[k])
		if i.Flow == insn.FlowUndef || texts[k] == "" || i.Defs>>core.PC != 0 {
			continue
		}
		want := a.written()
		single := strings.HasPrefix(a.name, "sqrshr") || strings.HasPrefix(a.name, "uqrshl")
		if want>>core.SP&1 != 0 || single && len(a.ops) == 2 && raw>>8&15 != 15 {
			continue // UNPREDICTABLE: SP written, wrong should-be bits
		}
		compared++
		if i.Defs != want {
			t.Errorf("%08x: %s: writes %04x, want %04x", raw, texts[k], i.Defs, want)
		}
	}
	if compared < n/10 {
		t.Errorf("only %d of %d compared", compared, len(raws))
	}
}
