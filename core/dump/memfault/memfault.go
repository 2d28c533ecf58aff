// Package memfault reads the core dumps of Memfault's firmware SDK: the image
// that a device keeps in flash, and the chunks that carry it, as the SDK's data
// export prints them ("MC:" and base64). Layouts are those of the SDK's
// components/panics/src/memfault_coredump.c and
// components/util/src/memfault_chunk_transport.c.
//
// Registers are those before the exception. MSP and PSP are those of the
// handler.
package memfault

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/internal/cursor"
)

const name = "Memfault core dump"

// Header and block header of an image.
const (
	magic       = 0x45524f43 // "CORE"
	maxVersion  = 2
	headerSize  = 12
	blockHeader = 12
	footerMagic = 0x504d5544
)

// Types of blocks.
const (
	blockRegisters   = 0
	blockMemory      = 1
	blockSerial      = 2
	blockOldVersion  = 3
	blockHardware    = 4
	blockReason      = 5
	blockPadding     = 6
	blockMachine     = 7
	blockMPU         = 9
	blockVersion     = 10
	blockSoftware    = 11
	blockBuildID     = 12
	highestBlockType = 64 // what is above is taken for damage
)

// Is tells an image by its header.
func Is(data []byte) bool {
	if len(data) < headerSize {
		return false
	}
	version := binary.LittleEndian.Uint32(data[4:])
	return binary.LittleEndian.Uint32(data) == magic && version >= 1 && version <= maxVersion
}

// Read reads an image, with whatever follows it in flash. The error wraps
// [crash.ErrNotARM] for other architectures.
func Read(data []byte) ([]*crash.Crash, error) {
	c := &crash.Crash{Format: name}
	m := image{crash: c, b: data}
	if err := m.read(); err != nil {
		return nil, err
	}
	return []*crash.Crash{c}, nil
}

// image is a core dump while it is read.
type image struct {
	crash *crash.Crash
	b     []byte
	lost  []crash.Span // parts of b that did not arrive
	info  map[byte]string
	cpus  int
}

// read reads the header and all blocks.
func (m *image) read() error {
	c := m.crash
	m.info = make(map[byte]string)
	total := int64(binary.LittleEndian.Uint32(m.b[8:]))
	if total > int64(len(m.b)) {
		c.Truncated = true
		c.Warnf("the dump is cut: %d of %d bytes are there", len(m.b), total)
	} else if total >= headerSize {
		m.b = m.b[:total]
	}
	for off := headerSize; off < len(m.b); {
		size, err := m.readBlock(off)
		if err != nil {
			return err
		}
		if size < 0 {
			break
		}
		off += blockHeader + size
	}
	m.finish()
	return nil
}

// readBlock reads the block at off and returns the size of its content, -1 where
// the blocks end.
func (m *image) readBlock(off int) (int, error) {
	c := m.crash
	if m.footer(off) {
		return -1, nil
	}
	cur := cursor.New(name, m.b[off:])
	kind := cur.U8()
	cur.Skip(3)
	addr, size := cur.U32(), cur.U32()
	switch {
	case cur.Err() != nil || m.isLost(off, blockHeader):
		if !c.Truncated || m.isLost(off, blockHeader) {
			c.Truncated = true
			c.Warnf("the header of the block at offset %#x is missing: what follows is left out", off)
		}
		return -1, nil
	case kind >= highestBlockType:
		c.Truncated = true
		c.Warnf("there is no block at offset %#x (type %d): what follows is left out", off, kind)
		return -1, nil
	}
	content := m.b[off+blockHeader:]
	if uint64(size) < uint64(len(content)) {
		content = content[:size]
	}
	if kind == blockMemory {
		m.addMemory(core.Addr(addr), off+blockHeader, content)
	} else if m.isLost(off+blockHeader, len(content)) || uint64(len(content)) < uint64(size) {
		c.Warnf("%s at offset %#x is not whole and is left out", blockName(kind), off)
	} else if err := m.readContent(kind, content); err != nil {
		return -1, err
	}
	return int(min(uint64(size), uint64(len(m.b)))), nil
}

// footer reads the footer that ends an image of version 2: magic, flags of which
// bit 0 says that the storage was full, two reserved words.
func (m *image) footer(off int) bool {
	cur := cursor.New(name, m.b[off:])
	if cur.U32() != footerMagic {
		return false
	}
	if cur.U32()&1 != 0 {
		m.crash.Truncated = true
		m.crash.Warnf("the device had no room for the whole dump")
	}
	return true
}

func (m *image) isLost(off, size int) bool {
	for _, s := range m.lost {
		if int64(off) < s.Offset+s.Size && s.Offset < int64(off+size) {
			return true
		}
	}
	return false
}

