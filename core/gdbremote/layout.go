package gdbremote

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"pushmask/core"
)

// How stubs differ in what registers they have and where:
//
//   - QEMU sends the layout of the FPA coprocessor until target.xml was read
//     once. Then "g" has the integer registers alone although target.xml goes on
//     with floating-point and system registers; "p" has those. 7.2 has no msp,
//     psp and control; 8.0 has, in m-system, and banked ones with _ns and _s in
//     secext. Its cores of one machine may differ.
//   - OpenOCD sends r0 to xpsr in "g" and has the rest for "p"
//     (gdb_get_registers_packet). primask and faultmask have 1 bit, control 3,
//     basepri 8 (armv7m.c): a byte each. A "p" of a number that it does not
//     describe ends the connection (gdb_get_register_packet), so none is sent.
//   - OpenOCD has the registers of other modes of A and R cores as sp_irq,
//     lr_svc, spsr_abt; see [core.LookupBanked].
//   - pyOCD numbers with gaps: msp 17, psp 18, control 19, primask 20, basepri
//     21, faultmask 22, msp_ns 24 to control_ns 38, fpscr 33, d0 48
//     (cortex_m_core_registers.py), all of 32 bits. "g" has all of them in order
//     of their numbers, so that fpscr lies between those of the two worlds.
//   - Black Magic Probe describes msp, psp, and primask, basepri, faultmask,
//     control of 8 bits each in its m-profile feature, and fpscr before d0
//     (cortexm.c); "g" has all.
//   - st-util sends r0 to r15 alone. xpsr is number 25, msp 26, psp 27, control
//     28, faultmask 29, basepri 30, primask 31, s0 32, fpscr 64; "p" answers
//     eight digits for registers that it describes with 8 bits (gdb-server.c).
//   - probe-rs names registers in capitals, XPSR, MSP (cortex_m.rs); "g" has its
//     first feature, r0 to xpsr (get_registers_for_main_group in base.rs).
//   - J-Link numbers xpsr 25, msp 26, psp 27, primask 28, basepri 29, faultmask
//     30, control 31, all of 32 bits, and fpscr 32, s0 33 in a feature m-float
//     (dumps of its target.xml in many projects).
//   - Renode has all in "g" and answers 0 to a "p" of a number that it does not
//     have (ReadRegisterCommand.cs).
//   - Registers that are not available are digits "x" (E.2, "g").

// layout is where registers lie in the answer to "g", and their numbers.
type layout struct {
	slots   []slot // in order of the numbers
	profile core.Profile
	known   bool // the stub described its registers
}

// slot is a register of the stub.
type slot struct {
	reg      core.Reg // NoReg for one that pushmask has no use for, or a banked one
	mode     core.Mode
	banked   core.BankedReg // of mode, where that is not ModeNone
	number   int            // for "p", "P" and "T"
	offset   int            // in "g", bytes
	size     int            // bytes: 4; 8 for a D register, reg and reg+1; 1 for BASEPRI and its like
	describe string         // the stub's name
}

// Lengths of "g" of stubs that do not describe their registers, in bytes. gdb
// guesses by the same (arm-tdep.c, arm_register_g_packet_guesses), but for the
// first and the last.
const (
	coreLength    = 16 * 4                   // r0-r15
	integerLength = 17 * 4                   // and xPSR
	systemLength  = integerLength + 2*4      // and MSP, PSP
	fpLength      = integerLength + 16*8 + 4 // r0-xPSR, d0-d15, FPSCR
	fpaLength     = 42 * 4                   // r0-r15, f0-f7 of 12 bytes, fps, PSR: gdb's layout before target.xml
	numberLength  = 26 * 4                   // the same with 4 bytes for each number
)

// plainPSR is the number of the PSR in stubs without a description: that of
// gdb's layout with f0-f7 and fps.
const plainPSR = 25

