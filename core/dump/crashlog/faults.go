package crashlog

import (
	"encoding/binary"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/exc"
)

// faultReg is a place of the system control space that reports show.
type faultReg struct {
	addr core.Addr
	size int // bytes
}

// faultNames are the fault registers of M-profile cores by the names that
// reports use, with the parts of the CFSR (Armv7-M ARM B3.2.15).
var faultNames = map[string]faultReg{
	"icsr": {exc.ICSR.Addr(), 4}, "shcsr": {exc.SHCSR.Addr(), 4}, "shcrs": {exc.SHCSR.Addr(), 4},
	"cfsr": {exc.CFSR.Addr(), 4}, "cfaults": {exc.CFSR.Addr(), 4},
	"hfsr": {exc.HFSR.Addr(), 4}, "hfaults": {exc.HFSR.Addr(), 4}, "hsfr": {exc.HFSR.Addr(), 4},
	"dfsr": {exc.DFSR.Addr(), 4}, "dfaults": {exc.DFSR.Addr(), 4},
	"mmfar": {exc.MMFAR.Addr(), 4}, "mmar": {exc.MMFAR.Addr(), 4}, "mfar": {exc.MMFAR.Addr(), 4}, "mmfaultaddr": {exc.MMFAR.Addr(), 4},
	"bfar": {exc.BFAR.Addr(), 4}, "bfaultaddr": {exc.BFAR.Addr(), 4},
	"afsr": {exc.AFSR.Addr(), 4}, "afaults": {exc.AFSR.Addr(), 4},
	"sfsr": {exc.SFSR.Addr(), 4}, "sfar": {exc.SFAR.Addr(), 4},
	"mmfsr": {exc.CFSR.Addr(), 1}, "mfsr": {exc.CFSR.Addr(), 1}, "mmsr": {exc.CFSR.Addr(), 1},
	"bfsr": {exc.CFSR.Addr() + 1, 1},
	"ufsr": {exc.CFSR.Addr() + 2, 2},
}

// armFaultNames are the fault registers of A- and R-profile cores.
var armFaultNames = map[string]exc.ArmFaultReg{
	"dfsr": exc.ArmDFSR, "ifsr": exc.ArmIFSR, "dfar": exc.ArmDFAR, "ifar": exc.ArmIFAR,
	"fsr": exc.ArmDFSR, "far": exc.ArmDFAR,
}

// faultName takes from a name what those that print one put around it:
// "SCB->CFSR", "SCB_CFSR_BFSR", "_CFSR".
func faultName(name string) string {
	name = strings.ToLower(name)
	return name[strings.LastIndexAny(name, "_>. ")+1:]
}

// faults collects fault registers. DFSR is a register of both profiles, so
// that where one belongs is known at the end.
type faults struct {
	named []namedFault
}

type namedFault struct {
	name string
	v    uint32
}

// set takes a register by its name. The first value of each counts.
func (f *faults) set(name string, v uint32) bool {
	name = faultName(name)
	reg, isM := faultNames[name]
	if _, isA := armFaultNames[name]; !isM && !isA {
		return false
	}
	if isM && reg.size < 4 && v>>(8*reg.size) != 0 {
		return false // more bits than the part of the register has
	}
	for _, n := range f.named {
		if n.name == name {
			return true
		}
	}
	f.named = append(f.named, namedFault{name, v})
	return true
}

// known returns the fault status that is known of an M-profile core. Parts of
// the CFSR that are not known count as clear.
func (f *faults) known() exc.Faults {
	var out exc.Faults
	cfsr := uint32(0)
	for _, n := range f.named {
		if r, ok := faultNames[n.name]; ok && r.addr >= exc.CFSR.Addr() && r.addr < exc.HFSR.Addr() {
			cfsr |= n.v << (8 * (r.addr - exc.CFSR.Addr()))
		}
	}
	out.Set(exc.CFSR, cfsr)
	return out
}

// put gives the registers to a crash.
func (f *faults) put(c *crash.Crash, profile core.Profile) {
	for _, n := range f.named {
		if profile == core.ProfileA {
			if r, ok := armFaultNames[n.name]; ok {
				c.Arm.Set(r, n.v)
			}
			continue
		}
		if r, ok := faultNames[n.name]; ok {
			c.AddMemory(r.addr, binary.LittleEndian.AppendUint32(nil, n.v)[:r.size])
		}
	}
}
