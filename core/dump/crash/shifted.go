package crash

import (
	"encoding/binary"

	"pushmask/core"
)

// Sizes of exception frames in bytes (Armv7-M ARM B1.5.7, Armv8-M ARM B3.19).
const (
	BasicFrame    = 0x20 // r0-r3, r12, lr, pc, xpsr
	ExtendedFrame = 0x68 // and s0-s15, FPSCR and a reserved word
)

// IsFrameSize tells the distances between an exception frame and the SP before
// it: either frame, with or without the padding word.
func IsFrameSize(d uint32) bool {
	return d == BasicFrame || d == BasicFrame+4 || d == ExtendedFrame || d == ExtendedFrame+4
}

// stacked is the order of the registers in an exception frame.
var stacked = [...]core.Reg{core.R0, core.R1, core.R2, core.R3, core.R12, core.LR, core.PC, core.PSR}

// IsFrame reports whether b begins with the exception frame that regs are from.
func IsFrame(b []byte, regs *core.Regs) bool {
	if len(b) < BasicFrame {
		return false
	}
	for i, r := range stacked {
		if v, ok := regs.Get(r); !ok || binary.LittleEndian.Uint32(b[4*i:]) != v {
			return false
		}
	}
	return true
}

// AddShifted adds memory of size bytes at start of which content lacks some,
// no one knows where: lines of a log are missing. It takes what can be placed:
// where the exception frame of the crashed thread lies in content tells whether
// bytes are missing in front of it or behind it. The registers of the thread
// must be set.
func (c *Crash) AddShifted(start core.Addr, size int, content []byte) {
	var regs core.Regs
	for _, t := range c.Threads {
		if t.Crashed {
			regs = t.Regs
		}
	}
	lost := core.Addr(size - len(content))
	before, after := 0, len(content)
	for off := 0; off+BasicFrame <= len(content); off += 4 {
		if !IsFrame(content[off:], &regs) {
			continue
		}
		switch at := start + core.Addr(off); {
		case framed(at, &regs):
			before = max(before, off+BasicFrame)
		case framed(at+lost, &regs):
			after = min(after, off)
		}
	}
	if before > after || lost == 0 || size < len(content) {
		before, after = 0, len(content)
	}
	c.AddMemory(start, content[:before])
	c.AddMemory(start+lost+core.Addr(after), content[after:])
	c.Warnf("%d of %d bytes are missing somewhere in the memory at %v: the %d bytes that the exception frame places are taken",
		lost, size, start, before+len(content)-after)
}

// framed reports whether the frame of regs can be at a: SP is its address, or
// lies behind it and its padding word.
func framed(a core.Addr, regs *core.Regs) bool {
	d := regs.Value(core.SP) - uint32(a)
	return d == 0 || IsFrameSize(d)
}
