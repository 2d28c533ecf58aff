package a32

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/insn"
)

const at = core.Addr(0x8000)

func regs(list ...core.Reg) (mask uint16) {
	for _, r := range list {
		mask |= 1 << r
	}
	return mask
}

// TestDecode has the instructions that an unwinder follows, as compilers and
// hand-written start-up code use them.
func TestDecode(t *testing.T) {
	t.Parallel()
	const none = core.NoReg
	tests := []struct {
		word uint32
		text string
		want insn.Inst // Addr, Raw and Size are filled in; registers that are R0 are meant
	}{
		{0xe92d4010, "push {r4, lr}", insn.Inst{Op: insn.OpStoreMulti, Rd: none, Rd2: none, Rn: core.SP, Rm: none,
			Multi: insn.DB, Writeback: true, List: regs(core.R4, core.LR), Defs: regs(core.SP)}},
		{0xe52de004, "push {lr}", insn.Inst{Op: insn.OpStore, Rd: core.LR, Rd2: none, Rn: core.SP, Rm: none,
			Index: insn.PreIndex, Writeback: true, Imm: -4, Defs: regs(core.SP)}},
		{0xe8bd8010, "pop {r4, pc}", insn.Inst{Op: insn.OpLoadMulti, Flow: insn.FlowLoad, Rd: none, Rd2: none, Rn: core.SP, Rm: none,
			Multi: insn.IA, Writeback: true, List: regs(core.R4, core.PC), Defs: regs(core.R4, core.SP, core.PC)}},
		{0x049df004, "popeq {pc}", insn.Inst{Op: insn.OpLoad, Flow: insn.FlowLoad, Cond: insn.EQ, Rd: core.PC, Rd2: none, Rn: core.SP, Rm: none,
			Index: insn.PostIndex, Writeback: true, Imm: 4, Defs: regs(core.SP, core.PC)}},
		{0xe89da830, "ldm sp, {r4, r5, r11, sp, pc}", insn.Inst{Op: insn.OpLoadMulti, Flow: insn.FlowLoad, Rd: none, Rd2: none, Rn: core.SP, Rm: none,
			List: regs(4, 5, 11, 13, 15), Defs: regs(4, 5, 11, 13, 15)}},
		{0xe8fd8000, "ldm sp!, {pc}^", insn.Inst{Flow: insn.FlowOther, ExceptionReturn: true, Rd: none, Rd2: none, Rn: none, Rm: none, Defs: regs(13, 15)}},
		{0xe24dd018, "sub sp, sp, #24", insn.Inst{Op: insn.OpAdd, Rd: core.SP, Rd2: none, Rn: core.SP, Rm: none, Imm: -24, Defs: regs(core.SP)}},
		{0xe28db004, "add r11, sp, #4", insn.Inst{Op: insn.OpAdd, Rd: 11, Rd2: none, Rn: core.SP, Rm: none, Imm: 4, Defs: regs(11)}},
		{0xe08dd103, "add sp, sp, r3, lsl #2", insn.Inst{Op: insn.OpAddReg, Rd: core.SP, Rd2: none, Rn: core.SP, Rm: 3, Shift: 2, Defs: regs(core.SP)}},
		{0xe1a0d00b, "mov sp, r11", insn.Inst{Op: insn.OpMove, Rd: core.SP, Rd2: none, Rn: none, Rm: 11, Defs: regs(core.SP)}},
		{0xe3cdd007, "bic sp, sp, #7", insn.Inst{Op: insn.OpAnd, Rd: core.SP, Rd2: none, Rn: core.SP, Rm: none, Imm: ^7, Defs: regs(core.SP)}},
		{0xe7c2d01f, "bfc sp, #0, #3", insn.Inst{Op: insn.OpAnd, Rd: core.SP, Rd2: none, Rn: core.SP, Rm: none, Imm: ^7, Defs: regs(core.SP)}},
		{0xed2d8b04, "vpush {d8-d9}", insn.Inst{Op: insn.OpVStore, Rd: none, Rd2: none, Rn: core.SP, Rm: none,
			Multi: insn.DB, Writeback: true, VFirst: 16, Words: 4, Defs: regs(core.SP)}},
		{0xecbd8a01, "vpop {s16}", insn.Inst{Op: insn.OpVLoad, Rd: none, Rd2: none, Rn: core.SP, Rm: none,
			Writeback: true, VFirst: 16, Words: 1, Defs: regs(core.SP)}},
		{0xe3a03c01, "mov r3, #256", insn.Inst{Op: insn.OpConst, Rd: 3, Rd2: none, Rn: none, Rm: none, Imm: 256, Defs: regs(3)}},
		{0xe3e03000, "mvn r3, #0", insn.Inst{Op: insn.OpConst, Rd: 3, Rd2: none, Rn: none, Rm: none, Imm: -1, Defs: regs(3)}},
		{0xe30f3fff, "movw r3, #65535", insn.Inst{Op: insn.OpConst, Rd: 3, Rd2: none, Rn: none, Rm: none, Imm: 0xffff, Defs: regs(3)}},
		{0xe3443100, "movt r3, #16640", insn.Inst{Op: insn.OpMovTop, Rd: 3, Rd2: none, Rn: none, Rm: none, Imm: 0x4100, Defs: regs(3)}},
		{0xe1a03103, "lsl r3, r3, #2", insn.Inst{Op: insn.OpLsl, Rd: 3, Rd2: none, Rn: none, Rm: 3, Imm: 2, Defs: regs(3)}},
		{0xe1a03023, "lsr r3, r3, #32", insn.Inst{Op: insn.OpLsr, Rd: 3, Rd2: none, Rn: none, Rm: 3, Imm: 32, Defs: regs(3)}},
		{0xe2633000, "rsb r3, r3, #0", insn.Inst{Op: insn.OpRsb, Rd: 3, Rd2: none, Rn: 3, Rm: none, Defs: regs(3)}},
		{0xe3530005, "cmp r3, #5", insn.Inst{Op: insn.OpCmp, Rd: none, Rd2: none, Rn: 3, Rm: none, Imm: 5}},
		{0xe59f3010, "ldr r3, [pc, #16]", insn.Inst{Op: insn.OpLoad, Rd: 3, Rd2: none, Rn: core.PC, Rm: none, Imm: 16, Defs: regs(3)}},
		{0xe1cd40f8, "strd r4, r5, [sp, #8]", insn.Inst{Op: insn.OpStoreDual, Rd: 4, Rd2: 5, Rn: core.SP, Rm: none, Imm: 8}},
		{0xe16d40f8, "strd r4, r5, [sp, #-8]!", insn.Inst{Op: insn.OpStoreDual, Rd: 4, Rd2: 5, Rn: core.SP, Rm: none, Imm: -8,
			Index: insn.PreIndex, Writeback: true, Defs: regs(core.SP)}},
		{0x979ff103, "ldrls pc, [pc, r3, lsl #2]", insn.Inst{Op: insn.OpLoad, Flow: insn.FlowLoad, Cond: insn.LS, Rd: core.PC, Rd2: none, Rn: core.PC, Rm: 3,
			Index: insn.RegOffset, Shift: 2, Defs: regs(core.PC)}},
		{0xe79d3002, "ldr r3, [sp, r2]", insn.Inst{Op: insn.OpLoad, Rd: 3, Rd2: none, Rn: core.SP, Rm: 2, Index: insn.RegOffset, Defs: regs(3)}},
		{0xe73d3002, "ldr r3, [sp, -r2]!", insn.Inst{Rd: none, Rd2: none, Rn: none, Rm: none, Defs: regs(3, core.SP)}},
		{0x908ff103, "addls pc, pc, r3, lsl #2", insn.Inst{Op: insn.OpAddReg, Flow: insn.FlowOther, Cond: insn.LS, Rd: core.PC, Rd2: none, Rn: core.PC, Rm: 3,
			Shift: 2, Defs: regs(core.PC)}},
		{0xe12fff1e, "bx lr", insn.Inst{Flow: insn.FlowReg, Rd: none, Rd2: none, Rn: none, Rm: core.LR, Defs: regs(core.PC)}},
		{0xe1a0f00e, "mov pc, lr", insn.Inst{Op: insn.OpMove, Flow: insn.FlowReg, Rd: core.PC, Rd2: none, Rn: none, Rm: core.LR, Defs: regs(core.PC)}},
		{0xe1b0f00e, "movs pc, lr", insn.Inst{ExceptionReturn: true, Op: insn.OpMove, Flow: insn.FlowOther, Rd: core.PC, Rd2: none, Rn: none, Rm: core.LR, Defs: regs(core.PC)}},
		{0xe25ef004, "subs pc, lr, #4", insn.Inst{Op: insn.OpAdd, Flow: insn.FlowOther, ExceptionReturn: true, Rd: core.PC, Rd2: none, Rn: core.LR, Rm: none, Imm: -4, Defs: regs(core.PC)}},
		{0xe12fff33, "blx r3", insn.Inst{Flow: insn.FlowCallReg, Rd: none, Rd2: none, Rn: none, Rm: 3, Defs: regs(core.LR, core.PC)}},
		{0xeafffffe, "b 0x8000", insn.Inst{Flow: insn.FlowBranch, Target: at, Rd: none, Rd2: none, Rn: none, Rm: none, Defs: regs(core.PC)}},
		{0x1b000002, "blne 0x8010", insn.Inst{Flow: insn.FlowCall, Cond: insn.NE, Target: at + 16, Rd: none, Rd2: none, Rn: none, Rm: none, Defs: regs(core.LR, core.PC)}},
		{0xfb000002, "blx 0x8012", insn.Inst{Flow: insn.FlowCall, Target: at + 18, TargetThumb: true, Rd: none, Rd2: none, Rn: none, Rm: none, Defs: regs(core.LR, core.PC)}},
		{0xef123456, "svc #1193046", insn.Inst{Op: insn.OpSVC, Imm: 0x123456, Rd: none, Rd2: none, Rn: none, Rm: none}},
		{0xe1200070, "bkpt #0", insn.Inst{Op: insn.OpBKPT, Rd: none, Rd2: none, Rn: none, Rm: none}},
		{0xe7f000f0, "udf #0", insn.Inst{Flow: insn.FlowTrap, Rd: none, Rd2: none, Rn: none, Rm: none}},
		{0xe10f3000, "mrs r3, CPSR", insn.Inst{Op: insn.OpMRS, Rd: 3, Rd2: none, Rn: none, Rm: none, Defs: regs(3)}},
		{0xe121f003, "msr CPSR_c, r3", insn.Inst{Op: insn.OpMSR, Rd: none, Rd2: none, Rn: 3, Rm: none}},
		{0xe321f0d3, "msr CPSR_c, #211", insn.Inst{Op: insn.OpMode, Imm: 0x13, Rd: none, Rd2: none, Rn: none, Rm: none, Defs: bankedRegs}},
		{0xf1020013, "cps #19", insn.Inst{Op: insn.OpMode, Imm: 0x13, Rd: none, Rd2: none, Rn: none, Rm: none, Defs: bankedRegs}},
		{0xf96d0513, "srsdb sp!, #19", insn.Inst{Op: insn.OpSRS, Imm: 0x13, Multi: insn.DB, Writeback: true, Rd: none, Rd2: none, Rn: core.SP, Rm: none, Defs: regs(core.SP)}},
		{0xf8bd0a00, "rfeia sp!", insn.Inst{ExceptionReturn: true, Flow: insn.FlowOther, Rd: none, Rd2: none, Rn: none, Rm: none, Defs: regs(core.SP, core.PC)}},
		{0xee103a90, "vmov r3, s1", insn.Inst{Op: insn.OpVMove, Rd: 3, Rd2: none, Rn: none, Rm: none, VFirst: 1, Defs: regs(3)}},
		{0xe7f00010, ".inst 0xe7f00010", insn.Inst{Flow: insn.FlowUndef, Rd: none, Rd2: none, Rn: none, Rm: none}},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			tt.want.Addr, tt.want.Raw, tt.want.Size = at, tt.word, 4
			if c := tt.word >> 28; tt.want.Cond == 0 && c != 0 {
				tt.want.Cond = insn.AL
			}
			got := decodeWord(tt.word, at)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Decode(%08x) (-want +got):\n%s", tt.word, diff)
			}
			if text := Text(got); text != tt.text {
				t.Errorf("Text(%08x) = %q, want %q", tt.word, text, tt.text)
			}
		})
	}
}

