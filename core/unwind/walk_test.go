package unwind

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/elfsym"
)

// The program of these tests, at 0x1000: a vector table, a reset handler that
// calls main, main that calls work (directly) and through a register, work
// that calls leaf, a leaf, a handler and a task entry.
var walkCode = []uint16{
	0x8000, 0x2000, // 1000 initial SP 0x20008000
	0x1011, 0x0000, // 1004 reset
	0x104d, 0x0000, // 1008 NMI: trampoline
	0x1041, 0x0000, // 100c HardFault: handler
	0xf000, 0xf802, // 1010 reset: bl main
	0xe7fe,         //         1014 b .
	0xbf00,         //         1016
	0xb510,         //         1018 main: push {r4, lr}
	0xf000, 0xf803, // 101a bl work
	0x4798,         //         101e blx r3
	0xbd10,         //         1020 pop {r4, pc}
	0xbf00,         //         1022
	0xb580,         //         1024 work: push {r7, lr}
	0xb082,         //         1026 sub sp, #8
	0xf000, 0xf804, // 1028 bl leaf
	0xb002,         //         102c add sp, #8
	0xbd80,         //         102e pop {r7, pc}
	0xbf00, 0xbf00, // 1030
	0x3001,                         //         1034 leaf: adds r0, #1
	0x4770,                         //         1036 bx lr
	0xbf00, 0xbf00, 0xbf00, 0xbf00, // 1038
	0xb508,         //         1040 handler: push {r3, lr}
	0xe7fe,         //         1042 b .
	0xb510,         //         1044 task: push {r4, lr}
	0xf7ff, 0xffed, // 1046 bl work
	0xe7fc,         //         104a b 1046
	0xf3ef, 0x8008, // 104c trampoline: mrs r0, msp
	0xf000, 0xf802, // 1050 bl die
	0xe7fe, //         1054 b .
	0xbf00, //         1056
	0xe7fe, //         1058 die: b .
}

type walkSymbols struct{}

var walkFuncs = []elfsym.Func{
	{Name: "reset", Entry: 0x1010, End: 0x1016, Thumb: true, Sized: true},
	{Name: "main", Entry: 0x1018, End: 0x1022, Thumb: true, Sized: true},
	{Name: "work", Entry: 0x1024, End: 0x1030, Thumb: true, Sized: true},
	{Name: "leaf", Entry: 0x1034, End: 0x1038, Thumb: true, Sized: true},
	{Name: "handler", Entry: 0x1040, End: 0x1044, Thumb: true, Sized: true},
	{Name: "task", Entry: 0x1044, End: 0x104c, Thumb: true, Sized: true},
	{Name: "trampoline", Entry: 0x104c, End: 0x1056, Thumb: true, Sized: true},
	{Name: "die", Entry: 0x1058, End: 0x105a, Thumb: true, Sized: true},
}

func (walkSymbols) FuncAt(pc uint32) (elfsym.Func, bool) {
	for _, f := range walkFuncs {
		if pc >= f.Entry && pc < f.End {
			return f, true
		}
	}
	return elfsym.Func{}, false
}

func (walkSymbols) State(a uint32) elfsym.State {
	if a < 0x1010 {
		return elfsym.StateData
	}
	return elfsym.StateThumb
}

func walkProgram() *Program {
	var b []byte
	for _, h := range walkCode {
		b = binary.LittleEndian.AppendUint16(b, h)
	}
	return newProgram(nil, walkSymbols{}, imageText{{lo: 0x1000, data: b}}, core.ProfileM, 0x1011)
}

// words is a stack at 0x20000000 that grows up in this picture.
type words []uint32

