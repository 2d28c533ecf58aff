package exidx

import (
	"fmt"
	"strconv"
	"strings"
)

// Register is a register number of "DWARF for the Arm Architecture" (IHI 0040,
// table 1): r0 to r15 are 0 to 15, d0 is [D0]. It is the numbering of
// call frame information.
type Register uint16

// Register numbers of IHI 0040, table 1.
const (
	SP         Register = 13
	LR         Register = 14
	PC         Register = 15
	WCGR0      Register = 104 // iWMMXt control registers wCGR0 to wCGR7
	WR0        Register = 112 // iWMMXt registers wR0 to wR15
	RAAuthCode Register = 143
	D0         Register = 256
)

// String returns the name as readelf prints it: r14, D8, wR10, wCGR0.
func (r Register) String() string {
	switch {
	case r <= PC:
		return "r" + strconv.Itoa(int(r))
	case r == RAAuthCode:
		return "ra_auth_code"
	case r >= D0:
		return "D" + strconv.Itoa(int(r-D0))
	case r >= WR0:
		return "wR" + strconv.Itoa(int(r-WR0))
	}
	return "wCGR" + strconv.Itoa(int(r-WCGR0))
}

// OpKind is a kind of unwinding instruction.
type OpKind uint8

// The unwinding instructions of EHABI, "Frame unwinding instructions", table 4.
const (
	AddVSP     OpKind = iota // vsp = vsp + N
	SetVSP                   // vsp = the value of Regs[0]
	Pop                      // load Regs from vsp upwards, then vsp = vsp + N
	Finish                   // the end
	Refuse                   // the function does not let itself be unwound
	ModifyAuth               // vsp is the modifier that authenticates the return address
	Spare                    // no meaning is assigned
)

// Op is an unwinding instruction.
type Op struct {
	Kind  OpKind
	Bytes []byte     // its encoding
	N     int32      // bytes that AddVSP and Pop move vsp
	Regs  []Register // of SetVSP and Pop, the lowest address first
}

// String returns the instruction as readelf prints it, without the encoding.
func (o Op) String() string {
	switch o.Kind {
	case AddVSP:
		if o.N < 0 {
			return fmt.Sprintf("vsp = vsp - %d", -int64(o.N))
		}
		return fmt.Sprintf("vsp = vsp + %d", o.N)
	case SetVSP:
		return "vsp = " + o.Regs[0].String()
	case Pop:
		return "pop {" + registerList(o.Regs) + "}"
	case Finish:
		return "finish"
	case Refuse:
		return "Refuse to unwind"
	case ModifyAuth:
		return "vsp as modifier for PAC validation"
	}
	return "[Spare]"
}

// registerList writes D and wR registers, which come in ranges, as "D8-D10".
func registerList(regs []Register) string {
	if n := len(regs); n > 1 && regs[0].size() == 8 {
		return regs[0].String() + "-" + regs[n-1].String()
	}
	names := make([]string, len(regs))
	for i, r := range regs {
		names[i] = r.String()
	}
	return strings.Join(names, ", ")
}

// size returns the bytes that the register takes on the stack.
func (r Register) size() int64 {
	if r >= D0 || r >= WR0 && r != RAAuthCode {
		return 8
	}
	return 4
}
