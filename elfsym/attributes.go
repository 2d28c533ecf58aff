package elfsym

import "pushmask/internal/cursor"

// Tags of the "aeabi" build attributes (Addenda to, and Errata in, the ABI
// for the Arm Architecture, "Build attributes").
const (
	tagFile             = 1
	tagCPURawName       = 4
	tagCPUName          = 5
	tagCPUArch          = 6
	tagCPUArchProfile   = 7
	tagCompatibility    = 32
	tagHalfFormat       = 38 // Tag_ABI_FP_16bit_format
	alternativeHalf     = 2
	attributesVersion   = 'A'
	attributesVendor    = "aeabi"
	firstParityRuledTag = 33 // from here on odd tags are strings, even ones numbers
)

// mArchs are the values of Tag_CPU_arch that only M-profile cores have:
// v6-M, v6S-M, v7E-M, v8-M.baseline, v8-M.mainline, v8.1-M.mainline.
const mArchs = 1<<11 | 1<<12 | 1<<13 | 1<<16 | 1<<17 | 1<<21

// baselineArchs are those of them that have the smaller instruction set: v6-M,
// v6S-M, v8-M.baseline.
const baselineArchs = 1<<11 | 1<<12 | 1<<16

// archV7 is shared by all profiles: the profile tag decides.
const archV7 = 10

// buildAttributes are the file-scope attributes that pushmask uses.
type buildAttributes struct {
	arch    uint64 // Tag_CPU_arch
	hasArch bool
	profile uint64 // Tag_CPU_arch_profile: 'A', 'R', 'M', 'S' or 0
	half    uint64 // Tag_ABI_FP_16bit_format: 0 none, 1 IEEE 754, 2 alternative
}

// mProfile tells the profile; known is false when the attributes leave it open.
func (a buildAttributes) mProfile() (m, known bool) {
	switch a.profile {
	case 'M':
		return true, true
	case 'A', 'R', 'S':
		return false, true
	}
	if !a.hasArch || a.arch == archV7 || a.arch >= 64 {
		return false, false
	}
	return mArchs>>a.arch&1 != 0, true
}

// parseAttributes reads a .ARM.attributes section. On damage it returns what
// came before and the error.
func parseAttributes(b []byte) (buildAttributes, error) {
	var a buildAttributes
	c := cursor.New(".ARM.attributes", b)
	if c.U8() != attributesVersion {
		c.Fail("format version is not 'A'")
	}
	for c.Len() > 0 {
		n := c.U32()
		if n < 4 {
			c.Fail("subsection is shorter than its length field")
			break
		}
		vendor := c.Sub(int(n) - 4)
		if vendor.CString() == attributesVendor {
			a.vendorSection(vendor)
		}
		if err := vendor.Err(); err != nil {
			return a, err
		}
	}
	return a, c.Err()
}

// vendorSection reads the sub-subsections of one vendor and uses those that
// hold for the whole file.
func (a *buildAttributes) vendorSection(c *cursor.Cursor) {
	for c.Len() > 0 {
		start := c.Off()
		tag := c.ULEB()
		n := int(c.U32()) - (c.Off() - start)
		if n < 0 {
			c.Fail("attribute list is shorter than its header")
			return
		}
		list := c.Sub(n)
		if tag != tagFile {
			continue
		}
		a.list(list)
		if err := list.Err(); err != nil {
			c.Fail(err.Error())
		}
	}
}

func (a *buildAttributes) list(c *cursor.Cursor) {
	for c.Len() > 0 {
		switch tag := c.ULEB(); {
		case tag == tagCPURawName || tag == tagCPUName:
			c.CString()
		case tag == tagCPUArch:
			a.arch = c.ULEB()
			a.hasArch = c.Err() == nil
		case tag == tagCPUArchProfile:
			a.profile = c.ULEB()
		case tag == tagHalfFormat:
			a.half = c.ULEB()
		case tag == tagCompatibility:
			c.ULEB()
			c.CString()
		case tag >= firstParityRuledTag && tag%2 == 1:
			c.CString()
		default:
			c.ULEB()
		}
	}
}
