package a32

import "pushmask/core/insn"

// conditional lists the instructions with a condition field (Arm ARM DDI
// 0406C and DDI 0487, "A32 instruction set encoding"). Narrower forms stand
// before wider ones that contain them.
var conditional = []form{
	// Multiply, MLA, UMAAL, MLS, long multiplies.
	{0x0fe000f0, 0x00000090, def(16)},
	{0x0fe000f0, 0x00200090, def(16)},
	{0x0ff000f0, 0x00400090, def(12, 16)},
	{0x0ff000f0, 0x00600090, def(16)},
	{0x0f8000f0, 0x00800090, def(12, 16)},

	// SWP, SWPB; exclusive, release and acquire accesses of v6 to v8.
	{0x0fb00ff0, 0x01000090, def(12)},
	{0x0f900ff0, 0x01800f90, def(12)},
	{0x0ff00fff, 0x01b00f9f, defPair},
	{0x0f900fff, 0x01900f9f, def(12)},
	{0x0f900ff0, 0x01800e90, def(12)},
	{0x0ff00fff, 0x01b00e9f, defPair},
	{0x0f900fff, 0x01900e9f, def(12)},
	{0x0ff0fff0, 0x0180fc90, nothing},
	{0x0fd0fff0, 0x01c0fc90, nothing},
	{0x0ff00fff, 0x01900c9f, def(12)},
	{0x0fd00fff, 0x01d00c9f, def(12)},

	// STRH, LDRH, LDRD, LDRSB, STRD, LDRSH.
	{0x0e1000f0, 0x000000b0, extra(insn.OpStoreSub)},
	{0x0e1000f0, 0x001000b0, extra(insn.OpLoadSub)},
	{0x0e1000f0, 0x000000d0, extra(insn.OpLoadDual)},
	{0x0e1000f0, 0x001000d0, extra(insn.OpLoadSub)},
	{0x0e1000f0, 0x000000f0, extra(insn.OpStoreDual)},
	{0x0e1000f0, 0x001000f0, extra(insn.OpLoadSub)},

	// MRS, MSR, of the current mode and banked.
	{0x0fbf0fff, 0x010f0000, readStatus},
	{0x0fb0fff0, 0x0120f000, writeStatus},
	{0x0fb00eff, 0x01000200, def(12)},
	{0x0fb0fef0, 0x0120f200, nothing},

	// BX, BXJ, BLX, CLZ, CRC32, saturating arithmetic, ERET, HLT, BKPT, HVC, SMC.
	{0x0ffffff0, 0x012fff10, branchReg},
	{0x0ffffff0, 0x012fff20, branchReg},
	{0x0ffffff0, 0x012fff30, callReg},
	{0x0fff0ff0, 0x016f0f10, def(12)},
	{0x0ff00df0, 0x01000040, def(12)},
	{0x0ff00df0, 0x01200040, def(12)},
	{0x0ff00df0, 0x01400040, def(12)},
	{0x0f900ff0, 0x01000050, def(12)},
	{0x0fffffff, 0x0160006e, exceptionReturn},
	{0x0ff000f0, 0x01000070, nothing},
	{0x0ff000f0, 0x01200070, breakpoint},
	{0x0ff000f0, 0x01400070, nothing},
	{0x0ffffff0, 0x01600070, nothing},

	// Halfword multiplies: SMLAxy, SMLAWy, SMULWy, SMLALxy, SMULxy.
	{0x0ff00090, 0x01000080, def(16)},
	{0x0ff000b0, 0x01200080, def(16)},
	{0x0ff0f0b0, 0x012000a0, def(16)},
	{0x0ff00090, 0x01400080, def(12, 16)},
	{0x0ff0f090, 0x01600080, def(16)},

	// Data processing, register: AND EOR SUB RSB ADD ADC SBC RSC.
	{0x0fe00010, 0x00000000, def(12)},
	{0x0fe00010, 0x00200000, def(12)},
	{0x0fe00010, 0x00400000, arithmeticReg(insn.OpSubReg)},
	{0x0fe00010, 0x00600000, def(12)},
	{0x0fe00010, 0x00800000, arithmeticReg(insn.OpAddReg)},
	{0x0fe00010, 0x00a00000, def(12)},
	{0x0fe00010, 0x00c00000, def(12)},
	{0x0fe00010, 0x00e00000, def(12)},
	// TST TEQ CMP CMN; ORR, MOV and shifts, BIC, MVN.
	{0x0f900010, 0x01100000, nothing},
	{0x0fe00010, 0x01800000, def(12)},
	{0x0fef0010, 0x01a00000, move},
	{0x0fe00010, 0x01c00000, def(12)},
	{0x0fe00010, 0x01e00000, def(12)},
	// The same, shifted by a register.
	{0x0f900090, 0x01100010, nothing},
	{0x0f000090, 0x00000010, def(12)},
	{0x0fa00090, 0x01800010, def(12)},
	{0x0fef0090, 0x01a00010, def(12)},
	{0x0fe00090, 0x01e00010, def(12)},

	// Data processing, immediate.
	{0x0fe00000, 0x02000000, immediate(insn.OpAnd, plain)},
	{0x0fe00000, 0x02200000, def(12)},
	{0x0fe00000, 0x02400000, immediate(insn.OpAdd, negated)},
	{0x0fe00000, 0x02600000, immediate(insn.OpRsb, plain)},
	{0x0fe00000, 0x02800000, immediate(insn.OpAdd, plain)},
	{0x0fe00000, 0x02a00000, def(12)},
	{0x0fe00000, 0x02c00000, def(12)},
	{0x0fe00000, 0x02e00000, def(12)},
	{0x0ff00000, 0x03500000, compare},
	{0x0f900000, 0x03100000, nothing},
	{0x0fe00000, 0x03800000, immediate(insn.OpOrr, plain)},
	{0x0fef0000, 0x03a00000, constant(plain)},
	{0x0fe00000, 0x03c00000, immediate(insn.OpAnd, inverted)},
	{0x0fe00000, 0x03e00000, constant(inverted)},
	// MOVW, MOVT; MSR with an immediate, whose empty mask makes the hints.
	{0x0ff00000, 0x03000000, constantHalf(insn.OpConst)},
	{0x0ff00000, 0x03400000, constantHalf(insn.OpMovTop)},
	{0x0ffff000, 0x0320f000, nothing},
	{0x0fb0f000, 0x0320f000, writeStatusImmediate},

	// STR, STRB, LDR, LDRB.
	{0x0e500000, 0x04000000, wordOrByte(insn.OpStore)},
	{0x0e500000, 0x04400000, wordOrByte(insn.OpStoreSub)},
	{0x0e500000, 0x04100000, wordOrByte(insn.OpLoad)},
	{0x0e500000, 0x04500000, wordOrByte(insn.OpLoadSub)},
	{0x0e500010, 0x06000000, wordOrByteReg(insn.OpStore)},
	{0x0e500010, 0x06400000, wordOrByteReg(insn.OpStoreSub)},
	{0x0e500010, 0x06100000, wordOrByteReg(insn.OpLoad)},
	{0x0e500010, 0x06500000, wordOrByteReg(insn.OpLoadSub)},

	// Parallel addition and subtraction.
	{0x0fb00f90, 0x06100f10, def(12)},
	{0x0fb00f90, 0x06200f10, def(12)},
	{0x0fb00f90, 0x06300f10, def(12)},
	{0x0fb00f90, 0x06100f90, parallelByte},
	{0x0fb00f90, 0x06200f90, parallelByte},
	{0x0fb00f90, 0x06300f90, parallelByte},
	// PKH, SXTAB16, SEL, SSAT, SSAT16, SXTAB, REV, SXTAH, REV16.
	{0x0ff00030, 0x06800010, def(12)},
	{0x0ff003f0, 0x06800070, def(12)},
	{0x0ff00ff0, 0x06800fb0, def(12)},
	{0x0fe00030, 0x06a00010, def(12)},
	{0x0ff00ff0, 0x06a00f30, def(12)},
	{0x0ff003f0, 0x06a00070, def(12)},
	{0x0fff0ff0, 0x06bf0f30, def(12)},
	{0x0ff003f0, 0x06b00070, def(12)},
	{0x0fff0ff0, 0x06bf0fb0, def(12)},
	// UXTAB16, USAT, USAT16, UXTAB, RBIT, UXTAH, REVSH.
	{0x0ff003f0, 0x06c00070, def(12)},
	{0x0fe00030, 0x06e00010, def(12)},
	{0x0ff00ff0, 0x06e00f30, def(12)},
	{0x0ff003f0, 0x06e00070, def(12)},
	{0x0fff0ff0, 0x06ff0f30, def(12)},
	{0x0ff003f0, 0x06f00070, def(12)},
	{0x0fff0ff0, 0x06ff0fb0, def(12)},
	// SMLAD and its kind, SDIV, UDIV, SMLALD and its kind, SMMLA, SMMLS, USADA8.
	{0x0ff00090, 0x07000010, def(16)},
	{0x0ff0f0f0, 0x0710f010, def(16)},
	{0x0ff0f0f0, 0x0730f010, def(16)},
	{0x0ff00090, 0x07400010, def(12, 16)},
	{0x0ff000d0, 0x07500010, def(16)},
	{0x0ff000d0, 0x075000d0, def(16)},
	{0x0ff000f0, 0x07800010, def(16)},
	// SBFX, BFC and BFI, UBFX, UDF.
	{0x0fe00070, 0x07a00050, def(12)},
	{0x0fe0007f, 0x07c0001f, clearField},
	{0x0fe00070, 0x07c00010, def(12)},
	{0x0fe00070, 0x07e00050, def(12)},
	{0xfff000f0, 0xe7f000f0, trap},

	// STM, LDM, B, BL.
	{0x0e100000, 0x08000000, multiple(insn.OpStoreMulti)},
	{0x0e100000, 0x08100000, multiple(insn.OpLoadMulti)},
	{0x0f000000, 0x0a000000, branch},
	{0x0f000000, 0x0b000000, call},

	// VFP and Advanced SIMD transfers: VMOV of two core registers, VSTM, VLDM,
	// VPUSH, VSTR, VLDR, then between a core register and S, D, and system registers.
	{0x0ff00ed0, 0x0c400a10, nothing},
	{0x0ff00ed0, 0x0c500a10, def(12, 16)},
	{0x0f900e00, 0x0c800a00, vfpMultiple(insn.OpVStore, insn.IA)},
	{0x0f900e00, 0x0c900a00, vfpMultiple(insn.OpVLoad, insn.IA)},
	{0x0fb00e00, 0x0d200a00, vfpMultiple(insn.OpVStore, insn.DB)},
	{0x0fb00e00, 0x0d300a00, vfpMultiple(insn.OpVLoad, insn.DB)},
	{0x0f200e00, 0x0d000a00, nothing},
	{0x0e000e00, 0x0c000a00, undefined},
	{0x0ff00f10, 0x0e000a10, moveVector(false)},
	{0x0ff00f10, 0x0e100a10, moveVector(true)},
	{0x0ff00f10, 0x0ef00a10, readSystem},
	{0x0f100f10, 0x0e100b10, readSystem},

	// Other coprocessors: MCRR, MRRC, LDC and STC, CDP, MCR, MRC. SVC.
	{0x0ff00000, 0x0c400000, nothing},
	{0x0ff00000, 0x0c500000, def(12, 16)},
	{0x0fe00000, 0x0c000000, undefined},
	{0x0e000000, 0x0c000000, coprocessorMemory},
	{0x0f000010, 0x0e000000, nothing},
	{0x0f100010, 0x0e000010, nothing},
	{0x0f100010, 0x0e100010, readSystem},
	{0x0f000000, 0x0f000000, supervisorCall},
}
