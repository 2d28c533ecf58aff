// Package crashcatcher reads the dumps of CrashCatcher
// (github.com/adamgreen/CrashCatcher), versions 2 and 3: the binary form, as
// ArduPilot and Prusa printers keep it in flash too, and the hexadecimal text
// that its HexDump variant prints.
//
// Registers are those of the instruction that faulted. MSP and PSP are those at
// the entry of the fault handler: one of them is the address of the exception
// frame.
package crashcatcher

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/internal/cursor"
)

// Signature and versions (CrashCatcher Core/src/CrashCatcherPriv.h).
var signature = []byte("cC")

const (
	version2 = 2 // without MSP, PSP and the handler's xPSR
	version3 = 3
)

// flagFP says that the registers of the FPU follow; the other flags are
// reserved.
const flagFP = 1

// overflowed ends a dump whose writer ran out of stack.
var overflowed = []byte{0xac, 0xce, 0x55, 0xed}

const name = "CrashCatcher dump"

// Is tells a dump by its first bytes: signature, version and flags.
func Is(data []byte) bool {
	if len(data) < 8 || !bytes.HasPrefix(data, signature) {
		return false
	}
	return (data[2] == version2 || data[2] == version3) && binary.LittleEndian.Uint32(data[4:]) <= flagFP
}

// Read reads a binary dump.
func Read(data []byte) ([]*crash.Crash, error) {
	c := &crash.Crash{Format: name}
	read(c, trim(c, data))
	return []*crash.Crash{c}, nil
}

// The trailers that ArduPilot ends a flash image with: since 2026 a block of 32
// bytes, before that the size of the dump in the last word.
const (
	trailerSize  = 32
	trailerMagic = "APCDUMP\x00"
)

// trim cuts what flash and transfer add behind a dump.
func trim(c *crash.Crash, data []byte) []byte {
	if n := len(data) - trailerSize; n > 0 && bytes.HasPrefix(data[n:], []byte(trailerMagic)) {
		return withTrailer(c, data[:n], data[n:])
	}
	if n := len(data) - 4; n > 0 && len(data)%32 == 0 {
		size := binary.LittleEndian.Uint32(data[n:])
		if size >= 8 && uint64(size) <= uint64(n) && filled(data[size:n]) {
			c.Format = name + " (ArduPilot)"
			return data[:size]
		}
	}
	return data
}

// filled tells erased flash.
func filled(b []byte) bool { return len(withoutFill(b)) == 0 }

// withoutFill cuts erased flash off the end.
func withoutFill(b []byte) []byte {
	n := len(b)
	for n > 0 && b[n-1] == 0xff {
		n--
	}
	return b[:n]
}

// withTrailer returns the dump in front of ArduPilot's trailer: magic, version,
// size of the trailer, git hash, CRC and size of the firmware, CRC of the
// trailer (reflected 0xEDB88320, start 0, no inversion, its own field 0), size
// of the dump.
func withTrailer(c *crash.Crash, data, trailer []byte) []byte {
	c.Format = name + " (ArduPilot)"
	t := cursor.New("trailer", trailer)
	t.Skip(len(trailerMagic) + 4)
	hash := t.U32()
	t.Skip(8)
	sum, size := t.U32(), t.U32()
	c.System = fmt.Sprintf("ArduPilot, git %08x", hash)
	zeroed := bytes.Clone(trailer)
	clear(zeroed[24:28])
	if plainCRC(zeroed) != sum {
		c.Warnf("the checksum of the trailer is wrong: its size of the dump is not used")
		return withoutFill(data)
	}
	if uint64(size) > uint64(len(data)) {
		c.Warnf("the dump has %d bytes, of which %d are in the file", size, len(data))
		c.Truncated = true
		return data
	}
	return data[:size]
}

// plainCRC is CRC-32 that starts with 0 and is not inverted.
func plainCRC(b []byte) uint32 { return ^crc32.Update(^uint32(0), crc32.IEEETable, b) }