func (w words) ReadAt(a core.Addr, p []byte) (int, error) {
	var b []byte
	for _, x := range w {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return fuzzMemory(b).ReadAt(a, p)
}

const (
	stackBase = 0x20000000
	callMain  = 0x1015 // return addresses, Thumb bit set
	callWork  = 0x101f
	callReg   = 0x1021
	callLeaf  = 0x102d
	taskWork  = 0x104b
	junk      = 0xa5a5a5a5
)

// basicFrame is a hardware exception frame: r0-r3, r12, lr, pc, xpsr.
func basicFrame(lr, pc, xpsr uint32) words {
	return words{1, 2, 3, 4, 12, lr, pc, xpsr}
}

func join(parts ...words) words {
	var all words
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// TestWalk checks whole stacks: the frames and the reason of the end.
func TestWalk(t *testing.T) {
	t.Parallel()
	inWork := words{junk, junk, 7, callWork, 4, callMain}
	for _, c := range []struct {
		name   string
		pc, lr uint32
		psp    uint32
		stack  words
		want   string
	}{
		{"leaf with LR live", 0x1034, callLeaf, 0, inWork,
			"leaf work main reset: entry"},
		{"before the push", 0x1024, callWork, 0, words{4, callMain},
			"work main reset: entry"},
		{"LR wrong in the artefact, its copy pushed", 0x1026, junk, 0, words{7, callWork, 4, callMain},
			"work main reset: entry"},
		{"at the return", 0x102e, junk, 0, words{7, callWork, 4, callMain},
			"work main reset: entry"},
		{"called through a register", 0x1034, callReg, 0, words{4, callMain},
			"leaf main reset: entry"},
		{"null function pointer", 0, callReg, 0, words{4, callMain},
			"? main reset: entry"},
		{"wild PC and no call before LR", 0x90000000, 0x1017, 0, nil,
			"?: bad-pc"},
		{"a direct call of something else", 0x1034, callWork, 0, words{4, callMain},
			"leaf: not-proven"},
		{"stack not in the dump", 0x102c, callLeaf, 0, nil,
			"work: no-memory"},
		{"handler on MSP", 0x1040, 0xfffffff9, 0, join(basicFrame(callLeaf, 0x1034, 0x01000000), inWork),
			"handler ! leaf work main reset: entry"},
		{"handler, padded frame", 0x1040, 0xfffffff9, 0, join(basicFrame(callLeaf, 0x1034, 0x01000200), words{junk}, inWork),
			"handler ! leaf work main reset: entry"},
		{"handler, FP frame", 0x1040, 0xffffffe9, 0, join(basicFrame(callLeaf, 0x1034, 0x01000000), make(words, 18), inWork),
			"handler ! leaf work main reset: entry"},
		{"handler over a process stack", 0x1040, 0xfffffffd, stackBase + 8, join(words{junk, junk}, basicFrame(callLeaf, 0x1034, 0x01000000), inWork),
			"handler ! leaf work main reset: entry"},
		{"handler pushed EXC_RETURN", 0x1042, junk, 0, join(words{3, 0xfffffff9}, basicFrame(callLeaf, 0x1034, 0x01000000), inWork),
			"handler ! leaf work main reset: entry"},
		{"handler over a null call", 0x1040, 0xfffffff9, 0, join(basicFrame(callReg, 0, 0), words{4, callMain}),
			"handler ! ? main reset: entry"},
		{"nested exceptions", 0x1040, 0xfffffff1, 0, join(basicFrame(0xfffffff9, 0x1040, 0x01000003), basicFrame(callLeaf, 0x1034, 0x01000000), inWork),
			"handler ! handler ! leaf work main reset: entry"},
		{"a frame that cannot be", 0x1040, 0xfffffff9, 0, join(basicFrame(callLeaf, 0x1034, 0x01000005), inWork),
			"handler: bad-exception-frame"},
		{"a trampoline lost EXC_RETURN", 0x1058, 0x1055, 0, join(basicFrame(callLeaf, 0x1034, 0x01000000), inWork),
			"die trampoline ! leaf work main reset: entry"},
		{"a trampoline lost EXC_RETURN, no true frame", 0x1058, 0x1055, 0, join(basicFrame(junk, 0x90000000, 0x01000000), inWork),
			"die trampoline: no-rule"},
		{"frame on the other security state's stack", 0x1040, 0xffffffbd, 0, inWork,
			"handler: banked-register"},
		{"a frame of zeros", 0x1040, 0xfffffff9, 0, make(words, 16),
			"handler: bad-exception-frame"},
		{"process stack unknown", 0x1040, 0xfffffffd, 0, inWork,
			"handler: banked-register"},
		{"task returns to the start of a function", 0x1028, junk, 0, words{junk, junk, 7, taskWork, 4, 0x1025},
			"work task: entry"},
		{"task with LR zero", 0x1028, junk, 0, words{junk, junk, 7, taskWork, 4, 0},
			"work task: lr-end"},
		{"filled stack", 0x1028, junk, 0, words{junk, junk, 7, taskWork, 4, junk},
			"work task: not-proven"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var regs core.Regs
			regs.Set(core.PC, c.pc)
			regs.Set(core.LR, c.lr)
			regs.Set(core.SP, stackBase)
			if c.psp != 0 {
				regs.Set(core.PSP, c.psp)
			}
			got := describe(walkProgram().Walk(c.stack, regs, Options{}))
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("stack differs (-want +got):\n%s", d)
			}
		})
	}
}

