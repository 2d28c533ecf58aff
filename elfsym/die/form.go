package die

import (
	"fmt"

	"pushmask/internal/cursor"
)

// Forms (DWARF 5, 7.5.6, and the GNU forms of split and alternate DWARF).
const (
	formAddr          = 0x01
	formBlock2        = 0x03
	formBlock4        = 0x04
	formData2         = 0x05
	formData4         = 0x06
	formData8         = 0x07
	formString        = 0x08
	formBlock         = 0x09
	formBlock1        = 0x0a
	formData1         = 0x0b
	formFlag          = 0x0c
	formSdata         = 0x0d
	formStrp          = 0x0e
	formUdata         = 0x0f
	formRefAddr       = 0x10
	formRef1          = 0x11
	formRef2          = 0x12
	formRef4          = 0x13
	formRef8          = 0x14
	formRefUdata      = 0x15
	formIndirect      = 0x16
	formSecOffset     = 0x17
	formExprloc       = 0x18
	formFlagPresent   = 0x19
	formStrx          = 0x1a
	formAddrx         = 0x1b
	formRefSup4       = 0x1c
	formStrpSup       = 0x1d
	formData16        = 0x1e
	formLineStrp      = 0x1f
	formRefSig8       = 0x20
	formImplicitConst = 0x21
	formLoclistx      = 0x22
	formRnglistx      = 0x23
	formRefSup8       = 0x24
	formStrx1         = 0x25
	formStrx2         = 0x26
	formStrx3         = 0x27
	formStrx4         = 0x28
	formAddrx1        = 0x29
	formAddrx2        = 0x2a
	formAddrx3        = 0x2b
	formAddrx4        = 0x2c
	formGNUAddrIndex  = 0x1f01
	formGNUStrIndex   = 0x1f02
	formGNURefAlt     = 0x1f20
	formGNUStrpAlt    = 0x1f21
)

// constantSizes are the sizes in bytes of the forms that have the same in
// every unit.
var constantSizes = map[uint32]int{
	formData1: 1, formData2: 2, formData4: 4, formData8: 8, formData16: 16, formFlag: 1, formFlagPresent: 0,
	formRef1: 1, formRef2: 2, formRef4: 4, formRef8: 8, formRefSup4: 4, formRefSup8: 8, formRefSig8: 8,
	formStrx1: 1, formStrx2: 2, formStrx3: 3, formStrx4: 4, formAddrx1: 1, formAddrx2: 2, formAddrx3: 3, formAddrx4: 4,
	formImplicitConst: 0,
}

// fixedSize returns the size in bytes of a form that has one in the unit.
func (u *Unit) fixedSize(form uint32) (n int, ok bool) {
	offset := 4
	if u.Wide {
		offset = 8
	}
	switch form {
	case formAddr:
		return int(u.AddrSize), true
	case formRefAddr:
		if u.Version <= 2 {
			return int(u.AddrSize), true
		}
		return offset, true
	case formStrp, formSecOffset, formStrpSup, formLineStrp, formGNURefAlt, formGNUStrpAlt:
		return offset, true
	}
	n, ok = constantSizes[form]
	return n, ok
}

// skipForm passes over an attribute of variable size.
func (u *Unit) skipForm(c *cursor.Cursor, form uint32) {
	switch form {
	case formString:
		c.SkipCString()
	case formSdata, formUdata, formRefUdata, formStrx, formAddrx, formLoclistx, formRnglistx,
		formGNUAddrIndex, formGNUStrIndex:
		c.SkipLEB()
	case formBlock, formExprloc, formBlock1, formBlock2, formBlock4:
		readBlock(c, form)
	case formIndirect:
		form = uint32(min(c.ULEB(), 1<<31-1))
		if n, ok := u.fixedSize(form); ok {
			c.Skip(n)
		} else if form == formIndirect {
			c.Fail("indirect form of an indirect form")
		} else {
			u.skipForm(c, form)
		}
	default:
		c.Fail(fmt.Sprintf("form %#x is not known", form))
	}
}

func readBlock(c *cursor.Cursor, form uint32) []byte {
	var n uint64
	switch form {
	case formBlock1:
		n = uint64(c.U8())
	case formBlock2:
		n = uint64(c.U16())
	case formBlock4:
		n = uint64(c.U32())
	default:
		n = c.ULEB()
	}
	return c.Bytes(int(min(n, 1<<31-1)))
}