// plainLayout tells the layout by the length of the answer to "g".
func plainLayout(length int) layout {
	var l layout
	add := func(r core.Reg, number, offset, size int) {
		l.slots = append(l.slots, slot{reg: r, number: number, offset: offset, size: size, describe: r.String()})
	}
	for r := core.R0; r <= core.PC; r++ {
		add(r, int(r), 4*int(r), 4)
	}
	psr := map[int]int{integerLength: coreLength, systemLength: coreLength, fpLength: coreLength, fpaLength: fpaLength - 4, numberLength: numberLength - 4}
	offset, ok := psr[length]
	if !ok {
		offset = length // beyond: for "p"
	}
	add(core.PSR, plainPSR, offset, 4)
	switch length {
	case systemLength:
		add(core.MSP, plainPSR+1, integerLength, 4)
		add(core.PSP, plainPSR+2, integerLength+4, 4)
	case fpLength:
		for i := range 16 {
			add(core.S0+core.Reg(2*i), plainPSR+1+i, integerLength+8*i, 8)
		}
		add(core.FPSCR, plainPSR+1+16, fpLength-4, 4)
	}
	return l
}

// find returns the slot that holds r.
func (l *layout) find(r core.Reg) (slot, bool) {
	i := slices.IndexFunc(l.slots, func(s slot) bool { return s.holds(r) })
	if i < 0 || r == core.NoReg {
		return slot{}, false
	}
	return l.slots[i], true
}

// holds reports whether r is the register, or one of the two of a D register.
func (s slot) holds(r core.Reg) bool {
	return s.reg == r || s.reg != core.NoReg && s.size == 8 && r == s.reg+1
}

// setNumbered makes the register of a number known. What cannot be read stays
// unknown. Without a description the numbers of r0 to r15 and of the PSR are
// those of gdb.
func (l *layout) setNumbered(regs *core.Regs, number int, digits string) {
	if !l.known {
		switch {
		case number <= int(core.PC):
			_ = slot{reg: core.Reg(number), size: 4}.store(regs, digits)
		case number == plainPSR:
			_ = slot{reg: core.PSR, size: 4}.store(regs, digits)
		}
		return
	}
	i, ok := slices.BinarySearchFunc(l.slots, number, func(s slot, n int) int { return s.number - n })
	if ok {
		_ = l.slots[i].store(regs, digits)
	}
}

// store sets the register of s to a value in digits, little-endian, as long as
// s or longer. It leaves one that is unavailable unknown.
func (s slot) store(regs *core.Regs, digits string) error {
	if s.reg == core.NoReg && s.mode == core.ModeNone || strings.ContainsAny(digits, "xX") {
		return nil
	}
	b, err := hex.DecodeString(digits)
	if err != nil || len(b) < s.size {
		return ErrMalformed
	}
	var value [8]byte
	copy(value[:], b[:s.size])
	low := binary.LittleEndian.Uint32(value[:4])
	switch {
	case s.mode != core.ModeNone:
		regs.SetBanked(s.mode, s.banked, low)
	case s.size == 8:
		regs.Set(s.reg, low)
		regs.Set(s.reg+1, binary.LittleEndian.Uint32(value[4:]))
	default:
		regs.Set(s.reg, low)
	}
	return nil
}

// newSlot recognises a register by its name and size in bytes.
func newSlot(name string, number, offset, size int) slot {
	s := slot{reg: core.NoReg, number: number, offset: offset, size: size, describe: name}
	if n, ok := strings.CutPrefix(strings.ToLower(name), "d"); ok && size == 8 {
		if i, err := strconv.Atoi(n); err == nil && i >= 0 && i < 16 {
			s.reg = core.S0 + core.Reg(2*i)
		}
		return s
	}
	if size > 4 {
		return s
	}
	if r, ok := core.LookupReg(name); ok && (size == 4 || isMask(r)) {
		s.reg = r
	} else if m, b, ok := core.LookupBanked(name); ok && size == 4 {
		s.mode, s.banked = m, b
	}
	return s
}

// isMask reports whether r has no more than 8 bits.
func isMask(r core.Reg) bool {
	return r == core.CONTROL || r == core.PRIMASK || r == core.BASEPRI || r == core.FAULTMASK
}
