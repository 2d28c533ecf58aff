package cause

import (
	"fmt"

	"pushmask/core"
)

// nullSpan is how far from address 0 an access is one through a null pointer,
// in bytes: the size of a structure or of a small array behind it. Vector tables
// and code lie there too, so that only the value of the pointer tells, unless
// the access has failed.
const nullSpan = 4096

// region is a part of the address map.
type region struct {
	last core.Addr
	name string
	xn   bool // never executable
	// meaning says what it is when an access to an address of it fails.
	meaning string
}

// regionsM is the default address map of M-profile cores (Armv7-M ARM B3.1,
// table B3-1).
var regionsM = []region{
	{0x1fffffff, "code", false, "no memory is at %v"},
	{0x3fffffff, "SRAM", false, "no memory is at %v"},
	{0x5fffffff, "peripheral", true, "no peripheral answers at %v, or it has no clock or power"},
	{0x9fffffff, "external RAM", false, "no memory answers at %v, or its controller is not set up"},
	{0xdfffffff, "external device", true, "no device answers at %v, or its controller is not set up"},
	{0xe00fffff, "private peripheral", true, "no register of the core is at %v, or the code is not privileged"},
	{0xffffffff, "system", true, "nothing of the core or of its vendor is at %v"},
}

func regionOf(a core.Addr) region {
	for _, r := range regionsM {
		if a <= r.last {
			return r
		}
	}
	return region{}
}

// addrText writes an address: small ones without leading zeros.
func addrText(a core.Addr) string {
	if a == 0 {
		return "0"
	}
	if a < nullSpan {
		return fmt.Sprintf("0x%x", uint32(a))
	}
	return a.String()
}

// valueText writes the value of a register.
func valueText(v uint32) string {
	if v < 10 {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("0x%x", v)
}

// fillWords are values that memory is filled with to mark it: FreeRTOS stacks,
// freed memory and new stacks of other systems, debug allocators.
var fillWords = map[uint32]bool{
	0xa5a5a5a5: true, 0xaaaaaaaa: true, 0x55555555: true, 0xcccccccc: true, 0xcdcdcdcd: true,
	0xdddddddd: true, 0xefefefef: true, 0x5a5a5a5a: true, 0xeeeeeeee: true, 0x23232323: true,
	0xdeadbeef: true, 0xdeaddead: true, 0xfeedface: true, 0xbaadf00d: true, 0xcafebabe: true,
}
