package cfi

// Call frame instructions (DWARF 5, section 7.24). The first three carry an
// operand in the low six bits.
const (
	opAdvanceLoc = 0x40
	opOffset     = 0x80
	opRestore    = 0xc0

	opPrimary = 0xc0 // mask of the three above
	opOperand = 0x3f

	opNop              = 0x00
	opSetLoc           = 0x01
	opAdvanceLoc1      = 0x02
	opAdvanceLoc2      = 0x03
	opAdvanceLoc4      = 0x04
	opOffsetExtended   = 0x05
	opRestoreExtended  = 0x06
	opUndefined        = 0x07
	opSameValue        = 0x08
	opRegister         = 0x09
	opRememberState    = 0x0a
	opRestoreState     = 0x0b
	opDefCFA           = 0x0c
	opDefCFARegister   = 0x0d
	opDefCFAOffset     = 0x0e
	opDefCFAExpression = 0x0f
	opExpression       = 0x10
	opOffsetExtendedSF = 0x11
	opDefCFASF         = 0x12
	opDefCFAOffsetSF   = 0x13
	opValOffset        = 0x14
	opValOffsetSF      = 0x15
	opValExpression    = 0x16

	// GNU extensions (LSB Core 5.0, section 10.5.2).
	opGNUArgsSize               = 0x2e
	opGNUNegativeOffsetExtended = 0x2f
)
