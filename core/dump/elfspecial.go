package dump

import (
	"pushmask/core"
	"pushmask/internal/cursor"
)

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
	c := cursor.New("ELF core", desc)
	for c.Len() > 0 {
		name := cString(c.Bytes(specialName))
		v := c.U32()
		if c.Err() != nil {
			return
		}
		if r, ok := core.LookupReg(name); ok && !t.regs.Has(r) {
			t.regs.Set(r, v)
		}
	}
}
