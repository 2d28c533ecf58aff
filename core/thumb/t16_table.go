package thumb

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// t16Table holds the 16-bit encodings (Armv8-M ARM, "16-bit T32 instruction
// encoding"; SETEND, SETPAN, HLT from the Armv8-A ARM).
var t16Table = []encoding{
	// Shift (immediate), add, subtract, move, compare.
	{"00000 00000 mmm ddd", "mov<s> <Rd>, <Rm>", "d", move},
	{"00000 iiiii mmm ddd", "lsl<s> <Rd>, <Rm>, #<i>", "d", shiftLeft},
	{"00001 iiiii mmm ddd", "lsr<s> <Rd>, <Rm>, <sh32>", "d", shiftRight},
	{"00010 iiiii mmm ddd", "asr<s> <Rd>, <Rm>, <sh32>", "d", nil},
	{"0001100 mmm nnn ddd", "add<s> <Rd>, <Rn>, <Rm>", "d", op(insn.OpAddReg)},
	{"0001101 mmm nnn ddd", "sub<s> <Rd>, <Rn>, <Rm>", "d", op(insn.OpSubReg)},
	{"0001110 iii nnn ddd", "add<s> <Rd>, <Rn>, #<i>", "d", addImm},
	{"0001111 iii nnn ddd", "sub<s> <Rd>, <Rn>, #<i>", "d", subImm},
	{"00100 ddd iiiiiiii", "mov<s> <Rd>, #<i>", "d", constImm},
	{"00101 nnn iiiiiiii", "cmp<c> <Rn>, #<i>", "", cmpImm},
	{"00110 ddd iiiiiiii", "add<s> <Rd>, #<i>", "d", toSelf(addImm)},
	{"00111 ddd iiiiiiii", "sub<s> <Rd>, #<i>", "d", toSelf(subImm)},

	// Data processing (two low registers).
	{"0100000000 mmm ddd", "and<s> <Rd>, <Rm>", "d", nil},
	{"0100000001 mmm ddd", "eor<s> <Rd>, <Rm>", "d", nil},
	{"0100000010 mmm ddd", "lsl<s> <Rd>, <Rm>", "d", nil},
	{"0100000011 mmm ddd", "lsr<s> <Rd>, <Rm>", "d", nil},
	{"0100000100 mmm ddd", "asr<s> <Rd>, <Rm>", "d", nil},
	{"0100000101 mmm ddd", "adc<s> <Rd>, <Rm>", "d", nil},
	{"0100000110 mmm ddd", "sbc<s> <Rd>, <Rm>", "d", nil},
	{"0100000111 mmm ddd", "ror<s> <Rd>, <Rm>", "d", nil},
	{"0100001000 mmm nnn", "tst<c> <Rn>, <Rm>", "", nil},
	{"0100001001 nnn ddd", "neg<s> <Rd>, <Rn>", "d", op(insn.OpRsb)},
	{"0100001010 mmm nnn", "cmp<c> <Rn>, <Rm>", "", nil},
	{"0100001011 mmm nnn", "cmn<c> <Rn>, <Rm>", "", nil},
	{"0100001100 mmm ddd", "orr<s> <Rd>, <Rm>", "d", nil},
	{"0100001101 mmm ddd", "mul<s> <Rd>, <Rm>", "d", nil},
	{"0100001110 mmm ddd", "bic<s> <Rd>, <Rm>", "d", nil},
	{"0100001111 mmm ddd", "mvn<s> <Rd>, <Rm>", "d", nil},

	// Special data and branch and exchange.
	{"01000100 d mmmm ddd", "add<c> <Rd>, <Rm>", "d", toSelf(op(insn.OpAddReg))},
	{"01000101 n mmmm nnn", "cmp<c> <Rn>, <Rm>", "", nil},
	{"01000110 d mmmm ddd", "mov<c> <Rd>, <Rm>", "d", move},
	{"010001110 mmmm 100", "bxns<c> <Rm>", "P", branchReg},
	{"010001110 mmmm ---", "bx<c> <Rm>", "P", branchReg},
	{"010001111 mmmm 100", "blxns<c> <Rm>", "L", callReg},
	{"010001111 mmmm 000", "blx<c> <Rm>", "L", callReg},

	// Load and store.
	{"01001 ttt iiiiiiii", "ldr<c> <Rt>, <mem>", "", loadLiteral},
	{"0101000 mmm nnn ttt", "str<c> <Rt>, <mem>", "", regOffset(insn.OpStore)},
	{"0101001 mmm nnn ttt", "strh<c> <Rt>, <mem>", "", regOffset(insn.OpStoreSub)},
	{"0101010 mmm nnn ttt", "strb<c> <Rt>, <mem>", "", regOffset(insn.OpStoreSub)},
	{"0101011 mmm nnn ttt", "ldrsb<c> <Rt>, <mem>", "", regOffset(insn.OpLoadSub)},
	{"0101100 mmm nnn ttt", "ldr<c> <Rt>, <mem>", "", regOffset(insn.OpLoad)},
	{"0101101 mmm nnn ttt", "ldrh<c> <Rt>, <mem>", "", regOffset(insn.OpLoadSub)},
	{"0101110 mmm nnn ttt", "ldrb<c> <Rt>, <mem>", "", regOffset(insn.OpLoadSub)},
	{"0101111 mmm nnn ttt", "ldrsh<c> <Rt>, <mem>", "", regOffset(insn.OpLoadSub)},
	{"01100 iiiii nnn ttt", "str<c> <Rt>, <mem>", "", immOffset(insn.OpStore, 4)},
	{"01101 iiiii nnn ttt", "ldr<c> <Rt>, <mem>", "", immOffset(insn.OpLoad, 4)},
	{"01110 iiiii nnn ttt", "strb<c> <Rt>, <mem>", "", immOffset(insn.OpStoreSub, 1)},
	{"01111 iiiii nnn ttt", "ldrb<c> <Rt>, <mem>", "", immOffset(insn.OpLoadSub, 1)},
	{"10000 iiiii nnn ttt", "strh<c> <Rt>, <mem>", "", immOffset(insn.OpStoreSub, 2)},
	{"10001 iiiii nnn ttt", "ldrh<c> <Rt>, <mem>", "", immOffset(insn.OpLoadSub, 2)},
	{"10010 ttt iiiiiiii", "str<c> <Rt>, <mem>", "", spOffset(insn.OpStore)},
	{"10011 ttt iiiiiiii", "ldr<c> <Rt>, <mem>", "", spOffset(insn.OpLoad)},
	{"11000 nnn rrrrrrrr", "stmia<c> <Rn>!, <list>", "", storeMulti},
	{"11001 nnn rrrrrrrr", "ldmia<c> <Rn><wb>, <list>", "", loadMulti},

	// Generate PC- and SP-relative address.
	{"10100 ddd iiiiiiii", "add<c> <Rd>, pc, #<i*4>", "d", addBase(core.PC, 4)},
	{"10101 ddd iiiiiiii", "add<c> <Rd>, sp, #<i*4>", "d", addBase(core.SP, 4)},

	// Miscellaneous.
	{"101100000 iiiiiii", "add<c> sp, #<i*4>", "", adjustSP(+4)},
	{"101100001 iiiiiii", "sub<c> sp, #<i*4>", "", adjustSP(-4)},
	{"1011 00 i 1 iiiii nnn", "cbz <Rn>, <target>", "", compareBranch},
	{"1011 10 i 1 iiiii nnn", "cbnz <Rn>, <target>", "", compareBranch},
	{"1011001000 mmm ddd", "sxth<c> <Rd>, <Rm>", "d", nil},
	{"1011001001 mmm ddd", "sxtb<c> <Rd>, <Rm>", "d", nil},
	{"1011001010 mmm ddd", "uxth<c> <Rd>, <Rm>", "d", nil},
	{"1011001011 mmm ddd", "uxtb<c> <Rd>, <Rm>", "d", nil},
	{"1011010 l rrrrrrrr", "push<c> <list>", "", push},
	{"1011110 l rrrrrrrr", "pop<c> <list>", "", pop},
	{"101101100001 e 000", "setpan #<e>", "", nil},
	{"101101100101 e 000", "setend <endian>", "", nil},
	{"101101100110 0 fff", "cpsie <iflags>", "", nil},
	{"101101100111 0 fff", "cpsid <iflags>", "", nil},
	{"1011101000 mmm ddd", "rev<c> <Rd>, <Rm>", "d", nil},
	{"1011101001 mmm ddd", "rev16<c> <Rd>, <Rm>", "d", nil},
	{"1011101010 iiiiii", "hlt #<i>", "", nil},
	{"1011101011 mmm ddd", "revsh<c> <Rd>, <Rm>", "d", nil},
	{"10111110 iiiiiiii", "bkpt #<i>", "", number(insn.OpBKPT)},
	{"10111111 0000 0000", "nop<c>", "", nil},
	{"10111111 0001 0000", "yield<c>", "", nil},
	{"10111111 0010 0000", "wfe<c>", "", nil},
	{"10111111 0011 0000", "wfi<c>", "", nil},
	{"10111111 0100 0000", "sev<c>", "", nil},
	{"10111111 0101 0000", "sevl<c>", "", nil},
	{"10111111 iiii 0000", "nop<c> {<i>}", "", nil},
	{"10111111 cccc iiii", "it<pattern> <firstcond>", "", ifThen},

	// Branches and exceptions.
	{"11011110 iiiiiiii", "udf<c> #<i>", "", trap},
	{"11011111 iiiiiiii", "svc<c> #<i>", "", number(insn.OpSVC)},
	{"1101 cccc iiiiiiii", "b<cond>.n <target>", "", branchCond16},
	{"11100 iiiiiiiiiii", "b<c>.n <target>", "", branch16},
}
