package unwind

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// Registers of lazy stacking (Armv7-M ARM B3.2, Armv8-M ARM D1.2).
const (
	controlAt = 0xe000ef34
	aliasAt   = 0xe002ef34
	aspen     = 1 << 31
	lspen     = 1 << 30
	ts        = 1 << 26
	lspact    = 1 << 0
)

// fpFrame is an exception frame with an FP part that holds stackedFP.
func fpFrame() words {
	f := basicFrame(callLeaf, 0x1034, 0x01000000)
	for n := range uint32(16) {
		f = append(f, stackedFP(n))
	}
	return append(f, stackedFP(fpscrSlot), junk)
}

// fpscrSlot stands for FPSCR.
const fpscrSlot = 100

// What FP registers hold in the frame and in the core.
func stackedFP(n uint32) uint32 { return 0x51ac0000 + n }
func liveFP(n uint32) uint32    { return 0x11fe0000 + n }

// found says where the FP registers of interrupted code were found: "stacked",
// "live", or "" for not at all, of S0 to S15 with FPSCR and of S16 to S31.
type found struct{ low, high string }

func findFP(t *testing.T, regs *core.Regs) found {
	t.Helper()
	where := func(q core.Reg, n uint32) string {
		switch v, ok := regs.Get(q); {
		case !ok:
			return ""
		case v == stackedFP(n):
			return "stacked"
		case v == liveFP(n):
			return "live"
		default:
			t.Errorf("%v is %#x", q, v)
			return "?"
		}
	}
	f := found{where(core.FPSCR, fpscrSlot), where(core.S31, 31)}
	for n := range uint32(32) {
		want := f.low
		if n >= 16 {
			want = f.high
		}
		if got := where(core.S0+core.Reg(n), n); got != want {
			t.Errorf("s%d is %q, others are %q", n, got, want)
		}
	}
	return f
}

// TestFloatsOfInterrupted looks for the FP registers of interrupted code, by what
// is known of lazy stacking.
func TestFloatsOfInterrupted(t *testing.T) {
	t.Parallel()
	const (
		msp    = uint32(0x30001000)
		psp    = uint32(0x20002000)
		secure = 0xffffffed // EXC_RETURN: to a secure thread, PSP, FP part
		toNS   = 0xffffffad
	)
	known := found{"stacked", "live"}
	for _, c := range []struct {
		name    string
		ret     uint32
		control uint32 // CONTROL
		words   map[core.Addr]words
		more    bool // S16 to S31 are in the frame too
		want    found
	}{
		{"FPCCR is not in the artefact", secure, 0, nil, false, found{"", "live"}},
		{"FPCCR reads as zero", secure, 0, map[core.Addr]words{controlAt: {0, 0}}, false, found{"", "live"}},
		{"filled at entry", secure, 0, map[core.Addr]words{controlAt: {aspen, 0}}, false, known},
		{"filled by the handler", secure, 0, map[core.Addr]words{controlAt: {aspen | lspen, psp + 0x20}}, false, known},
		{"not filled", secure, 0, map[core.Addr]words{controlAt: {aspen | lspen | lspact, psp + 0x20}}, false, found{"live", "live"}},
		{"another frame is not filled", secure, 0, map[core.Addr]words{controlAt: {aspen | lspen | lspact, psp + 0x420}}, false, known},
		{"FPCAR is not in the artefact", secure, 0, map[core.Addr]words{controlAt: {aspen | lspen | lspact}}, false, found{"", "live"}},
		{"the handler uses the FPU", secure, 1 << 2, nil, false, known},
		{"S16 to S31 are stacked too", secure, 0, map[core.Addr]words{controlAt: {aspen | ts, 0}}, true, found{"stacked", "stacked"}},
		{"and are not filled", secure, 0, map[core.Addr]words{controlAt: {aspen | ts | lspact, psp + 0x20}}, true, found{"live", "live"}},
		{"of non-secure code, seen by secure", toNS, 0, map[core.Addr]words{controlAt: {aspen | ts, 0}, aliasAt: {aspen | lspact, psp + 0x20}}, false, found{"live", "live"}},
		{"of non-secure code, not seen", toNS, 0, map[core.Addr]words{controlAt: {aspen | ts, 0}}, false, found{"", "live"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			frame := fpFrame()
			if c.more {
				for n := range uint32(16) {
					frame = append(frame, stackedFP(16+n))
				}
			}
			mem := stacks{
				core.Addr(psp): join(frame, words{junk, junk, 7, callWork, 4, callMain}),
				core.Addr(msp): {junk},
			}
			for a, w := range c.words {
				mem[a] = w
			}
			var regs core.Regs
			for r, v := range map[core.Reg]uint32{
				core.PC: 0x1040, core.SP: msp, core.LR: c.ret, core.PSR: 0x01000003, core.CONTROL: c.control,
				core.PSP: psp, core.PSPNS: psp, core.FPSCR: liveFP(fpscrSlot),
			} {
				regs.Set(r, v)
			}
			for n := range uint32(32) {
				regs.Set(core.S0+core.Reg(n), liveFP(n))
			}
			w := walkProgram().Walk(mem, regs, Options{})
			var f core.Frame
			for range 3 {
				f, _ = w.Next(context.Background())
			}
			if f.PC != 0x1034 {
				t.Fatalf("the interrupted code is at %v", f.PC)
			}
			if d := cmp.Diff(c.want, findFP(t, &f.Regs), cmp.AllowUnexported(found{})); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}
