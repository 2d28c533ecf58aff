package thumb

import (
	"errors"
	"math/bits"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/insn"
)

// inst fills in what every T32 instruction of the table has in common.
func inst(raw uint32, i insn.Inst) insn.Inst {
	i.Addr, i.Raw, i.Size, i.Thumb = 0x1000, raw, 2, true
	if raw > 0xffff {
		i.Size = 4
	}
	return i
}

const none = core.NoReg

func mask(regs ...core.Reg) uint16 {
	var m uint16
	for _, r := range regs {
		m |= 1 << r
	}
	return m
}

// semanticsCases has every field of one instruction of each kind, at 0x1000.
var semanticsCases = []struct {
	text string
	want insn.Inst
}{
	{"stmdb sp!, {r4, r5, r7, r8, r9, lr}", inst(0xe92d43b0, insn.Inst{Op: insn.OpStoreMulti, Cond: insn.AL, Rd: none, Rd2: none, Rn: core.SP, Rm: none, List: 0x43b0, Multi: insn.DB, Writeback: true, Defs: mask(core.SP)})},
	{"push {r4, lr}", inst(0xb510, insn.Inst{Op: insn.OpStoreMulti, Cond: insn.AL, Rd: none, Rd2: none, Rn: core.SP, Rm: none, List: 0x4010, Multi: insn.DB, Writeback: true, Defs: mask(core.SP)})},
	{"pop {r4, pc}", inst(0xbd10, insn.Inst{Op: insn.OpLoadMulti, Flow: insn.FlowLoad, Cond: insn.AL, Rd: none, Rd2: none, Rn: core.SP, Rm: none, List: 0x8010, Writeback: true, Defs: mask(core.R4, core.SP, core.PC)})},
	{"ldmia.w sp!, {r4, r5, r6, r7, pc}", inst(0xe8bd80f0, insn.Inst{Op: insn.OpLoadMulti, Flow: insn.FlowLoad, Cond: insn.AL, Rd: none, Rd2: none, Rn: core.SP, Rm: none, List: 0x80f0, Writeback: true, Defs: mask(core.R4, core.R5, core.R6, core.R7, core.SP, core.PC)})},
	{"ldmia r3, {r3}", inst(0xcb08, insn.Inst{Op: insn.OpLoadMulti, Cond: insn.AL, Rd: none, Rd2: none, Rn: core.R3, Rm: none, List: 8, Defs: mask(core.R3)})},
	{"sub sp, #24", inst(0xb086, insn.Inst{Op: insn.OpAdd, Cond: insn.AL, Rd: core.SP, Rd2: none, Rn: core.SP, Rm: none, Imm: -24, Defs: mask(core.SP)})},
	{"add sp, #508", inst(0xb07f, insn.Inst{Op: insn.OpAdd, Cond: insn.AL, Rd: core.SP, Rd2: none, Rn: core.SP, Rm: none, Imm: 508, Defs: mask(core.SP)})},
	{"sub.w sp, sp, #4096", inst(0xf5ad5d80, insn.Inst{Op: insn.OpAdd, Cond: insn.AL, Rd: core.SP, Rd2: none, Rn: core.SP, Rm: none, Imm: -4096, Defs: mask(core.SP)})},
	{"subw sp, sp, #4095", inst(0xf6ad7dff, insn.Inst{Op: insn.OpAdd, Cond: insn.AL, Rd: core.SP, Rd2: none, Rn: core.SP, Rm: none, Imm: -4095, Defs: mask(core.SP)})},
	{"add sp, r3", inst(0x449d, insn.Inst{Op: insn.OpAddReg, Cond: insn.AL, Rd: core.SP, Rd2: none, Rn: core.SP, Rm: core.R3, Defs: mask(core.SP)})},
	{"add pc, r3", inst(0x449f, insn.Inst{Op: insn.OpAddReg, Flow: insn.FlowOther, Cond: insn.AL, Rd: core.PC, Rd2: none, Rn: core.PC, Rm: core.R3, Defs: mask(core.PC)})},
	{"add r7, sp, #16", inst(0xaf04, insn.Inst{Op: insn.OpAdd, Cond: insn.AL, Rd: core.R7, Rd2: none, Rn: core.SP, Rm: none, Imm: 16, Defs: mask(core.R7)})},
	{"add.w r2, sp, r3, lsl #2", inst(0xeb0d0283, insn.Inst{Op: insn.OpAddReg, Cond: insn.AL, Rd: core.R2, Rd2: none, Rn: core.SP, Rm: core.R3, Shift: 2, Defs: mask(core.R2)})},
	{"addw r3, pc, #4", inst(0xf20f0304, insn.Inst{Op: insn.OpAdd, Cond: insn.AL, Rd: core.R3, Rd2: none, Rn: core.PC, Rm: none, Imm: 4, Defs: mask(core.R3)})},
	{"mov sp, r7", inst(0x46bd, insn.Inst{Op: insn.OpMove, Cond: insn.AL, Rd: core.SP, Rd2: none, Rn: none, Rm: core.R7, Defs: mask(core.SP)})},
	{"mov pc, lr", inst(0x46f7, insn.Inst{Op: insn.OpMove, Flow: insn.FlowReg, Cond: insn.AL, Rd: core.PC, Rd2: none, Rn: none, Rm: core.LR, Defs: mask(core.PC)})},
	{"movs r0, r1", inst(0x0008, insn.Inst{Op: insn.OpMove, Cond: insn.AL, Rd: core.R0, Rd2: none, Rn: none, Rm: core.R1, Defs: mask(core.R0)})},
	{"negs r0, r1", inst(0x4248, insn.Inst{Op: insn.OpRsb, Cond: insn.AL, Rd: core.R0, Rd2: none, Rn: core.R1, Rm: none, Defs: mask(core.R0)})},
	{"movw r0, #65535", inst(0xf64f70ff, insn.Inst{Op: insn.OpConst, Cond: insn.AL, Rd: core.R0, Rd2: none, Rn: none, Rm: none, Imm: 0xffff, Defs: mask(core.R0)})},
	{"movt r0, #8192", inst(0xf2c20000, insn.Inst{Op: insn.OpMovTop, Cond: insn.AL, Rd: core.R0, Rd2: none, Rn: none, Rm: none, Imm: 0x2000, Defs: mask(core.R0)})},
	{"mvn.w r0, #7", inst(0xf06f0007, insn.Inst{Op: insn.OpConst, Cond: insn.AL, Rd: core.R0, Rd2: none, Rn: none, Rm: none, Imm: -8, Defs: mask(core.R0)})},
	{"bic.w r3, r3, #7", inst(0xf0230307, insn.Inst{Op: insn.OpAnd, Cond: insn.AL, Rd: core.R3, Rd2: none, Rn: core.R3, Rm: none, Imm: -8, Defs: mask(core.R3)})},
	{"bfc r0, #0, #3", inst(0xf36f0002, insn.Inst{Op: insn.OpAnd, Cond: insn.AL, Rd: core.R0, Rd2: none, Rn: core.R0, Rm: none, Imm: -8, Defs: mask(core.R0)})},
	{"bfc r0, #0, #32", inst(0xf36f001f, insn.Inst{Op: insn.OpAnd, Cond: insn.AL, Rd: core.R0, Rd2: none, Rn: core.R0, Rm: none, Imm: 0, Defs: mask(core.R0)})},
	{"lsrs r0, r1, #32", inst(0x0808, insn.Inst{Op: insn.OpLsr, Cond: insn.AL, Rd: core.R0, Rd2: none, Rn: none, Rm: core.R1, Imm: 32, Defs: mask(core.R0)})},
	{"cmp r3, #7", inst(0x2b07, insn.Inst{Op: insn.OpCmp, Cond: insn.AL, Rd: none, Rd2: none, Rn: core.R3, Rm: none, Imm: 7})},
	{"str.w lr, [sp, #-4]!", inst(0xf84ded04, insn.Inst{Op: insn.OpStore, Cond: insn.AL, Rd: core.LR, Rd2: none, Rn: core.SP, Rm: none, Imm: -4, Index: insn.PreIndex, Writeback: true, Defs: mask(core.SP)})},
	{"ldr.w pc, [sp], #4", inst(0xf85dfb04, insn.Inst{Op: insn.OpLoad, Flow: insn.FlowLoad, Cond: insn.AL, Rd: core.PC, Rd2: none, Rn: core.SP, Rm: none, Imm: 4, Index: insn.PostIndex, Writeback: true, Defs: mask(core.SP, core.PC)})},
	{"ldr r0, [pc, #16]", inst(0x4804, insn.Inst{Op: insn.OpLoad, Cond: insn.AL, Rd: core.R0, Rd2: none, Rn: core.PC, Rm: none, Imm: 16, Defs: mask(core.R0)})},
	{"ldr.w r0, [pc, #-16]", inst(0xf85f0010, insn.Inst{Op: insn.OpLoad, Cond: insn.AL, Rd: core.R0, Rd2: none, Rn: core.PC, Rm: none, Imm: -16, Defs: mask(core.R0)})},
	{"ldr.w pc, [r3, r0, lsl #2]", inst(0xf853f020, insn.Inst{Op: insn.OpLoad, Flow: insn.FlowLoad, Cond: insn.AL, Rd: core.PC, Rd2: none, Rn: core.R3, Rm: core.R0, Shift: 2, Index: insn.RegOffset, Defs: mask(core.PC)})},
	{"strd r4, lr, [sp, #-16]!", inst(0xe96d4e04, insn.Inst{Op: insn.OpStoreDual, Cond: insn.AL, Rd: core.R4, Rd2: core.LR, Rn: core.SP, Rm: none, Imm: -16, Index: insn.PreIndex, Writeback: true, Defs: mask(core.SP)})},
	{"ldrd r1, r2, [r3, #16]", inst(0xe9d31204, insn.Inst{Op: insn.OpLoadDual, Cond: insn.AL, Rd: core.R1, Rd2: core.R2, Rn: core.R3, Rm: none, Imm: 16, Defs: mask(core.R1, core.R2)})},
	{"strb.w r0, [r1], #1", inst(0xf8010b01, insn.Inst{Op: insn.OpStoreSub, Cond: insn.AL, Rd: core.R0, Rd2: none, Rn: core.R1, Rm: none, Imm: 1, Index: insn.PostIndex, Writeback: true, Defs: mask(core.R1)})},
	{"vpush {d8-d9}", inst(0xed2d8b04, insn.Inst{Op: insn.OpVStore, Cond: insn.AL, Rd: none, Rd2: none, Rn: core.SP, Rm: none, Multi: insn.DB, Writeback: true, VFirst: 16, Words: 4, Defs: mask(core.SP)})},
	{"vpush {s16-s19}", inst(0xed2d8a04, insn.Inst{Op: insn.OpVStore, Cond: insn.AL, Rd: none, Rd2: none, Rn: core.SP, Rm: none, Multi: insn.DB, Writeback: true, VFirst: 16, Words: 4, Defs: mask(core.SP)})},
	{"fldmiax sp!, {d8-d9}", inst(0xecbd8b05, insn.Inst{Op: insn.OpVLoad, Cond: insn.AL, Rd: none, Rd2: none, Rn: core.SP, Rm: none, Writeback: true, VFirst: 16, Words: 5, Defs: mask(core.SP)})},
	{"beq.n 0x1000", inst(0xd0fe, insn.Inst{Flow: insn.FlowBranch, Cond: insn.EQ, Target: 0x1000, TargetThumb: true, Rd: none, Rd2: none, Rn: none, Rm: none, Defs: mask(core.PC)})},
	{"cbnz r3, 0x1082", inst(0xbbfb, insn.Inst{Flow: insn.FlowBranch, Cond: insn.CondReg, Target: 0x1082, TargetThumb: true, Rd: none, Rd2: none, Rn: core.R3, Rm: none, Defs: mask(core.PC)})},
	{"bl 0x1000", inst(0xf7fffffe, insn.Inst{Flow: insn.FlowCall, Cond: insn.AL, Target: 0x1000, TargetThumb: true, Rd: none, Rd2: none, Rn: none, Rm: none, Defs: mask(core.LR, core.PC)})},
	{"blx 0x1004", inst(0xf000e800, insn.Inst{Flow: insn.FlowCall, Cond: insn.AL, Target: 0x1004, Rd: none, Rd2: none, Rn: none, Rm: none, Defs: mask(core.LR, core.PC)})},
	{"blx r3", inst(0x4798, insn.Inst{Flow: insn.FlowCallReg, Cond: insn.AL, Rd: none, Rd2: none, Rn: none, Rm: core.R3, Defs: mask(core.LR, core.PC)})},
	{"bxns lr", inst(0x4774, insn.Inst{Flow: insn.FlowReg, Cond: insn.AL, Rd: none, Rd2: none, Rn: none, Rm: core.LR, Defs: mask(core.PC)})},
	{"bxaut r12, lr, sp", inst(0xfb5ecf1d, insn.Inst{Op: insn.OpAUT, Flow: insn.FlowReg, Cond: insn.AL, Rd: none, Rd2: none, Rn: core.SP, Rm: core.LR, Defs: mask(core.PC)})},
	{"tbh [pc, r0, lsl #1]", inst(0xe8dff010, insn.Inst{Flow: insn.FlowTable, Cond: insn.AL, Rd: none, Rd2: none, Rn: core.PC, Rm: core.R0, Scale: 2, Defs: mask(core.PC)})},
	{"le lr, 0xff4", inst(0xf00fc009, insn.Inst{Flow: insn.FlowBranch, Cond: insn.CondReg, Target: 0xff4, TargetThumb: true, Rd: none, Rd2: none, Rn: none, Rm: none, Defs: mask(core.LR, core.PC)})},
	{"itte ne", inst(0xbf1a, insn.Inst{Op: insn.OpIT, Cond: insn.NE, Rd: none, Rd2: none, Rn: none, Rm: none, Imm: 10})},
	{"mrs r0, PSP", inst(0xf3ef8009, insn.Inst{Op: insn.OpMRS, Cond: insn.AL, Rd: core.R0, Rd2: none, Rn: none, Rm: none, Imm: 9, Defs: mask(core.R0)})},
	{"msr MSP, r0", inst(0xf3808808, insn.Inst{Op: insn.OpMSR, Cond: insn.AL, Rd: none, Rd2: none, Rn: core.R0, Rm: none, Imm: 8})},
	{"svc #3", inst(0xdf03, insn.Inst{Op: insn.OpSVC, Cond: insn.AL, Rd: none, Rd2: none, Rn: none, Rm: none, Imm: 3})},
	{"bkpt #171", inst(0xbeab, insn.Inst{Op: insn.OpBKPT, Cond: insn.AL, Rd: none, Rd2: none, Rn: none, Rm: none, Imm: 0xab})},
	{"udf #0", inst(0xde00, insn.Inst{Flow: insn.FlowTrap, Cond: insn.AL, Rd: none, Rd2: none, Rn: none, Rm: none})},
	{"pac r12, lr, sp", inst(0xf3af801d, insn.Inst{Op: insn.OpPAC, Cond: insn.AL, Rd: core.R12, Rd2: none, Rn: none, Rm: none, Defs: mask(core.R12)})},
	{"vlstm r0", inst(0xec200a00, insn.Inst{Op: insn.OpVSave, Cond: insn.AL, Rd: none, Rd2: none, Rn: core.R0, Rm: none})},
	{"subs pc, lr, #4", inst(0xf3de8f04, insn.Inst{ExceptionReturn: true, Flow: insn.FlowOther, Cond: insn.AL, Rd: none, Rd2: none, Rn: none, Rm: none, Defs: mask(core.PC)})},
	{"rfeia r3!", inst(0xe9b3c000, insn.Inst{ExceptionReturn: true, Flow: insn.FlowOther, Cond: insn.AL, Rd: none, Rd2: none, Rn: core.R3, Rm: none, Writeback: true, Defs: mask(core.R3, core.PC)})},
	{"umlal r0, r1, r2, r3", inst(0xfbe20103, insn.Inst{Cond: insn.AL, Rd: none, Rd2: none, Rn: core.R2, Rm: core.R3, Defs: mask(core.R0, core.R1)})},
}

