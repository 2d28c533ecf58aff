package expr

// Operations (DWARF 5, 7.7.1). Those of the GNU and LLVM ranges that became
// standard are documented at https://gcc.gnu.org/wiki/TemplateParmsDwarf and
// in the DWARF issues that proposed them.
const (
	opAddr              = 0x03
	opDeref             = 0x06
	opConst1u           = 0x08
	opConst1s           = 0x09
	opConst2u           = 0x0a
	opConst2s           = 0x0b
	opConst4u           = 0x0c
	opConst4s           = 0x0d
	opConst8u           = 0x0e
	opConst8s           = 0x0f
	opConstu            = 0x10
	opConsts            = 0x11
	opDup               = 0x12
	opDrop              = 0x13
	opOver              = 0x14
	opPick              = 0x15
	opSwap              = 0x16
	opRot               = 0x17
	opXderef            = 0x18
	opAbs               = 0x19
	opAnd               = 0x1a
	opDiv               = 0x1b
	opMinus             = 0x1c
	opMod               = 0x1d
	opMul               = 0x1e
	opNeg               = 0x1f
	opNot               = 0x20
	opOr                = 0x21
	opPlus              = 0x22
	opPlusUconst        = 0x23
	opShl               = 0x24
	opShr               = 0x25
	opShra              = 0x26
	opXor               = 0x27
	opBra               = 0x28
	opEq                = 0x29
	opGe                = 0x2a
	opGt                = 0x2b
	opLe                = 0x2c
	opLt                = 0x2d
	opNe                = 0x2e
	opSkip              = 0x2f
	opLit0              = 0x30
	opLit31             = 0x4f
	opReg0              = 0x50
	opReg31             = 0x6f
	opBreg0             = 0x70
	opBreg31            = 0x8f
	opRegx              = 0x90
	opFbreg             = 0x91
	opBregx             = 0x92
	opPiece             = 0x93
	opDerefSize         = 0x94
	opXderefSize        = 0x95
	opNop               = 0x96
	opPushObjectAddress = 0x97
	opCall2             = 0x98
	opCall4             = 0x99
	opCallRef           = 0x9a
	opFormTLSAddress    = 0x9b
	opCallFrameCFA      = 0x9c
	opBitPiece          = 0x9d
	opImplicitValue     = 0x9e
	opStackValue        = 0x9f
	opImplicitPointer   = 0xa0
	opAddrx             = 0xa1
	opConstx            = 0xa2
	opEntryValue        = 0xa3
	opConstType         = 0xa4
	opRegvalType        = 0xa5
	opDerefType         = 0xa6
	opXderefType        = 0xa7
	opConvert           = 0xa8
	opReinterpret       = 0xa9

	opGNUPushTLSAddress  = 0xe0
	opGNUUninit          = 0xf0
	opGNUImplicitPointer = 0xf2
	opGNUEntryValue      = 0xf3
	opGNUConstType       = 0xf4
	opGNURegvalType      = 0xf5
	opGNUDerefType       = 0xf6
	opGNUConvert         = 0xf7
	opGNUReinterpret     = 0xf9
	opGNUParameterRef    = 0xfa
	opGNUAddrIndex       = 0xfb
	opGNUConstIndex      = 0xfc
	opGNUVariableValue   = 0xfd
)

// standard maps the GNU operations to the standard ones with the same operands
// and meaning.
var standard = map[uint8]uint8{
	opGNUPushTLSAddress: opFormTLSAddress, opGNUImplicitPointer: opImplicitPointer, opGNUEntryValue: opEntryValue,
	opGNUConstType: opConstType, opGNURegvalType: opRegvalType, opGNUDerefType: opDerefType, opGNUConvert: opConvert,
	opGNUReinterpret: opReinterpret, opGNUAddrIndex: opAddrx, opGNUConstIndex: opConstx,
}
