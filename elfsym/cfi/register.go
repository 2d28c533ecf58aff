package cfi

import "strconv"

// Register is a register number of "DWARF for the Arm Architecture" (IHI 0040,
// table 1).
type Register uint16

// Register numbers of IHI 0040, table 1. The core registers r0 to r15 have
// the numbers 0 to 15, s0 follows S0 and d0 follows D0.
const (
	SP         Register = 13
	LR         Register = 14
	PC         Register = 15
	S0         Register = 64 // s0 to s31, obsolete numbering
	RAAuthCode Register = 143
	D0         Register = 256 // d0 to d31
)

// maxRegister bounds the register numbers accepted: the architecture's own end
// at 323; numbers from 8192 are for vendors.
const maxRegister = 511

// String returns the name of the register as assemblers spell it, "reg96" for
// those that no current core has.
func (r Register) String() string {
	switch {
	case r == SP:
		return "sp"
	case r == LR:
		return "lr"
	case r == PC:
		return "pc"
	case r < SP:
		return "r" + strconv.Itoa(int(r))
	case r >= S0 && r < S0+32:
		return "s" + strconv.Itoa(int(r-S0))
	case r == RAAuthCode:
		return "ra_auth_code"
	case r >= D0 && r < D0+32:
		return "d" + strconv.Itoa(int(r-D0))
	}
	return "reg" + strconv.Itoa(int(r))
}
