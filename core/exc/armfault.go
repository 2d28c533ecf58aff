package exc

import (
	"fmt"

	"pushmask/core"
)

// ArmFaultReg names a fault register of an A- or R-profile core, a CP15
// register (Armv7-A ARM B4.1.51 DFSR, B4.1.52 DFAR, B4.1.96 IFSR, B4.1.97
// IFAR).
type ArmFaultReg uint8

// The fault registers of A- and R-profile cores.
const (
	ArmDFSR ArmFaultReg = iota // data fault status
	ArmIFSR                    // instruction fault status
	ArmDFAR                    // data fault address
	ArmIFAR                    // instruction fault address
	numArmFaultRegs
)

var armFaultNames = [numArmFaultRegs]string{"DFSR", "IFSR", "DFAR", "IFAR"}

// String returns the architecture's name: "DFSR".
func (r ArmFaultReg) String() string {
	if r < numArmFaultRegs {
		return armFaultNames[r]
	}
	return "?"
}

// ArmFaults holds fault registers of an A- or R-profile core of which any may
// be unknown. The zero value knows none.
type ArmFaults struct {
	val   [numArmFaultRegs]uint32
	valid uint8
}

// Get returns the value of a register and whether it is known.
func (f ArmFaults) Get(r ArmFaultReg) (uint32, bool) {
	if r >= numArmFaultRegs || f.valid>>r&1 == 0 {
		return 0, false
	}
	return f.val[r], true
}

// Set makes the value of a register known.
func (f *ArmFaults) Set(r ArmFaultReg, v uint32) {
	if r < numArmFaultRegs {
		f.val[r], f.valid = v, f.valid|1<<r
	}
}

// ArmCause is an abort that the registers of an A- or R-profile core state.
type ArmCause struct {
	Data bool   // a data abort, not a prefetch abort
	Text string // in words: "translation fault of a page: the address is not mapped"
	// Write says that the access of a data abort was a write (DFSR.WnR).
	Write bool
	// Async says that the instruction at which the abort was taken is not the
	// one whose access failed.
	Async bool
	// Addr is the address of the failed access or fetch, known where HasAddr.
	Addr    core.Addr
	HasAddr bool
}

// Bits of DFSR and IFSR (Armv7-AR ARM B4.1.51, B4.1.96).
const (
	fsrFS4  = 1 << 10 // the high bit of FS, with short descriptors
	fsrLPAE = 1 << 9  // long descriptors
	fsrWnR  = 1 << 11 // write, not read; in DFSR
	fsrExT  = 1 << 12 // external abort type, implementation defined
	fsrCM   = 1 << 13 // cache maintenance; in DFSR
)

// Causes lists the aborts that the registers state, data aborts first. Both
// registers keep the last abort of their kind, so that one of two is old. A
// status of 0 is taken for none, although the background fault of an MPU on a
// read has no other.
func (f ArmFaults) Causes() []ArmCause {
	var out []ArmCause
	for _, r := range []struct {
		status, addr ArmFaultReg
	}{{ArmDFSR, ArmDFAR}, {ArmIFSR, ArmIFAR}} {
		v, ok := f.Get(r.status)
		if !ok || v == 0 {
			continue
		}
		s := statusOf(v)
		c := ArmCause{Data: r.status == ArmDFSR, Text: s.text, Async: s.async}
		c.Write = c.Data && v&fsrWnR != 0
		if a, ok := f.Get(r.addr); ok && !s.async && !s.noAddr {
			c.Addr, c.HasAddr = core.Addr(a), true
		}
		out = append(out, c)
	}
	return out
}

// statusOf words the status of DFSR or IFSR.
func statusOf(v uint32) armStatus {
	if v&fsrLPAE == 0 {
		fs := v&0xf | v&fsrFS4>>6
		if s, ok := shortStatus[fs]; ok {
			return s
		}
		return armStatus{text: fmt.Sprintf("fault status %#x, which is reserved", fs), noAddr: true}
	}
	status := v & 0x3f
	if s, ok := longStatus[status]; ok {
		return s
	}
	if text, ok := longLevels[status>>2]; ok {
		return armStatus{text: fmt.Sprintf("%s (level %d)", text, status&3)}
	}
	return armStatus{text: fmt.Sprintf("fault status %#x, which is reserved", status), noAddr: true}
}

// String returns the abort in words with its address.
func (c ArmCause) String() string {
	kind := "prefetch abort"
	switch {
	case c.Data && c.Write:
		kind = "data abort on a write"
	case c.Data:
		kind = "data abort on a read"
	}
	text := kind + ", " + c.Text
	if c.HasAddr {
		text += fmt.Sprintf(", address %v", c.Addr)
	}
	return text
}

// Details lists the registers that are known, one line each, status registers
// with what they say.
func (f ArmFaults) Details() []string {
	var out []string
	for r := range numArmFaultRegs {
		v, ok := f.Get(r)
		if !ok {
			continue
		}
		line := fmt.Sprintf("%v = 0x%08x", r, v)
		if r == ArmDFSR || r == ArmIFSR {
			line = withWords(line, f.statusWords(r, v))
		}
		out = append(out, line)
	}
	return out
}

func (f ArmFaults) statusWords(r ArmFaultReg, v uint32) []string {
	s := statusOf(v)
	words := []string{s.text}
	if v == 0 {
		words[0] = "no fault, or the background fault of an MPU on a read"
	}
	bits := []struct {
		mask uint32
		text string
		data bool
	}{
		{fsrWnR, "on a write (WnR)", true},
		{fsrExT, "external abort type 1 (ExT)", false},
		{fsrCM, "on cache maintenance (CM)", true},
	}
	for _, b := range bits {
		if v&b.mask != 0 && (r == ArmDFSR || !b.data) {
			words = append(words, b.text)
		}
	}
	if v&fsrLPAE == 0 && r == ArmDFSR && v>>4&0xf != 0 {
		words = append(words, fmt.Sprintf("domain %d", v>>4&0xf))
	}
	return words
}

// AbortedAt returns the address of the instruction whose exception is being
// handled in the mode of cpsr, given that mode's LR as it was on entry: 8 behind
// a data abort, 4 behind a prefetch abort, and behind an undefined instruction
// by its size (Armv7-AR ARM table B1-7). data tells the two aborts apart, thumb
// is the state of the interrupted code (SPSR.T). It is false in other modes.
func AbortedAt(cpsr, lr uint32, data, thumb bool) (core.Addr, bool) {
	switch core.ModeOf(cpsr) {
	case core.ModeAbort:
		if data {
			return core.Addr(lr - 8), true
		}
		return core.Addr(lr - 4), true
	case core.ModeUndefined:
		if thumb {
			return core.Addr(lr - 2), true
		}
		return core.Addr(lr - 4), true
	}
	return 0, false
}
