package unwind

import (
	"context"
	"fmt"
	"testing"

	"pushmask/core"
)

// stacks is memory of several stacks, by the address of the lowest word.
type stacks map[core.Addr]words

func (s stacks) ReadAt(a core.Addr, p []byte) (int, error) {
	for at, w := range s {
		if a >= at && a < at+core.Addr(4*len(w)) {
			return w.ReadAt(stackBase+(a-at), p)
		}
	}
	return 0, &core.ReadError{Addr: a, Len: uint32(len(p))}
}

// stackAt are the addresses of the four stacks in these tests.
var stackAt = map[core.Reg]core.Addr{
	core.MSPS: 0x30001000, core.PSPS: 0x30002000, core.MSPNS: 0x20001000, core.PSPNS: 0x20002000,
}

// TestExcReturnSecurity walks over every EXC_RETURN of Armv8-M with Security
// Extension: the frame lies on the one stack of four that the value says, with
// or without r4 to r11 below and FP registers above. The other stacks hold
// frames of something else. The layout is that of the Armv8-M ARM B3.18 and of
// the pseudocode of PopStack.
func TestExcReturnSecurity(t *testing.T) {
	t.Parallel()
	for bits := range uint32(1 << 6) {
		const low = 1 << 1 // RES0
		ret := 0xffffff80 | bits<<1&^low | bits&1
		t.Run(fmt.Sprintf("%#x", ret), func(t *testing.T) {
			t.Parallel()
			checkExcReturn(t, ret)
		})
	}
}

func checkExcReturn(t *testing.T, ret uint32) {
	const es, spsel, mode, ftype, dcrs, s = 1 << 0, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6
	has := func(bits uint32) bool { return ret&bits == bits }
	bank := map[bool]core.Reg{true: core.MSPS, false: core.MSPNS}[has(s)]
	if has(mode | spsel) {
		bank = map[bool]core.Reg{true: core.PSPS, false: core.PSPNS}[has(s)]
	}
	var frame words
	if has(s) && (!has(es) || !has(dcrs)) {
		signature := uint32(0xfefa125a)
		if has(ftype) {
			signature++
		}
		frame = words{signature, 0, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb}
	}
	below := len(frame)
	psr := uint32(0x01000000)
	if !has(mode) {
		psr |= 5 // a handler was interrupted
	}
	frame = join(frame, basicFrame(callLeaf, 0x1034, psr))
	if !has(ftype) {
		frame = join(frame, make(words, 18))
	}
	sp := stackAt[bank] + core.Addr(4*len(frame))
	frame = join(frame, words{junk, junk, 7, callWork, 4, callMain})

	mem := stacks{}
	var regs core.Regs
	for r, a := range stackAt {
		mem[a] = join(basicFrame(junk, 0x1044, 0x01000000), make(words, 16))
		regs.Set(r, uint32(a))
	}
	mem[stackAt[bank]] = frame
	handlerSP := stackAt[map[bool]core.Reg{true: core.MSPS, false: core.MSPNS}[has(es)]]
	regs.Set(core.SP, uint32(handlerSP))
	regs.Set(core.PC, 0x1040)
	regs.Set(core.LR, ret)
	regs.Set(core.PSR, 0x01000003)
	regs.Set(core.R4, 0x1111)
	if got, want := describe(walkProgram().Walk(mem, regs, Options{})), "handler ! leaf work main reset: entry"; got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	w := walkProgram().Walk(mem, regs, Options{})
	var f core.Frame
	for range 3 {
		f, _ = w.Next(context.Background())
	}
	r4 := uint32(0x1111)
	if below > 0 {
		r4 = 0x44
	}
	for r, want := range map[core.Reg]uint32{core.SP: uint32(sp), bank: uint32(sp), core.R4: r4} {
		if v := f.Regs.Value(r); v != want {
			t.Errorf("%v of the interrupted code = %#x, want %#x", r, v, want)
		}
	}
}

// TestOtherStack interrupts a non-secure thread on its main stack by a secure
// handler: SPSEL of EXC_RETURN is that of secure threads, which use their process
// stack.
func TestOtherStack(t *testing.T) {
	t.Parallel()
	const (
		ret  = 0xffffffbd // ES, SPSEL, Mode, no FP part; S is clear
		mspS = 0x30001000
		mspN = 0x20001000
		pspN = 0x20002000
	)
	interrupted := join(basicFrame(callLeaf, 0x1034, 0x01000000), words{junk, junk, 7, callWork, 4, callMain})
	for _, c := range []struct {
		name string
		psp  words
	}{
		{"the process stack pointer is not in the artefact", nil},
		{"nothing was interrupted there", make(words, 16)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			mem := stacks{mspN: interrupted, mspS: {junk}}
			var regs core.Regs
			for r, v := range map[core.Reg]uint32{
				core.PC: 0x1040, core.SP: mspS, core.LR: ret, core.PSR: 0x01000003, core.MSPS: mspS, core.MSPNS: mspN,
			} {
				regs.Set(r, v)
			}
			if c.psp != nil {
				mem[pspN] = c.psp
				regs.Set(core.PSPNS, pspN)
			}
			if got, want := describe(walkProgram().Walk(mem, regs, Options{})), "handler ! leaf work main reset: entry"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestBaseline tells the 32-bit instructions of Armv8-M baseline from those of
// the main extension, which gcc's far branches are not found in.
func TestBaseline(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		asm  string
		code []byte
		want bool
	}{
		{"b.w .+0x804", []byte{0x00, 0xf0, 0x00, 0xbc}, true},
		{"beq.w .+4", []byte{0x00, 0xf0, 0x00, 0x80}, false},
		{"movw r0, #1", []byte{0x40, 0xf2, 0x01, 0x00}, true},
		{"movt r0, #1", []byte{0xc0, 0xf2, 0x01, 0x00}, true},
		{"sdiv r0, r0, r1", []byte{0x90, 0xfb, 0xf1, 0xf0}, true},
		{"udiv r0, r0, r1", []byte{0xb0, 0xfb, 0xf1, 0xf0}, true},
		{"sg", []byte{0x7f, 0xe9, 0x7f, 0xe9}, true},
		{"addw r0, r0, #1", []byte{0x00, 0xf2, 0x01, 0x00}, false},
		{"push.w {r4, r8, lr}", []byte{0x2d, 0xe9, 0x10, 0x41}, false},
		{"ldr.w r0, [r1]", []byte{0xd1, 0xf8, 0x00, 0x00}, false},
		{"smull r0, r1, r2, r3", []byte{0x82, 0xfb, 0x03, 0x01}, false},
	} {
		i, err := fetch(bareText{&extent{lo: 0x1000, data: c.code}}, 0x1000, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := isBaseline(&i); got != c.want {
			t.Errorf("%s: %v, want %v", c.asm, got, c.want)
		}
	}
}
