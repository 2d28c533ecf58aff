package unwind

import (
	"context"
	"testing"

	"pushmask/core"
)

// fuzzMemory is a stack of fuzzed words at 0x20000000.
type fuzzMemory []byte

func (m fuzzMemory) ReadAt(a core.Addr, p []byte) (int, error) {
	off := uint64(a) - 0x20000000
	if uint64(a) < 0x20000000 || off >= uint64(len(m)) {
		return 0, &core.ReadError{Addr: a, Len: uint32(len(p))}
	}
	n := copy(p, m[off:])
	if n < len(p) {
		return n, &core.ReadError{Addr: a + core.Addr(n), Len: uint32(len(p) - n)}
	}
	return n, nil
}

// FuzzWalk walks arbitrary code with an arbitrary stack: it must end, within
// the frame cap, with a reason, and every caller must lie above its callee.
func FuzzWalk(f *testing.F) {
	f.Add([]byte{0x10, 0xb5, 0x82, 0xb0, 0x00, 0xf0, 0x00, 0xf8, 0x02, 0xb0, 0x10, 0xbd}, []byte("\x00\x00\x00\x00\x09\x10\x00\x00"), uint32(4), uint32(0x1009), true)
	f.Add([]byte{0x18, 0xbf, 0x10, 0xbd, 0xfe, 0xe7, 0xdf, 0xe8, 0x00, 0xf0}, []byte{}, uint32(0), uint32(0xfffffff9), true)
	f.Add([]byte{0x04, 0xe0, 0x2d, 0xe5, 0xfe, 0xff, 0xff, 0xeb, 0x04, 0xf0, 0x9d, 0xe4}, []byte{8, 0x10, 0, 0}, uint32(4), uint32(0x1008), false)
	f.Fuzz(func(t *testing.T, code, stack []byte, pc, lr uint32, m bool) {
		if len(code) > 4096 || len(stack) > 4096 {
			return
		}
		profile := core.ProfileM
		if !m {
			profile = core.ProfileA
		}
		p := newProgram(nil, noSymbols{}, imageText{{lo: 0x1000, data: code}}, profile, 0x1001)
		var regs core.Regs
		for r := core.R0; r <= core.R12; r++ {
			regs.Set(r, 0x20000000+4*uint32(r))
		}
		regs.Set(core.SP, 0x20000000)
		regs.Set(core.LR, lr)
		regs.Set(core.PC, 0x1000+pc%(uint32(len(code))+1))
		w := p.Walk(fuzzMemory(stack), regs, Options{MaxFrames: 64, Profile: profile})
		checkWalk(t, w)
	})
}

func checkWalk(t *testing.T, w *Walker) {
	t.Helper()
	var last core.Addr
	n := 0
	for {
		f, ok := w.Next(context.Background())
		if !ok {
			break
		}
		if n++; n > 200 {
			t.Fatal("the walk does not end")
		}
		if f.Kind == core.FrameFunction && f.HasCFA {
			if f.CFA < last && f.Trust != core.TrustException {
				t.Errorf("CFA %v lies below the one before it, %v", f.CFA, last)
			}
			last = f.CFA
		} else {
			last = 0
		}
	}
	if w.Stop().Kind == core.StopNone {
		t.Error("the walk ended without a reason")
	}
}

// FuzzAnalyse runs the analysis over arbitrary code: it must end and every
// instruction it reaches must yield rows that can be formatted.
func FuzzAnalyse(f *testing.F) {
	f.Add([]byte{0x10, 0xb5, 0x82, 0xb0, 0x02, 0xb0, 0x10, 0xbd}, true)
	f.Add([]byte{0x08, 0xbf, 0x10, 0xbd, 0xdf, 0xe8, 0x00, 0xf0, 1, 2, 3, 4, 0xfc, 0xe7}, true)
	f.Fuzz(func(t *testing.T, code []byte, thumbState bool) {
		if len(code) > 8192 {
			return
		}
		x := bareText{&extent{lo: 0x1000, data: code}}
		p := analyse(Func{Entry: 0x1000, End: 0x1000 + core.Addr(len(code)), Thumb: thumbState}, x, x)
		for pc := p.Func.Entry; pc < p.Func.End && len(code) < 512; pc += 2 {
			for _, r := range p.Rows(pc) {
				if r.String() == "" {
					t.Error("a row without text")
				}
			}
		}
	})
}