// TestSemantics compares all fields and the text.
func TestSemantics(t *testing.T) {
	t.Parallel()
	for _, tc := range semanticsCases {
		got := decodeRaw(tc.want.Raw, tc.want.Size, 0x1000)
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tc.text, d)
		}
		if text := Text(got, insn.AL); text != tc.text {
			t.Errorf("%08x: text %q, want %q", tc.want.Raw, text, tc.text)
		}
	}
}

// TestPushMask takes the size pushed from the mask, 4 bytes for each set bit
// (the published push-mask method), for every mask of STMDB SP! and PUSH.
func TestPushMask(t *testing.T) {
	t.Parallel()
	for list := range uint32(1 << 16) {
		i := decodeRaw(0xe92d0000|list, 4, 0)
		if i.Op != insn.OpStoreMulti || i.Rn != core.SP || !i.Writeback || i.Multi != insn.DB || uint32(i.List) != list {
			t.Fatalf("stmdb sp!, mask %04x: %+v", list, i)
		}
		if got, want := 4*bits.OnesCount16(i.List), 4*bits.OnesCount32(list); got != want {
			t.Fatalf("mask %04x pushes %d bytes, want %d", list, got, want)
		}
	}
	for m := range uint32(1 << 9) {
		i := decodeRaw(0xb400|m, 2, 0)
		if want := uint16(m&0xff | m>>8<<14); i.List != want || i.Op != insn.OpStoreMulti {
			t.Fatalf("push %03x: list %04x, want %04x", m, i.List, want)
		}
	}
}

