package cause

import (
	"encoding/binary"
	"testing"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/insn"
	"pushmask/core/memmap"
)

// FuzzExplain gives any registers, fault registers and code. There is always a
// cause, with a kind, a name and a sentence.
func FuzzExplain(f *testing.F) {
	f.Add([]byte{}, []byte{0x53, 0x68}, uint8(1))
	f.Add(word(0), []byte{0x98, 0x47}, uint8(2))
	f.Add(word(0xa5a5a5a5), []byte{0xb2, 0xfb, 0xf2, 0xf0}, uint8(5))
	f.Add(word(codeAt), []byte{0xfe, 0xe7}, uint8(8))
	f.Add(word(0xfffffffe), []byte{0x04, 0x30, 0x92, 0xe5}, uint8(16))
	f.Fuzz(func(t *testing.T, values, code []byte, how uint8) {
		next := func() uint32 {
			var b [4]byte
			values = values[copy(b[:], values):]
			return binary.LittleEndian.Uint32(b[:])
		}
		var own, mem memmap.Map
		mem.AddBytes(codeAt, code)
		in := &Input{
			Thread: core.Thread{Crashed: how&1 == 0, Faulted: how&2 == 0, Signal: int(how >> 4), HasFaultAddr: how&8 != 0},
			Memory: &mem, Own: &own,
			Program: &fakeProgram{none: how&4 != 0, a32: how&16 != 0, body: bodyOf(code)},
		}
		if how&16 != 0 {
			in.Profile = core.ProfileA
		}
		for r := core.R0; r <= core.PSPLIM; r++ {
			in.Regs.Set(r, next())
		}
		if how&32 != 0 {
			in.Regs.Set(core.PC, codeAt)
		}
		for r := exc.ICSR; r <= exc.SFAR; r++ {
			own.AddBytes(r.Addr(), word(next()))
		}
		for r := exc.ArmDFSR; r <= exc.ArmIFAR; r++ {
			in.Arm.Set(r, next())
		}
		in.Thread.FaultAddr = core.Addr(next())
		in.Frames = []Frame{{Frame: &core.Frame{Regs: in.Regs}, Functions: []string{string(code)}}}
		if c := Explain(in); c.Kind == "" || c.Name == "" || c.Description == "" {
			t.Errorf("no cause: %+v", c)
		}
	})
}

// bodyOf decodes what it can of T32 code.
func bodyOf(code []byte) []insn.Inst {
	var body []insn.Inst
	for off := 0; off+4 <= len(code); {
		var m memmap.Map
		m.AddBytes(codeAt, code)
		i, ok := decode(&m, codeAt+core.Addr(off), true)
		if !ok {
			break
		}
		body = append(body, i.Inst)
		off += int(i.Size)
	}
	return body
}

// TestEveryBit sets each bit of the status registers alone and with all others:
// what states a fault has a kind of its own.
func TestEveryBit(t *testing.T) {
	t.Parallel()
	for _, r := range []exc.FaultReg{exc.CFSR, exc.HFSR, exc.SFSR} {
		for bit := range 32 {
			var f exc.Faults
			f.Set(r, 1<<bit)
			in := crashed(regs{core.R2: varAt}, status{r: 1 << bit}, 0x6853)
			c := Explain(in)
			stated := len(f.Causes()) > 0
			if stated == (c.Kind == UnexplainedFault) || c.Description == "" || c.Name == "" {
				t.Errorf("%v bit %d: %s", r, bit, text(&c))
			}
			if _, known := statedKinds[bitName(&f)]; stated && !known {
				t.Errorf("%v bit %d has no kind", r, bit)
			}
		}
	}
}

func bitName(f *exc.Faults) string {
	for _, c := range f.Causes() {
		return c.Bit
	}
	return ""
}
