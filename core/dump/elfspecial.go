package dump

import (
	"pushmask/core"
	"pushmask/internal/cursor"
)

// specialOwner names the notes that hold what NT_PRSTATUS has no room for. The
// descriptor of type 1 is registers (MSP, PSP, CONTROL, ...): pairs of a name,
// padded to specialName bytes with NUL, and a value of 4 bytes.
// testdata/firmware/record.py writes it.
const (
	specialOwner = "PUSHMASK"
	specialName  = 12
)

// setOwn takes what a note of specialOwner says of the thread.
func (t *thread) setOwn(n note) {
	switch n.typ {
	case specialRegisters:
		t.setSpecial(n.desc)
	case specialAttributes:
		t.setAttributes(n.desc)
	}
}

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
