package unwind

import (
	"testing"

	"pushmask/core"
	"pushmask/core/a32"
	"pushmask/core/insn"
	"pushmask/core/thumb"
)

// high is the mask of S16 to S31 from one of which bit k is S16+k.
func high(k uint32) uint32 { return k << 16 }

// floatWriters lists instructions with the S registers that they may write. The
// encodings are those of the GNU assembler.
var floatWriters = []struct {
	text  string
	raw   uint32
	state string // "t32" or "a32"
	want  uint32
}{
	{"vadd.f32 s16, s1, s2", 0xee308a81, "t32", high(1)},
	{"vadd.f32 s15, s16, s17", 0xee787a28, "t32", 1 << 15},
	{"vadd.f64 d8, d1, d2", 0xee318b02, "t32", high(3)},
	{"vadd.f64 d7, d8, d9", 0xee387b09, "t32", 3 << 14},
	{"vmov.f32 s31, s0", 0xeef0fa40, "t32", high(1 << 15)},
	{"vmov.f64 d15, #1.0", 0xeeb7fb00, "t32", high(3 << 14)},
	{"vmla.f32 s17, s1, s1", 0xee408aa0, "t32", high(2)},
	{"vldr s16, [r0, #4]", 0xed908a01, "t32", high(1)},
	{"vldr d9, [r0, #4]", 0xed909b01, "t32", high(3 << 2)},
	{"vldr d2, [sp]", 0xed9d2b00, "t32", 3 << 4},
	{"vstr s16, [r0]", 0xed808a00, "t32", 0},
	{"vstr d8, [r0]", 0xed808b00, "t32", 0},
	{"vmov s18, r3", 0xee093a10, "t32", high(1 << 2)},
	{"vmov r3, s18", 0xee193a10, "t32", 0},
	{"vmov s18, s19, r1, r2", 0xec421a19, "t32", high(3 << 2)},
	{"vmov r1, r2, s18, s19", 0xec521a19, "t32", 0},
	{"vmov d10, r1, r2", 0xec421b1a, "t32", high(3 << 4)},
	{"vmov r1, r2, d10", 0xec521b1a, "t32", 0},
	{"vmov.32 d8[1], r0", 0xee280b10, "t32", high(3)},
	{"vmov.32 r0, d8[1]", 0xee380b10, "t32", 0},
	{"vcmp.f32 s16, s17", 0xeeb48a68, "t32", 0},
	{"vcmp.f64 d8, d9", 0xeeb48b49, "t32", 0},
	{"vcmp.f32 s16, #0", 0xeeb58a40, "t32", 0},
	{"vmrs APSR_nzcv, fpscr", 0xeef1fa10, "t32", 0},
	{"vmsr fpscr, r0", 0xeee10a10, "t32", 0},
	{"vcvt.f32.s32 s20, s20", 0xeeb8aaca, "t32", high(3 << 4)},
	{"vcvt.f64.f32 d8, s0", 0xeeb78ac0, "t32", high(3)},
	{"vcvt.f32.f64 s16, d0", 0xeeb78bc0, "t32", high(3)},
	{"vcvt.f64.f32 d1, s16", 0xeeb71ac8, "t32", 3 << 2},
	{"vsqrt.f32 s24, s0", 0xeeb1cac0, "t32", high(3 << 8)},
	{"vselge.f32 s16, s0, s1", 0xfe208a20, "t32", high(1)},
	{"vmaxnm.f64 d8, d0, d1", 0xfe808b01, "t32", high(3)},
	{"vrinta.f32 s16, s0", 0xfeb88a40, "t32", high(3)},
	{"vadd.f16 s17, s1, s2", 0xee708981, "t32", high(2)},
	{"vmov.f16 s18, r3", 0xee093910, "t32", high(1 << 2)},
	{"vmov.f16 r3, s18", 0xee193910, "t32", 0},
	{"vldr.16 s19, [r0]", 0xedd09900, "t32", high(1 << 3)},
	{"vins.f16 s20, s1", 0xfeb0aae0, "t32", high(3 << 4)},
	{"vcvtb.f16.f32 s17, s0", 0xeef38a40, "t32", high(2)},
	{"stmdb sp!, {r4, r8}", 0xe92d0110, "t32", 0},
	{"ldr.w r8, [r0]", 0xf8d08000, "t32", 0},
	{"vldrw.u32 q4, [r0]", 0xed909f00, "t32", allFloats},
	{"vstrw.32 q4, [r0]", 0xed809f00, "t32", 0},
	{"vadd.i32 q4, q1, q2", 0xef228844, "t32", allFloats},
	{"vstr FPCXTNS, [sp, #-4]!", 0xed6dcf81, "t32", 0},
	{"vmov q4[2], q4[0], r0, r1", 0xec118f00, "t32", allFloats},
	{"vmov.16 q4[1], r0", 0xee080b70, "t32", high(3)},
	{"vld1.8 {d16}, [r0]", 0xf960070f, "t32", allFloats},
	{"mrc p15, 0, r0, c1, c0, 0", 0xee110f10, "t32", 0},
	{"bl .", 0xf7fffffe, "t32", 0},
	{"vadd.i32 q4, q1, q2", 0xf2228844, "a32", allFloats},
	{"vld1.8 {d16}, [r0]", 0xf460070f, "a32", allFloats},
	{"vadd.f32 s16, s1, s2", 0xee308a81, "a32", high(1)},
	{"vldrne d9, [r0]", 0x1d909b00, "a32", high(3 << 2)},
	{"vdup.32 q4, r0", 0xeea80b10, "a32", allFloats},
	{"mrc p15, 0, r0, c1, c0, 0", 0xee110f10, "a32", 0},
	{"b .", 0xeafffffe, "a32", 0},
	{"svc 0", 0xef000000, "a32", 0},
}

// TestFloatWrites decodes them.
func TestFloatWrites(t *testing.T) {
	t.Parallel()
	for _, c := range floatWriters {
		i := decoded(t, c.raw, c.state == "t32")
		if got := floatWrites(&i); got != c.want {
			t.Errorf("%s: %s may write %#08x, want %#08x", c.state, c.text, got, c.want)
		}
	}
}

// decoded decodes a 32-bit instruction.
func decoded(t *testing.T, raw uint32, isThumb bool) insn.Inst {
	t.Helper()
	var i insn.Inst
	var err error
	if isThumb {
		i, err = thumb.Decode([]byte{byte(raw >> 16), byte(raw >> 24), byte(raw), byte(raw >> 8)}, 0x1000)
	} else {
		i, err = a32.Decode([]byte{byte(raw), byte(raw >> 8), byte(raw >> 16), byte(raw >> 24)}, core.Addr(0x1000))
	}
	if err != nil {
		t.Fatalf("decode %#08x: %v", raw, err)
	}
	return i
}
