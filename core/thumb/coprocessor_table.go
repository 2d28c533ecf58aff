package thumb

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// coprocessorTable holds the generic coprocessor encodings (Armv8-M ARM,
// "Coprocessor instructions"). Those of coprocessors 0 to 7 may be CX1, CX2 and
// CX3 instead: that is for the maker of the chip to choose, and no encoding
// tells. Texts are the generic ones; what either of them writes is in Defs.
var coprocessorTable = []encoding{
	// Coprocessors 8 to 11 belong to the FP and vector extensions.
	{"111- 11-0 ---- ---- ---- 10-- ---- ----", "", "", nil},
	{"111- 1101 ---- ---- ---- 10-- ---- ----", "", "", nil},
	{"1110 1100 0100 uuuu tttt qqqq oooo xxxx", "mcrr<c> <coproc>, <o>, <Rt>, <Rt2>, cr<x>", "", nil},
	{"1111 1100 0100 uuuu tttt qqqq oooo xxxx", "mcrr2<c> <coproc>, <o>, <Rt>, <Rt2>, cr<x>", "", nil},
	{"1110 1100 0101 uuuu tttt qqqq oooo xxxx", "mrrc<c> <coproc>, <o>, <Rt>, <Rt2>, cr<x>", "tu", nil},
	{"1111 1100 0101 uuuu tttt qqqq oooo xxxx", "mrrc2<c> <coproc>, <o>, <Rt>, <Rt2>, cr<x>", "tu", nil},
	{"111- 1100 000- ---- ---- ---- ---- ----", "", "", nil},
	{"1110 110 P U 0 W 0 nnnn vvvv qqqq iiiiiiii", "stc<c> <coproc>, cr<v>, <cmem>", "", coprocessorMem},
	{"1110 110 P U 1 W 0 nnnn vvvv qqqq iiiiiiii", "stcl<c> <coproc>, cr<v>, <cmem>", "", coprocessorMem},
	{"1110 110 P U 0 W 1 nnnn vvvv qqqq iiiiiiii", "ldc<c> <coproc>, cr<v>, <cmem>", "", coprocessorMem},
	{"1110 110 P U 1 W 1 nnnn vvvv qqqq iiiiiiii", "ldcl<c> <coproc>, cr<v>, <cmem>", "", coprocessorMem},
	{"1111 110 P U 0 W 0 nnnn vvvv qqqq iiiiiiii", "stc2<c> <coproc>, cr<v>, <cmem>", "", coprocessorMem},
	{"1111 110 P U 1 W 0 nnnn vvvv qqqq iiiiiiii", "stc2l<c> <coproc>, cr<v>, <cmem>", "", coprocessorMem},
	{"1111 110 P U 0 W 1 nnnn vvvv qqqq iiiiiiii", "ldc2<c> <coproc>, cr<v>, <cmem>", "", coprocessorMem},
	{"1111 110 P U 1 W 1 nnnn vvvv qqqq iiiiiiii", "ldc2l<c> <coproc>, cr<v>, <cmem>", "", coprocessorMem},
	{"1110 1110 oooo wwww vvvv qqqq iii 0 xxxx", "cdp<c> <coproc>, <o>, cr<v>, cr<w>, cr<x>, {<i>}", "", customDatapath},
	{"1111 1110 oooo wwww vvvv qqqq iii 0 xxxx", "cdp2<c> <coproc>, <o>, cr<v>, cr<w>, cr<x>, {<i>}", "", customDatapath},
	{"1110 1110 ooo 0 wwww tttt qqqq iii 1 xxxx", "mcr<c> <coproc>, <o>, <Rt>, cr<w>, cr<x>, {<i>}", "", customDatapath},
	{"1111 1110 ooo 0 wwww tttt qqqq iii 1 xxxx", "mcr2<c> <coproc>, <o>, <Rt>, cr<w>, cr<x>, {<i>}", "", customDatapath},
	{"1110 1110 ooo 1 wwww 1111 qqqq iii 1 xxxx", "mrc<c> <coproc>, <o>, APSR_nzcv, cr<w>, cr<x>, {<i>}", "", customDatapath},
	{"1111 1110 ooo 1 wwww 1111 qqqq iii 1 xxxx", "mrc2<c> <coproc>, <o>, APSR_nzcv, cr<w>, cr<x>, {<i>}", "", customDatapath},
	{"1110 1110 ooo 1 wwww tttt qqqq iii 1 xxxx", "mrc<c> <coproc>, <o>, <Rt>, cr<w>, cr<x>, {<i>}", "t", customDatapath},
	{"1111 1110 ooo 1 wwww tttt qqqq iii 1 xxxx", "mrc2<c> <coproc>, <o>, <Rt>, cr<w>, cr<x>, {<i>}", "t", customDatapath},
}

// simdTable recognises Advanced SIMD, which only the A and R profiles have
// and the M-profile vector extension displaces where the two meet. It is not
// told apart further: nothing there branches, and only the element and
// structure loads and stores write a core register, their base.
var simdTable = []encoding{
	{"111- 1111 ---- ---- ---- ---- ---- ----", "<inst>", "", nil},
	{"1111 1001 ---0 nnnn ---- ---- ---- 1111", "<inst>", "", nil},
	{"1111 1001 ---0 nnnn ---- ---- ---- ----", "<inst>", "n", nil},
}

// customDatapath adds to Defs what the encoding writes on a core that has the
// custom datapath extension on coprocessors 0 to 7 (Armv8-M ARM, "CX1" to
// "CX3"): one core register, or with bit 6 an even one and the next. Bits 15:12
// name it in CX1 and CX2, bits 3:0 in CX3, which has bit 23. SP cannot be
// written, and 15 stands for the flags.
func customDatapath(i insn.Inst, _ *form) insn.Inst {
	const lastCustom, three, dual = 7, 1 << 23, 1 << 6
	if i.Raw>>8&15 > lastCustom {
		return i
	}
	first := core.Reg(i.Raw >> 12 & 15)
	if i.Raw&three != 0 {
		first = core.Reg(i.Raw & 15)
	}
	written := uint16(1) << first
	if i.Raw&dual != 0 {
		written = 3 << (first &^ 1)
	}
	i.Defs |= written &^ (1<<core.SP | 1<<core.PC)
	return i
}