// describe names the function of each frame, "!" for exception entries, "?"
// where there is no function, and the reason of the end.
func describe(w *Walker) string {
	var names []string
	for {
		f, ok := w.Next(context.Background())
		if !ok {
			break
		}
		fn, known := w.p.FuncAt(f.Lookup)
		switch {
		case f.Kind == core.FrameException:
			names = append(names, "!")
		case known:
			names = append(names, fn.Name)
		default:
			names = append(names, "?")
		}
	}
	return fmt.Sprintf("%s: %s", strings.Join(names, " "), w.Stop().Kind)
}

// TestWalkRegisters checks that a caller sees what its callees saved.
func TestWalkRegisters(t *testing.T) {
	t.Parallel()
	var regs core.Regs
	for r, v := range map[core.Reg]uint32{core.PC: 0x102c, core.SP: stackBase, core.R4: 44, core.R0: 10} {
		regs.Set(r, v)
	}
	w := walkProgram().Walk(words{junk, junk, 77, callWork, 44, callMain}, regs, Options{})
	w.Next(context.Background())
	f, ok := w.Next(context.Background())
	if !ok {
		t.Fatal(w.Stop())
	}
	for _, c := range []struct {
		reg   core.Reg
		value uint32
		known bool
	}{
		{core.R7, 77, true}, {core.R4, 44, true}, {core.SP, stackBase + 16, true},
		{core.PC, 0x101e, true}, {core.R0, 0, false}, {core.LR, 0, false},
	} {
		if v, ok := f.Regs.Get(c.reg); v != c.value || ok != c.known {
			t.Errorf("%v = %#x, %v; want %#x, %v", c.reg, v, ok, c.value, c.known)
		}
	}
}

// TestWalkCancelled checks that a cancelled context stops the walk at once and
// that it goes on where it was.
func TestWalkCancelled(t *testing.T) {
	t.Parallel()
	var regs core.Regs
	regs.Set(core.PC, 0x1034)
	regs.Set(core.LR, callLeaf)
	regs.Set(core.SP, stackBase)
	ctx, cancel := context.WithCancel(context.Background())
	w := walkProgram().Walk(words{junk, junk, 7, callWork, 4, callMain}, regs, Options{})
	w.Next(ctx)
	cancel()
	if f, ok := w.Next(ctx); ok || w.Stop().Kind != core.StopNone {
		t.Errorf("got frame at %v, stop %v; want none", f.PC, w.Stop())
	}
	if got, want := describe(w), "work main reset: entry"; got != want {
		t.Errorf("after it %q, want %q", got, want)
	}
}
