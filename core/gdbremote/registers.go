package gdbremote

import (
	"context"
	"encoding/binary"
	"encoding/hex"

	"pushmask/core"
)

// layout is where registers lie in the answer to "g".
type layout struct {
	slots   []slot
	banked  []bankedSlot
	profile core.Profile
	known   bool // the stub described its registers
}

// slot is a register of the answer.
type slot struct {
	reg    core.Reg // NoReg for one that pushmask has no use for
	offset int      // bytes
	size   int      // bytes; 8 for a D register: reg and reg+1
}

// bankedSlot is a register of another mode, as OpenOCD has them.
type bankedSlot struct {
	mode   core.Mode
	reg    core.BankedReg
	offset int // bytes
}

// Lengths of "g" of stubs that do not describe their registers, in bytes.
const (
	integerLength = 17 * 4            // r0-r15, PSR
	fpaLength     = 42 * 4            // r0-r15, f0-f7 of 12 bytes, fps, PSR: gdb's layout before target.xml
	fpaPSR        = fpaLength - 4     // offset of PSR in it
	coreLength    = (core.PC + 1) * 4 // r0-r15
)

// plainLayout tells the layout by the length of the answer.
func plainLayout(length int) layout {
	var l layout
	for r := core.R0; r <= core.PC; r++ {
		l.slots = append(l.slots, slot{r, 4 * int(r), 4})
	}
	switch length {
	case integerLength:
		l.slots = append(l.slots, slot{core.PSR, int(coreLength), 4})
	case fpaLength:
		l.slots = append(l.slots, slot{core.PSR, fpaPSR, 4})
	}
	return l
}

// Profile returns the architecture profile that the stub's description of the
// registers tells; ok is false without one.
func (c *Client) Profile() (p core.Profile, ok bool) { return c.layout.profile, c.layout.known }

// Registers reads the registers. Those that the stub leaves out or calls
// unavailable are unknown.
func (c *Client) Registers(ctx context.Context) (core.Regs, error) {
	const packet = "g"
	reply, err := c.request(ctx, packet)
	if err != nil {
		return core.Regs{}, err
	}
	if len(reply)%2 != 0 || len(reply) < 2*int(coreLength) {
		return core.Regs{}, packetError(packet, reply, ErrMalformed)
	}
	l := c.layout
	if !l.known {
		l = plainLayout(len(reply) / 2)
	}
	var regs core.Regs
	for _, s := range l.slots {
		if s.reg == core.NoReg || 2*(s.offset+s.size) > len(reply) {
			continue
		}
		for i := 0; i < s.size; i += 4 {
			digits := reply[2*(s.offset+i) : 2*(s.offset+i+4)]
			v, ok, err := parseWord(digits)
			if err != nil {
				return core.Regs{}, packetError(packet, digits, ErrMalformed)
			}
			if ok {
				regs.Set(s.reg+core.Reg(i/4), v)
			}
		}
	}
	for _, s := range l.banked {
		if 2*(s.offset+4) > len(reply) {
			continue
		}
		digits := reply[2*s.offset : 2*(s.offset+4)]
		v, ok, err := parseWord(digits)
		if err != nil {
			return core.Regs{}, packetError(packet, digits, ErrMalformed)
		}
		if ok {
			regs.SetBanked(s.mode, s.reg, v)
		}
	}
	return regs, nil
}

// parseWord reads a little-endian word of eight digits; ok is false for one
// that is unavailable (E.2, "g": digits are "x").
func parseWord(digits string) (v uint32, ok bool, err error) {
	if digits == "xxxxxxxx" {
		return 0, false, nil
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return 0, false, err
	}
	return binary.LittleEndian.Uint32(b), true, nil
}
