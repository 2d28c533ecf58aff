// Package zephyr reads the core dumps of Zephyr (subsys/debug/coredump): the
// binary form, the flash partition that it is kept in, and the "#CD:" lines of
// the logging backend.
//
// Registers are those of the instruction that faulted. The dump has neither
// MSP, PSP nor EXC_RETURN and no floating-point registers.
package zephyr

import (
	"encoding/binary"
	"fmt"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/internal/cursor"
)

// name is the format's name for people.
const name = "Zephyr core dump"

// Layout of struct coredump_hdr_t (include/zephyr/debug/coredump.h).
const (
	headerSize    = 12
	maxHeaderVer  = 2
	pointers32Bit = 5 // ptr_size_bits is a power of two
)

// Target codes (enum coredump_tgt_code). UniProton writes 5 for ARM.
const (
	targetUnknown = 0
	targetARM     = 3
	targetXtensa  = 5
)

var targets = map[uint16]string{
	1: "x86", 2: "x86-64", 4: "RISC-V", targetXtensa: "Xtensa", 6: "AArch64", 7: "ARC",
}

// Is tells by the first bytes whether data is a dump or the partition of one.
func Is(data []byte) bool {
	return plausibleHeader(data) || isPartition(data)
}

// plausibleHeader checks the fields of a header that have few values.
func plausibleHeader(b []byte) bool {
	if len(b) < headerSize || b[0] != 'Z' || b[1] != 'E' {
		return false
	}
	version, target := binary.LittleEndian.Uint16(b[2:]), binary.LittleEndian.Uint16(b[4:])
	return version >= 1 && version <= maxHeaderVer && target < 16 && b[6] >= pointers32Bit-1 && b[6] <= 7
}

// Read reads a binary dump or the image of a flash partition. The error wraps
// [crash.ErrNotARM] for other architectures.
func Read(data []byte) ([]*crash.Crash, error) {
	c := &crash.Crash{Format: name}
	if isPartition(data) {
		data = openPartition(c, data)
	}
	d := &dump{crash: c, b: data}
	if err := d.read(); err != nil {
		return nil, err
	}
	return []*crash.Crash{c}, nil
}

// Partition header, struct flash_hdr_t of coredump_backend_flash_partition.c:
// id "CD", version, size of the dump, flags, checksum, error; rounded up to the
// write block of the flash.
const (
	partitionHeader = 16
	maxWriteBlock   = 4096
)

// isPartition tells a partition by its header and the dump behind it.
func isPartition(b []byte) bool {
	return len(b) >= partitionHeader && string(b[:2]) == "CD" && binary.LittleEndian.Uint16(b[2:]) == 1 &&
		dumpInPartition(b) > 0
}

// dumpInPartition returns the offset of the dump in a partition, 0 if there is
// none: behind the header rounded up to some write block.
func dumpInPartition(b []byte) int {
	for block := partitionHeader; block <= maxWriteBlock && block < len(b); block *= 2 {
		if plausibleHeader(b[block:]) {
			return block
		}
	}
	return 0
}

// openPartition returns the dump in a partition and notes what its header says
// against it. The checksum is the sum of the dump's bytes.
func openPartition(c *crash.Crash, b []byte) []byte {
	h := cursor.New("partition", b[4:])
	size, _, sum, failed := h.U32(), h.U16(), h.U16(), int32(h.U32())
	b = b[dumpInPartition(b):]
	if failed != 0 {
		c.Warnf("the device noted error %d while it wrote the dump", failed)
	}
	if uint64(size) > uint64(len(b)) {
		c.Warnf("the partition promises a dump of %d bytes and has %d", size, len(b))
		return b
	}
	b = b[:size]
	var got uint16
	for _, v := range b {
		got += uint16(v)
	}
	if got != sum {
		c.Warnf("the checksum of the dump is %#04x, its header says %#04x: bytes have changed", got, sum)
	}
	return b
}

// dump is a dump while it is read.
type dump struct {
	crash *crash.Crash
	b     []byte
	off   int
	// text says that the dump was printed: lines may be missing.
	text bool
	// ended says that the end of a printed dump is there.
	ended   bool
	lines   []int // where in b the lines of a printed dump begin
	arch    archBlock
	hasArch bool
	cpus    []cpuState
	shifted []shiftedBlock
}

// read reads the header and all blocks.
func (d *dump) read() error {
	h := cursor.New(name, d.b)
	h.Skip(2)
	version, target, pointer := h.U16(), h.U16(), h.U8()
	h.Skip(1) // flags: a checksum is promised
	reason := h.U32()
	if err := h.Err(); err != nil {
		return fmt.Errorf("the dump ends in its header: %w", err)
	}
	if pointer != pointers32Bit {
		return fmt.Errorf("the dump is of a machine with %d-bit pointers: %w", 1<<min(pointer, 7), crash.ErrNotARM)
	}
	if err := d.checkTarget(target); err != nil {
		return err
	}
	d.crash.Profile, d.crash.ProfileKnown = core.ProfileM, true
	d.crash.System = "Zephyr"
	d.crash.Cause = ReasonText(reason)
	d.crash.Details = append(d.crash.Details, fmt.Sprintf("reason code %d, dump version %d", reason, version))
	d.off = headerSize
	d.readBlocks()
	d.finish()
	return nil
}

func (d *dump) checkTarget(target uint16) error {
	switch {
	case target == targetARM || target == targetUnknown:
		return nil
	case target == targetXtensa && d.looksARM():
		d.crash.Warnf("the target code 5 is Xtensa; UniProton writes it for ARM, and the registers look like that")
		return nil
	}
	machine, ok := targets[target]
	if !ok {
		machine = fmt.Sprintf("target code %d", target)
	}
	return fmt.Errorf("the dump is of %s: %w", machine, crash.ErrNotARM)
}

// looksARM tells by the first block whether the registers are those of a
// Cortex-M: a known size, and T32 state in an xPSR.
func (d *dump) looksARM() bool {
	const archHeader, xpsrOffset, tBit = 5, 28, 1 << 24
	b := d.b[headerSize:]
	if len(b) < archHeader+archV1 || b[0] != 'A' {
		return false
	}
	size := binary.LittleEndian.Uint16(b[3:])
	return archSizes[size] && binary.LittleEndian.Uint32(b[archHeader+xpsrOffset:])&tBit != 0
}