// addMemory adds the content at off, without what did not arrive.
func (m *image) addMemory(a core.Addr, off int, content []byte) {
	from := 0
	for _, s := range m.lost {
		lo, hi := int(s.Offset)-off, int(s.Offset+s.Size)-off
		if hi <= from || lo >= len(content) {
			continue
		}
		if lo > from {
			m.crash.AddMemory(a+core.Addr(from), content[from:lo])
		}
		from = min(hi, len(content))
	}
	m.crash.AddMemory(a+core.Addr(from), content[from:])
}

var blockNames = map[byte]string{
	blockRegisters: "the registers", blockSerial: "the serial number", blockOldVersion: "the version",
	blockHardware: "the hardware version", blockReason: "the reason", blockMachine: "the machine type",
	blockMPU: "the state of the MPU", blockVersion: "the software version", blockSoftware: "the software type",
	blockBuildID: "the build ID",
}

func blockName(kind byte) string {
	if s, ok := blockNames[kind]; ok {
		return s
	}
	return fmt.Sprintf("a block of type %d", kind)
}

// readContent reads the content of a block that holds no memory.
func (m *image) readContent(kind byte, content []byte) error {
	c := m.crash
	switch kind {
	case blockRegisters:
		m.addRegisters(content)
	case blockMachine:
		return checkMachine(content)
	case blockReason:
		if len(content) >= 4 {
			c.Cause = ReasonText(binary.LittleEndian.Uint32(content))
		}
	case blockBuildID:
		c.BuildID = bytes.Clone(content)
	case blockSerial, blockOldVersion, blockHardware, blockVersion, blockSoftware:
		m.info[kind] = printable(content)
	case blockPadding:
	default:
		c.Skip(fmt.Sprintf("%s, %d bytes", blockName(kind), len(content)))
	}
	return nil
}

// checkMachine refuses other machines than ARM. The type is that of ELF; the
// SDK adds a bit of its own for Cortex-R.
func checkMachine(content []byte) error {
	const arm, cortexR, xtensa, riscv, aarch64 = 40, 0x10028, 94, 243, 183
	if len(content) < 4 {
		return nil
	}
	machine := binary.LittleEndian.Uint32(content)
	known := map[uint32]string{xtensa: "Xtensa", riscv: "RISC-V", aarch64: "AArch64"}
	switch {
	case machine == arm || machine == cortexR || machine == 0:
		return nil
	case known[machine] != "":
		return fmt.Errorf("the dump is of %s: %w", known[machine], crash.ErrNotARM)
	}
	return fmt.Errorf("the dump is of ELF machine %d: %w", machine, crash.ErrNotARM)
}

// printable keeps what can be shown of a string of the device.
func printable(b []byte) string {
	return string(bytes.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0xfffd {
			return -1
		}
		return r
	}, b))
}

// addRegisters adds the thread of a register block: r0 to xPSR, and on M-profile
// MSP and PSP. Several blocks are of several processors; the first is that which
// crashed.
func (m *image) addRegisters(content []byte) {
	const least = 17 * 4
	if len(content) < least {
		m.crash.Warnf("a register block of %d bytes is too short", len(content))
		return
	}
	m.cpus++
	t := crash.Thread{Thread: core.Thread{ID: core.ThreadID(m.cpus), Crashed: m.cpus == 1, Faulted: true}}
	cur := cursor.New(name, content)
	for r := core.R0; r <= core.PSP; r++ {
		if v := cur.U32(); cur.Err() == nil {
			t.Regs.Set(r, v)
		}
	}
	if t.Regs.Has(core.PSP) {
		m.crash.Profile, m.crash.ProfileKnown = core.ProfileM, true
		leaveFrame(&t.Regs)
	}
	m.crash.Threads = append(m.crash.Threads, t)
}

// leaveFrame makes the stack pointer that holds the exception frame what it was
// before the exception: SP.
func leaveFrame(regs *core.Regs) {
	sp := regs.Value(core.SP)
	for _, r := range [...]core.Reg{core.PSP, core.MSP} {
		if crash.IsFrameSize(sp - regs.Value(r)) {
			regs.Set(r, sp)
			return
		}
	}
}

// finish words what the device says of itself.
func (m *image) finish() {
	c := m.crash
	if m.cpus == 0 {
		c.Warnf("the dump has no registers")
	}
	software, version := m.info[blockSoftware], m.info[blockVersion]
	if version == "" {
		version = m.info[blockOldVersion]
	}
	switch {
	case software != "" && version != "":
		c.System = software + " " + version
	default:
		c.System = software + version
	}
	if s := m.info[blockSerial]; s != "" {
		c.Details = append(c.Details, "device "+s)
	}
	if s := m.info[blockHardware]; s != "" {
		c.Details = append(c.Details, "hardware "+s)
	}
}
