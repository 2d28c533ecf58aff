package thumb

import "pushmask/core/insn"

// fpTable holds the floating-point extension (Armv8-M ARM, "Floating-point
// load/store and 64-bit register moves", "Floating-point data-processing").
var fpTable = []encoding{
	// Context save and multiple transfers, which the unwinder follows.
	{"1110 1100 0010 nnnn ---- 1010 - -------", "vlstm<c> <Rn>", "", op(insn.OpVSave)},
	{"1110 1100 0011 nnnn ---- 1010 - -------", "vlldm<c> <Rn>", "", op(insn.OpVRestore)},
	{"1110 1100 1 D 0 1 1111 vvvv 1010 iiiiiiii", "vscclrm<c> <sclrlist>", "", nil},
	{"1110 1100 1 D 0 1 1111 vvvv 1011 iiiiiii 0", "vscclrm<c> <dclrlist>", "", nil},
	{"1110 1101 0 D 1 0 1101 vvvv 1010 iiiiiiii", "vpush<c> <slist>", "", onSP(vectorMulti(insn.OpVStore, insn.DB, false))},
	{"1110 1101 0 D 1 0 1101 vvvv 1011 iiiiiii 0", "vpush<c> <dlist>", "", onSP(vectorMulti(insn.OpVStore, insn.DB, true))},
	{"1110 1100 1 D 1 1 1101 vvvv 1010 iiiiiiii", "vpop<c> <slist>", "", onSP(vectorMulti(insn.OpVLoad, insn.IA, false))},
	{"1110 1100 1 D 1 1 1101 vvvv 1011 iiiiiii 0", "vpop<c> <dlist>", "", onSP(vectorMulti(insn.OpVLoad, insn.IA, true))},
	{"1110 1101 0 D 1 0 nnnn vvvv 1010 iiiiiiii", "vstmdb<c> <Rn>!, <slist>", "", vectorMulti(insn.OpVStore, insn.DB, false)},
	{"1110 1101 0 D 1 0 nnnn vvvv 1011 iiiiiii 0", "vstmdb<c> <Rn>!, <dlist>", "", vectorMulti(insn.OpVStore, insn.DB, true)},
	{"1110 1101 0 D 1 0 nnnn vvvv 1011 iiiiiii 1", "fstmdbx<c> <Rn>!, <dlist>", "", vectorMulti(insn.OpVStore, insn.DB, true)},
	{"1110 1101 0 D 1 1 nnnn vvvv 1010 iiiiiiii", "vldmdb<c> <Rn>!, <slist>", "", vectorMulti(insn.OpVLoad, insn.DB, false)},
	{"1110 1101 0 D 1 1 nnnn vvvv 1011 iiiiiii 0", "vldmdb<c> <Rn>!, <dlist>", "", vectorMulti(insn.OpVLoad, insn.DB, true)},
	{"1110 1101 0 D 1 1 nnnn vvvv 1011 iiiiiii 1", "fldmdbx<c> <Rn>!, <dlist>", "", vectorMulti(insn.OpVLoad, insn.DB, true)},
	{"1110 1100 1 D W 0 nnnn vvvv 1010 iiiiiiii", "vstmia<c> <Rn><wb>, <slist>", "", vectorMulti(insn.OpVStore, insn.IA, false)},
	{"1110 1100 1 D W 0 nnnn vvvv 1011 iiiiiii 0", "vstmia<c> <Rn><wb>, <dlist>", "", vectorMulti(insn.OpVStore, insn.IA, true)},
	{"1110 1100 1 D W 0 nnnn vvvv 1011 iiiiiii 1", "fstmiax<c> <Rn><wb>, <dlist>", "", vectorMulti(insn.OpVStore, insn.IA, true)},
	{"1110 1100 1 D W 1 nnnn vvvv 1010 iiiiiiii", "vldmia<c> <Rn><wb>, <slist>", "", vectorMulti(insn.OpVLoad, insn.IA, false)},
	{"1110 1100 1 D W 1 nnnn vvvv 1011 iiiiiii 0", "vldmia<c> <Rn><wb>, <dlist>", "", vectorMulti(insn.OpVLoad, insn.IA, true)},
	{"1110 1100 1 D W 1 nnnn vvvv 1011 iiiiiii 1", "fldmiax<c> <Rn><wb>, <dlist>", "", vectorMulti(insn.OpVLoad, insn.IA, true)},
}

// coprocessorTable holds the generic coprocessor encodings (Armv8-M ARM,
// "Coprocessor instructions").
var coprocessorTable = []encoding{
	{"111 - 1110 --- 1 ---- tttt ---- --- 1 ----", "mrc", "t", nil},
	{"111 - 1100 0101 uuuu tttt ---- ---- ----", "mrrc", "tu", nil},
	{"111 - 11-- ---- ---- ---- ---- ---- ----", "cdp", "", nil},
}