func TestDecodeTruncated(t *testing.T) {
	t.Parallel()
	for n := range 4 {
		i, err := Decode(make([]byte, n), at+2)
		if !errors.Is(err, ErrTruncated) {
			t.Errorf("Decode of %d bytes: error %v, want %v", n, err, ErrTruncated)
		}
		if i.Addr != at || i.Size != 0 || Text(i) != "" {
			t.Errorf("Decode of %d bytes = %+v with text %q", n, i, Text(i))
		}
	}
}

// TestParallelDecodes is for the race detector: armasm writes to a variable of
// its package on every decode.
func TestParallelDecodes(t *testing.T) {
	t.Parallel()
	const word = 0xe0810002
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for n := range uint32(2000) {
				i := decodeWord(word+n<<12, at)
				if want := fmt.Sprintf("add %v, r1, r2", core.Reg(n&15)); n < 16 && Text(i) != want {
					t.Errorf("Text = %q, want %q", Text(i), want)
				}
			}
		})
	}
	group.Wait()
}

// TestInvariants checks what holds for every word.
func TestInvariants(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for range 200_000 {
		checkInvariants(t, r.Uint32())
	}
}

func checkInvariants(t *testing.T, word uint32) {
	t.Helper()
	i := decodeWord(word, at)
	switch {
	case i.Size != 4 || i.Thumb || i.Raw != word:
		t.Errorf("%08x: size %d, thumb %v, raw %08x", word, i.Size, i.Thumb, i.Raw)
	case i.Flow == insn.FlowUndef && (i.Defs != 0 || i.Op != insn.OpOther):
		t.Errorf("%08x: undefined, but op %d, defs %04x", word, i.Op, i.Defs)
	case i.Flow == insn.FlowNext && i.Defs>>core.PC&1 != 0:
		t.Errorf("%08x: writes PC and goes on", word)
	case i.Writeback && i.Defs>>i.Rn&1 == 0:
		t.Errorf("%08x: writes the base back, but defs are %04x", word, i.Defs)
	case i.Flow == insn.FlowBranch && !i.TargetThumb && i.Target&3 != 0:
		t.Errorf("%08x: A32 target %v", word, i.Target)
	}
	if text := Text(i); text == "" || strings.Contains(text, "%!") {
		t.Errorf("%08x: text %q", word, text)
	}
}

func FuzzDecode(f *testing.F) {
	for _, word := range []uint32{0xe92d4010, 0xe8bd8010, 0xed2d8b04, 0xfb000002, 0x979ff103, 0xf4a8efd3, 0xffffffff, 0} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word uint32) { checkInvariants(t, word) })
}
