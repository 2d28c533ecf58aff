package dump

import "pushmask/core"

// specialOwner names the note that holds the registers of a thread that
// NT_PRSTATUS has no room for (MSP, PSP, CONTROL, ...), type 1. Its descriptor
// is pairs of a name, padded to specialName bytes with NUL, and a value of 4
// bytes. testdata/firmware/record.py writes it.
const (
	specialOwner = "PUSHMASK"
	specialName  = 12
)

// setSpecial takes the registers of a note of specialOwner; names that nobody
// knows are passed over.
func (t *thread) setSpecial(desc []byte) {
	c := cursor{b: desc}
	for c.left() > 0 {
		name := cString(c.bytes(specialName))
		v := c.u32()
		if c.short {
			return
		}
		if r, ok := core.LookupReg(name); ok && !t.regs.Has(r) {
			t.regs.Set(r, v)
		}
	}
}