// TestWorkedExample is the example that the push-mask method is published
// with: mask 0x43b0 has 6 set bits, so 24 bytes, and SUB SP adds 24.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	code := []byte{0x2d, 0xe9, 0xb0, 0x43, 0x86, 0xb0}
	push, err := Decode(code, 0x10834826)
	if err != nil {
		t.Fatal(err)
	}
	sub, err := Decode(code[push.Size:], push.Next())
	if err != nil {
		t.Fatal(err)
	}
	if push.List != 0x43b0 || bits.OnesCount16(push.List)*4 != 24 || sub.Addr != 0x1083482a || sub.Imm != -24 {
		t.Errorf("push %+v, sub %+v", push, sub)
	}
}

// TestExpandImm covers ThumbExpandImm through SUB.W SP, SP, #const.
func TestExpandImm(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ imm12, want uint32 }{
		{0x000, 0}, {0x0ff, 0xff}, {0x1ab, 0x00ab00ab}, {0x2ab, 0xab00ab00}, {0x3ab, 0xabababab},
		{0x400, 0x80000000}, {0x4ff, 0x7f800000}, {0x480, 0x40000000},
		{0xd80, 0x1000}, {0xf00, 0x200}, {0xf80, 0x100}, {0xfff, 0x1fe}, {0xe80, 0x400},
	} {
		raw := 0xf1ad0d00 | tc.imm12>>11<<26 | tc.imm12>>8&7<<12 | tc.imm12&0xff
		i := decodeRaw(raw, 4, 0)
		if i.Op != insn.OpAdd || uint32(-i.Imm) != tc.want {
			t.Errorf("sub.w sp, sp, const %03x: %#x, want %#x", tc.imm12, uint32(-i.Imm), tc.want)
		}
	}
}

