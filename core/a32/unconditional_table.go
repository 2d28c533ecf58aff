package a32

// unconditional lists the instructions whose condition field is 1111 (Arm ARM
// DDI 0406C A5.7, Advanced SIMD A7.4 to A7.7). Narrower forms stand first.
var unconditional = []form{
	// CPS, SETEND, SETPAN.
	{0xfff1fe20, 0xf1000000, changeState},
	{0xfffffdff, 0xf1010000, nothing},
	{0xfffffdff, 0xf1100000, nothing},

	// Advanced SIMD: data processing; element and structure stores and loads.
	{0xfe000000, 0xf2000000, nothing},
	{0xff100000, 0xf4000000, simdMemory},

	// PLI and PLDW, PLD, with an immediate and with a register.
	{0xff70f000, 0xf450f000, nothing},
	{0xff30f000, 0xf510f000, nothing},
	{0xff70f010, 0xf650f000, nothing},
	{0xff30f010, 0xf710f000, nothing},
	// CLREX, DSB, DMB, ISB, SB.
	{0xffffffff, 0xf57ff01f, nothing},
	{0xfffffff0, 0xf57ff040, nothing},
	{0xfffffff0, 0xf57ff050, nothing},
	{0xfffffff0, 0xf57ff060, nothing},
	{0xffffffff, 0xf57ff070, nothing},

	// SRS, RFE, BLX.
	{0xfe5fffe0, 0xf84d0500, storeReturnState},
	{0xfe50ffff, 0xf8100a00, returnFromException},
	{0xfe000000, 0xfa000000, callExchange},

	// Coprocessors 14 and 15 and below 8: MCRR2, MRRC2, LDC2 and STC2, CDP2,
	// MCR2, MRC2. The rest is floating point and Advanced SIMD of ARMv8.
	{0xff000800, 0xfc000800, simdOrSystem},
	{0xff000800, 0xfd000800, simdOrSystem},
	{0xff000800, 0xfe000800, simdOrSystem},
	{0xfff00000, 0xfc400000, nothing},
	{0xfff00000, 0xfc500000, def(12, 16)},
	{0xffe00000, 0xfc000000, undefined},
	{0xfe000000, 0xfc000000, coprocessorMemory},
	{0xff000010, 0xfe000000, nothing},
	{0xff100010, 0xfe000010, nothing},
	{0xff100010, 0xfe100010, readSystem},
}
