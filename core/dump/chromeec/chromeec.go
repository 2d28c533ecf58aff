// Package chromeec reads the panic data of the Chrome EC, as the host reads it
// from the EC (/sys/kernel/debug/cros_ec/panicinfo) or as it lies at the end of
// the EC's RAM. The layout is struct panic_data of include/panic_defs.h
// (github.com/coreboot/chrome-ec); core/cortex-m/panic.c fills it in.
package chromeec

import (
	"encoding/binary"
	"fmt"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/exc"
	"pushmask/internal/cursor"
)

const name = "Chrome EC panic data"

// The structure begins with the architecture, its version and flags, and ends
// with its size and the magic number. A part for one of several architectures
// lies between, with room for the largest.
const (
	magic       = 0x21636e50 // "Pnc!"
	headSize    = 4
	trailerSize = 8
	maxSize     = 4096 // far above what any version has
)

// Values of the architecture.
const (
	archCortexM = 1
	archNDS32   = 2
	archX86     = 3
	archRISCV   = 4
)

// Flags.
const (
	flagFrame     = 1 << 0 // the exception frame was copied
	flagTruncated = 1 << 4 // the host command cut it
)

// start returns where the structure at the end of data begins.
func start(data []byte) (int, bool) {
	n := len(data)
	if n < headSize+trailerSize || binary.LittleEndian.Uint32(data[n-4:]) != magic {
		return 0, false
	}
	size := int64(binary.LittleEndian.Uint32(data[n-8:]))
	if size < headSize+trailerSize || size > maxSize || size > int64(n) || size%4 != 0 {
		return 0, false
	}
	return n - int(size), true
}

// Is tells panic data by the magic number and the size at the end.
func Is(data []byte) bool {
	at, ok := start(data)
	return ok && data[at] >= archCortexM && data[at] <= archRISCV
}

// Read reads the panic data at the end of data. That of another architecture is
// refused with an error that wraps [crash.ErrNotARM].
func Read(data []byte) ([]*crash.Crash, error) {
	at, ok := start(data)
	if !ok {
		return nil, fmt.Errorf("%s: the size at offset %#x is not that of the structure", name, max(0, len(data)-8))
	}
	switch data[at] {
	case archNDS32:
		return nil, fmt.Errorf("%s of an NDS32 processor: %w", name, crash.ErrNotARM)
	case archX86:
		return nil, fmt.Errorf("%s of an x86 processor: %w", name, crash.ErrNotARM)
	case archRISCV:
		return nil, fmt.Errorf("%s of a RISC-V processor: %w", name, crash.ErrNotARM)
	}
	p := &panicData{c: &crash.Crash{Format: name, System: "Chrome EC", Profile: core.ProfileM, ProfileKnown: true}}
	p.read(cursor.New(name, data[at:len(data)-trailerSize]))
	if at > 0 {
		p.c.Warnf("%d bytes before the panic data are memory whose address is not in the file", at)
	}
	return []*crash.Crash{p.c}, nil
}

// panicData is the structure of a Cortex-M while it is read.
type panicData struct {
	c         *crash.Crash
	regs      core.Regs
	msp, psp  uint32
	hasMSP    bool
	excReturn uint32
}

// read reads the structure up to its trailer. Version 1 has no MSP, and
// EXC_RETURN before R4.
func (p *panicData) read(cur *cursor.Cursor) {
	cur.Skip(1)
	version, flags := cur.U8(), cur.U8()
	cur.Skip(1)
	p.psp = cur.U32()
	ipsr := cur.U32()
	if version == 1 {
		p.excReturn = cur.U32()
	} else {
		p.msp, p.hasMSP = cur.U32(), true
	}
	for r := core.R4; r <= core.R11; r++ {
		p.regs.Set(r, cur.U32())
	}
	if version != 1 {
		p.excReturn = cur.U32()
	}
	var frame [crash.BasicFrame / 4]uint32
	for i := range frame {
		frame[i] = cur.U32()
	}
	if cur.Err() != nil {
		p.c.Truncated = true
		p.c.Warnf("the structure ends before the exception frame")
		return
	}
	p.faults(cur)
	if flags&flagTruncated != 0 {
		p.c.Truncated = true
		p.c.Warnf("the EC says that the data was cut")
	}
	if version != 1 && version != 2 {
		p.c.Warnf("version %d of the structure is not known: it is read as version 2", version)
	}
	p.c.Details = append(p.c.Details, fmt.Sprintf("exception %d", ipsr&0x1ff), fmt.Sprintf("EXC_RETURN %v", exc.Return(p.excReturn)))
	if r4 := p.regs.Value(core.R4); Reason(r4) != "" {
		p.c.Cause = Reason(r4)
	}
	p.finish(frame, flags&flagFrame != 0)
}

// faults reads the fault registers.
func (p *panicData) faults(cur *cursor.Cursor) {
	for _, r := range []exc.FaultReg{exc.CFSR, exc.BFAR, exc.MMFAR, exc.SHCSR, exc.HFSR, exc.DFSR} {
		v := cur.U32()
		if cur.Err() != nil {
			p.c.Truncated = true
			p.c.Warnf("the structure ends before %v", r)
			return
		}
		p.c.AddMemory(r.Addr(), binary.LittleEndian.AppendUint32(nil, v))
	}
}

// finish sets the registers of the frame and the stack pointers, which are those
// of the handler: the frame lies at the one that EXC_RETURN tells.
func (p *panicData) finish(frame [crash.BasicFrame / 4]uint32, valid bool) {
	th := p.c.Crashed()
	defer func() { th.Regs = p.regs }()
	if !valid {
		p.c.Warnf("the exception frame could not be read: its address is not in RAM")
		return
	}
	stripped := frame[0]|frame[1]|frame[2]|frame[3]|frame[4] == 0
	if stripped {
		p.c.Warnf("r0 to r3 and r12 are all zero: the EC leaves them out where it is built to (CONFIG_PANIC_STRIP_GPR)")
	}
	for i, r := range [...]core.Reg{core.R0, core.R1, core.R2, core.R3, core.R12, core.LR, core.PC, core.PSR} {
		if !stripped || i >= 5 {
			p.regs.Set(r, frame[i])
		}
	}
	p.regs.Set(core.PC, frame[6]&^1)
	th.Faulted = true
	p.stackPointers(frame[7])
}

// xpsrPad is the bit of a stacked xPSR that is set when the hardware inserted a
// word to align the frame (Armv7-M ARM B1.5.7).
const xpsrPad = 1 << 9

func (p *panicData) stackPointers(psr uint32) {
	if !exc.IsReturn(p.excReturn) {
		p.c.Warnf("SP is not known: %#08x is no EXC_RETURN", p.excReturn)
		return
	}
	ret := exc.Return(p.excReturn)
	size := uint32(crash.BasicFrame)
	if !ret.Basic() {
		size = crash.ExtendedFrame
	}
	if psr&xpsrPad != 0 {
		size += 4
	}
	const onPSP = 1 << 2 // EXC_RETURN.SPSEL (Armv7-M ARM B1.5.8)
	switch {
	case p.excReturn&onPSP != 0:
		p.psp += size
		p.regs.Set(core.SP, p.psp)
	case p.hasMSP:
		p.msp += size
		p.regs.Set(core.SP, p.msp)
	}
	p.regs.Set(core.PSP, p.psp)
	if p.hasMSP {
		p.regs.Set(core.MSP, p.msp)
	}
}