// read reads a dump whose signature has been seen: flags, r0 to xPSR, and in
// version 3 MSP, PSP and the xPSR of the handler.
func read(c *crash.Crash, data []byte) {
	cur := cursor.New(name, data)
	cur.Skip(2)
	major, minor := cur.U8(), cur.U8()
	flags := cur.U32()
	c.Details = append(c.Details, fmt.Sprintf("dump version %d.%d", major, minor))
	c.Profile, c.ProfileKnown = core.ProfileM, true
	t := c.Crashed()
	t.Faulted, t.ID = true, 1
	set := func(r core.Reg) {
		if v := cur.U32(); cur.Err() == nil {
			t.Regs.Set(r, v)
		}
	}
	for r := core.R0; r <= core.PSR; r++ {
		set(r)
	}
	if major == version3 {
		set(core.MSP)
		set(core.PSP)
		if psr := cur.U32(); cur.Err() == nil {
			noteHandler(c, psr)
		}
	}
	if flags&flagFP != 0 {
		for i := range core.Reg(32) {
			set(core.S0 + i)
		}
		set(core.FPSCR)
	}
	settle(c, t)
	if cur.Err() != nil {
		c.Truncated = true
		c.Warnf("the dump ends in its registers, after %d bytes", len(data))
		return
	}
	readMemory(c, data[cur.Off():])
}

// noteHandler notes which exception the dump was taken in.
func noteHandler(c *crash.Crash, psr uint32) {
	const ipsr, hardFault = 0x1ff, 3
	if n := psr & ipsr; n != hardFault && n != 0 {
		c.Details = append(c.Details, fmt.Sprintf("taken in exception %d", n))
	}
}

// settle makes MSP and PSP those of the faulting code: the one that held the
// exception frame is SP, without the frame. In a dump of version 2 which of them
// SP is is not known.
func settle(c *crash.Crash, t *crash.Thread) {
	sp, hasSP := t.Regs.Get(core.SP)
	msp, hasMSP := t.Regs.Get(core.MSP)
	psp, hasPSP := t.Regs.Get(core.PSP)
	if !hasMSP || !hasPSP || !hasSP || !t.Regs.Has(core.PSR) {
		t.Regs.Forget(core.MSP)
		t.Regs.Forget(core.PSP)
		return
	}
	const ipsr = 0x1ff
	inThread := t.Regs.Value(core.PSR)&ipsr == 0
	switch {
	case crash.IsFrameSize(sp-msp) && !(inThread && crash.IsFrameSize(sp-psp)):
		t.Regs.Set(core.MSP, sp)
	case crash.IsFrameSize(sp-psp) && inThread:
		t.Regs.Set(core.PSP, sp)
	default:
		c.Warnf("neither MSP 0x%08x nor PSP 0x%08x is the address of the exception frame below SP 0x%08x", msp, psp, sp)
	}
}

// readMemory reads the regions: start, end, content.
func readMemory(c *crash.Crash, data []byte) {
	for len(data) > 0 {
		if bytes.HasPrefix(data, overflowed) && padding(data[len(overflowed):]) {
			c.Warnf("the crash handler ran out of stack while it wrote the dump: memory may be damaged")
			return
		}
		cur := cursor.New(name, data)
		start, end := cur.U32(), cur.U32()
		if cur.Err() != nil || end <= start {
			if !padding(data) {
				c.Truncated = true
				c.Warnf("there is no region of memory %d bytes before the end of the dump: what follows is left out", len(data))
			}
			return
		}
		content := data[cur.Off():]
		if size := end - start; uint64(size) <= uint64(len(content)) {
			c.AddMemory(core.Addr(start), content[:size])
			data = content[size:]
			continue
		}
		c.Truncated = true
		c.Warnf("the dump ends after %d of %d bytes of the memory at %v", len(content), end-start, core.Addr(start))
		c.AddMemory(core.Addr(start), content)
		return
	}
}

// padding tells what transfers and flash put behind a dump: XMODEM's 0x1a,
// erased flash, zeros.
func padding(b []byte) bool {
	for _, v := range b {
		if v != 0x1a && v != 0xff && v != 0 {
			return false
		}
	}
	return true
}
