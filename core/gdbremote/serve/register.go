package serve

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/session"
)

// register is a register as the protocol has it.
type register struct {
	name, kind string
	feature    string
	number     int // in p, P and stop replies
	size       int // bytes; 8 for a D register
	reg        core.Reg
	mode       core.Mode // of a banked register, else ModeNone
	bank       core.BankedReg
}

// unavailable is the digit of a value that is not known (E.2, "g").
const unavailable = "x"

// hex returns the value in target order, and whether it is known.
func (r *register) hex(regs *core.Regs) (string, bool) {
	var b []byte
	known := true
	word := func(v uint32, ok bool) {
		b = binary.LittleEndian.AppendUint32(b, v)
		known = known && ok
	}
	if r.mode != core.ModeNone {
		word(regs.Banked(r.mode, r.bank))
	} else {
		for i := range core.Reg(r.size / 4) {
			word(regs.Get(r.reg + i))
		}
	}
	if !known {
		return strings.Repeat(unavailable, 2*r.size), false
	}
	return hex.EncodeToString(b), true
}

// completeStackPointers sets MSP or PSP, of which SP is the current one, where
// the artefact has SP alone and what is known of the state tells which: Handler
// mode uses MSP, Thread mode what CONTROL.SPSEL says (Armv7-M ARM B1.4.1, B1.4.4).
func completeStackPointers(p core.Profile, regs *core.Regs) {
	const (
		ipsr  = 0x1ff
		spsel = 1 << 1
	)
	sp, hasSP := regs.Get(core.SP)
	psr, hasPSR := regs.Get(core.PSR)
	control, hasControl := regs.Get(core.CONTROL)
	if p != core.ProfileM || !hasSP || !hasPSR {
		return
	}
	r := core.MSP
	switch handler := psr&ipsr != 0; {
	case handler:
	case !hasControl:
		return
	case control&spsel != 0:
		r = core.PSP
	}
	if !regs.Has(r) {
		regs.Set(r, sp)
	}
}

// Features of gdb ("Debugging with GDB", G.5.3 ARM Features). That of the
// system registers must have MSP and PSP, and gdb takes their values to unwind
// an exception: where one has none it gives up the whole stack. So both are in
// that feature only if every thread has them, otherwise in one that gdb only
// lists.
const (
	featureM      = "org.gnu.gdb.arm.m-profile"
	featureCore   = "org.gnu.gdb.arm.core"
	featureSystem = "org.gnu.gdb.arm.m-system"
	featureSecure = "org.gnu.gdb.arm.secext"
	featureFP     = "org.gnu.gdb.arm.vfp"
	featureOther  = "pushmask.arm.special"
	featureBanked = "pushmask.arm.banked"
)

// registersOf lists the registers that describe the threads, in the order of
// their numbers.
func registersOf(p core.Profile, threads []session.DebuggerThread) []register {
	has := func(r core.Reg) bool {
		return slices.ContainsFunc(threads, func(t session.DebuggerThread) bool { return t.Regs.Has(r) })
	}
	all := func(list ...core.Reg) bool {
		return !slices.ContainsFunc(threads, func(t session.DebuggerThread) bool {
			return slices.ContainsFunc(list, func(r core.Reg) bool { return !t.Regs.Has(r) })
		})
	}
	list := general(p)
	next := list[len(list)-1].number + 1
	add := func(r register) {
		r.number = next
		next++
		list = append(list, r)
	}
	word := func(feature, kind string, r core.Reg) {
		if has(r) {
			add(register{name: r.String(), kind: kind, feature: feature, size: 4, reg: r})
		}
	}
	if slices.ContainsFunc(threads, func(t session.DebuggerThread) bool { return hasFP(&t.Regs) }) {
		for i := range 16 {
			add(register{name: fmt.Sprintf("d%d", i), kind: "ieee_double", feature: featureFP, size: 8, reg: core.S0 + core.Reg(2*i)})
		}
		add(register{name: "fpscr", kind: "int", feature: featureFP, size: 4, reg: core.FPSCR})
	}
	system, secure := featureOther, featureOther
	if all(core.MSP, core.PSP) {
		system = featureSystem
	}
	if all(core.MSPS, core.PSPS, core.MSPNS, core.PSPNS) {
		secure = featureSecure
	}
	if p == core.ProfileM {
		// Listed without a value too: gdb has registers of these names, and says 0.
		add(register{name: "msp", kind: "data_ptr", feature: system, size: 4, reg: core.MSP})
		add(register{name: "psp", kind: "data_ptr", feature: system, size: 4, reg: core.PSP})
	}
	for _, r := range []core.Reg{core.CONTROL, core.PRIMASK, core.BASEPRI, core.FAULTMASK, core.MSPLIM, core.PSPLIM} {
		word(featureOther, "int", r)
	}
	for _, r := range []core.Reg{core.MSPNS, core.PSPNS, core.MSPS, core.PSPS} {
		word(secure, "data_ptr", r)
	}
	for _, r := range bankedOf(threads) {
		add(r)
	}
	return list
}

func hasFP(regs *core.Regs) bool {
	for r := core.S0; r <= core.S31; r++ {
		if regs.Has(r) {
			return true
		}
	}
	return false
}

// general are the registers of the features that a profile must have. The
// status register has the number 25: gdb keeps 16 to 24 for the FPA.
func general(p core.Profile) []register {
	const status = 25
	feature, name := featureM, "xpsr"
	if p != core.ProfileM {
		feature, name = featureCore, "cpsr"
	}
	var list []register
	for r := core.R0; r <= core.PC; r++ {
		kind := "int"
		switch r {
		case core.SP:
			kind = "data_ptr"
		case core.PC:
			kind = "code_ptr"
		}
		list = append(list, register{name: r.String(), kind: kind, feature: feature, number: int(r), size: 4, reg: r})
	}
	return append(list, register{name: name, kind: "int", feature: feature, number: status, size: 4, reg: core.PSR})
}

// bankedOf lists the registers of other modes that any thread has, named as
// OpenOCD names them.
func bankedOf(threads []session.DebuggerThread) (list []register) {
	modes := []core.Mode{
		core.ModeSystem, core.ModeFIQ, core.ModeIRQ, core.ModeSupervisor, core.ModeMonitor,
		core.ModeAbort, core.ModeHyp, core.ModeUndefined,
	}
	for _, m := range modes {
		for _, b := range []core.BankedReg{core.BankedSP, core.BankedLR, core.BankedSPSR} {
			known := slices.ContainsFunc(threads, func(t session.DebuggerThread) bool {
				_, ok := t.Regs.Banked(m, b)
				return ok
			})
			if known {
				list = append(list, register{name: core.BankedName(m, b), kind: "int", feature: featureBanked, size: 4, reg: core.NoReg, mode: m, bank: b})
			}
		}
	}
	return list
}