func TestTruncated(t *testing.T) {
	t.Parallel()
	for _, b := range [][]byte{nil, {0x2d}, {0x2d, 0xe9}, {0x2d, 0xe9, 0xb0}} {
		i, err := Decode(b, 0x1001)
		if !errors.Is(err, ErrTruncated) || i.Addr != 0x1000 || i.Size != 0 {
			t.Errorf("% x: %+v, %v", b, i, err)
		}
	}
}

// TestUndefined has unallocated encodings of both lengths.
func TestUndefined(t *testing.T) {
	t.Parallel()
	for raw, text := range map[uint32]string{
		0xb600:     ".inst.n 0xb600",
		0xe8000000: ".inst.w 0xe8000000",
		0xf84f0000: ".inst.w 0xf84f0000", // STR to [pc]
		0xf7f08001: "smc #0",
		0xfb900000: ".inst.w 0xfb900000",
	} {
		size := uint8(4)
		if raw < 1<<16 {
			size = 2
		}
		i := decodeRaw(raw, size, 0)
		if got := Text(i, insn.AL); got != text || i.Size != size {
			t.Errorf("%x: text %q, size %d", raw, got, i.Size)
		}
		if undefined := text[0] == '.'; undefined != (i.Flow == insn.FlowUndef) {
			t.Errorf("%x: flow %d", raw, i.Flow)
		}
	}
}
