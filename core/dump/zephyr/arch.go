package zephyr

import (
	"encoding/binary"
	"fmt"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/internal/cursor"
)

// Sizes of the block of the architecture by its version
// (arch/arm/core/cortex_m/coredump.c).
const (
	archV1 = 36 // r0-r3, r12, lr, pc, xpsr, sp
	archV2 = 68 // and r4-r11
	archV3 = 76 // and whether those are valid, and where the thread keeps its own
)

var archSizes = map[uint16]bool{archV1: true, archV2: true, archV3: true}

// archBlock is the registers of a processor.
type archBlock struct{ regs core.Regs }

// stackedOrder is the order of an exception frame, then SP.
var stackedOrder = [...]core.Reg{core.R0, core.R1, core.R2, core.R3, core.R12, core.LR, core.PC, core.PSR, core.SP}

// parse reads as much as content has. It reports false where not even the
// registers of the exception frame are there.
func (a *archBlock) parse(content []byte) bool {
	c := cursor.New("registers", content)
	for _, r := range stackedOrder {
		if v := c.U32(); c.Err() == nil {
			a.regs.Set(r, v)
		}
	}
	if c.Err() != nil {
		return false
	}
	var saved [8]uint32
	var any uint32
	for i := range saved {
		saved[i] = c.U32()
		any |= saved[i]
	}
	valid := c.Err() == nil && any != 0 // all 0: the kernel did not save them
	if len(content) >= archV3 {
		valid = c.U32() != 0
	}
	if valid {
		for i, v := range saved {
			a.regs.Set(core.R4+core.Reg(i), v)
		}
	}
	return true
}

func (d *dump) readArch(head, content []byte) {
	size := binary.LittleEndian.Uint16(head[3:])
	if !archSizes[size] {
		d.crash.Warnf("the block with the registers has %d bytes; ARM ones have %d, %d or %d", size, archV1, archV2, archV3)
	}
	shifted := len(content) < int(size) && d.text
	if shifted {
		content = content[:d.wholeLines(len(content))]
	}
	if !d.arch.parse(content) || shifted && !d.arch.plausible() {
		d.crash.Warnf("registers are missing: %d of %d bytes are there", len(content), size)
		if shifted {
			d.arch = archBlock{}
		}
	}
	d.hasArch = !d.arch.regs.Empty()
}

// plausible checks registers of which a line may be missing in front: an xPSR
// has the T bit set and its reserved bits clear (Armv7-M ARM B1.4.2).
func (a *archBlock) plausible() bool {
	const tBit, reserved = 1 << 24, 0x00f00000
	return a.regs.Value(core.PSR)&(tBit|reserved) == tBit
}

// cpuState is the registers of one of several processors.
type cpuState struct {
	number, thread uint32
	arch           archBlock
}

// shiftedBlock is a block of memory that lost bytes somewhere.
type shiftedBlock struct {
	start   core.Addr
	size    int
	content []byte
}

// finish makes the threads, places blocks that lost bytes, and settles which
// SP the dump has.
func (d *dump) finish() {
	c := d.crash
	if !d.hasArch && len(d.cpus) == 0 {
		c.Warnf("the dump has no registers: the kernel stopped without an exception frame")
	}
	if d.hasArch {
		t := c.Crashed()
		t.Regs, t.Faulted, t.ID = d.arch.regs, true, 1
	}
	for _, s := range d.shifted {
		c.AddShifted(s.start, s.size, s.content)
	}
	if d.hasArch {
		d.settleSP(c.Crashed())
	}
	for _, cpu := range d.cpus {
		t := crash.Thread{Regs: cpu.arch.regs}
		t.ID, t.Name = core.ThreadID(cpu.number+1), fmt.Sprintf("CPU %d, thread 0x%08x", cpu.number, cpu.thread)
		if d.hasArch && cpu.arch.regs == d.arch.regs {
			c.Crashed().Name = t.Name
			continue
		}
		t.ID += 1
		c.Threads = append(c.Threads, t)
	}
}

// alignBit of the stacked xPSR says that the frame has a word of padding
// (Armv7-M ARM B1.5.7).
const alignBit = 1 << 9

// settleSP finds out what SP means by the exception frame in the dumped stack:
// today's kernels give the SP that the code had before the exception; earlier
// ones left out the padding word, and the first ones gave the address of the
// frame. Where the stack is not in the dump SP is taken as it is.
func (d *dump) settleSP(t *crash.Thread) {
	sp, ok := t.Regs.Get(core.SP)
	if !ok {
		return
	}
	pad := uint32(0)
	if t.Regs.Value(core.PSR)&alignBit != 0 {
		pad = 4
	}
	for _, size := range [...]uint32{crash.BasicFrame, crash.ExtendedFrame} {
		if d.frameAt(core.Addr(sp-size-pad), &t.Regs) {
			return
		}
	}
	for _, size := range [...]uint32{crash.BasicFrame, crash.ExtendedFrame} {
		if pad != 0 && d.frameAt(core.Addr(sp-size), &t.Regs) {
			t.Regs.Set(core.SP, sp+pad)
			return
		}
	}
	if d.frameAt(core.Addr(sp), &t.Regs) {
		t.Regs.Set(core.SP, sp+crash.BasicFrame+pad)
		d.crash.Warnf("SP in the dump is the address of the exception frame; the frame is taken to have no floating-point registers")
	}
}

// frameAt reports whether dumped memory at a holds the exception frame that the
// registers are from.
func (d *dump) frameAt(a core.Addr, regs *core.Regs) bool {
	for _, p := range d.crash.Memory {
		if a < p.Addr || uint64(a)+crash.BasicFrame > uint64(p.Addr)+uint64(len(p.Data)) {
			continue
		}
		return crash.IsFrame(p.Data[a-p.Addr:], regs)
	}
	return false
}
