package zephyr

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"pushmask/core"
	"pushmask/internal/cursor"
)

// The blocks of a dump (include/zephyr/debug/coredump.h): an id, a version, and
// for all but the checksum a length or a range.
const (
	blockArch     = 'A'
	blockMemory   = 'M'
	blockThreads  = 'T'
	blockCPU      = 'F'
	blockChecksum = 'C'
)

// Sizes of the headers of blocks, id included.
const (
	lengthHeader   = 5  // id, version, length
	memoryHeader   = 11 // id, version, start, end
	checksumHeader = 7  // id, version, CRC
)

// maxBlockVersion is the highest version of a block that is plausible.
const maxBlockVersion = 8

// readBlocks reads blocks up to the end, or to what is none.
func (d *dump) readBlocks() {
	for d.off < len(d.b) {
		size, ok := d.blockAt(d.off)
		if !ok {
			if !d.padding() {
				d.crash.Truncated = true
				d.crash.Warnf("there is no block at offset %#x (byte %#02x): what follows is left out", d.off, d.b[d.off])
			}
			return
		}
		d.readBlock(size)
	}
}

// padding reports whether only fill bytes of flash or of a transfer follow.
func (d *dump) padding() bool {
	const xmodemPad = 0x1a
	for _, v := range d.b[d.off:] {
		if v != 0 && v != 0xff && v != xmodemPad {
			return false
		}
	}
	return true
}

// blockAt returns the size of the content of the block at off, and whether
// there can be one.
func (d *dump) blockAt(off int) (size int, ok bool) {
	b := d.b[off:]
	if len(b) < 3 {
		return 0, false
	}
	if v := binary.LittleEndian.Uint16(b[1:]); v == 0 || v > maxBlockVersion {
		return 0, false
	}
	switch b[0] {
	case blockArch, blockThreads, blockCPU:
		if len(b) < lengthHeader {
			return 0, false
		}
		return int(binary.LittleEndian.Uint16(b[3:])), true
	case blockMemory:
		if len(b) < memoryHeader {
			return 0, false
		}
		start, end := binary.LittleEndian.Uint32(b[3:]), binary.LittleEndian.Uint32(b[7:])
		return int(end - start), start < end
	case blockChecksum:
		return 0, len(b) >= checksumHeader
	}
	return 0, false
}

func headerOf(id byte) int {
	switch id {
	case blockMemory:
		return memoryHeader
	case blockChecksum:
		return checksumHeader
	}
	return lengthHeader
}

// readBlock reads the block at the offset, whose content has size bytes.
func (d *dump) readBlock(size int) {
	at, id := d.off, d.b[d.off]
	head := d.b[at : at+headerOf(id)]
	d.off += len(head)
	content := d.take(size)
	if len(content) < size {
		d.crash.Truncated = true
		d.crash.Warnf("the block %q at offset %#x has %d of %d bytes", id, at, len(content), size)
	}
	switch id {
	case blockArch:
		d.readArch(head, content)
	case blockMemory:
		start := core.Addr(binary.LittleEndian.Uint32(head[3:]))
		d.addMemory(start, size, content)
	case blockChecksum:
		want := binary.LittleEndian.Uint32(head[3:])
		if got := crc32.ChecksumIEEE(d.b[:at]); got != want {
			d.crash.Warnf("the CRC of the dump is 0x%08x, it says 0x%08x: bytes have changed", got, want)
		}
	case blockCPU:
		d.readCPU(content)
	default:
		d.crash.Skip(fmt.Sprintf("block %q, %d bytes: the state of the kernel, without its address", id, len(content)))
	}
}

// take returns the content of a block and moves behind it. Where a printed dump
// lost lines, the next block begins before the content is complete.
func (d *dump) take(size int) []byte {
	end := d.off + size
	if end > len(d.b) || d.text && !d.blockFollows(end) {
		end = d.nextBlock(min(end, len(d.b)))
	}
	content := d.b[d.off:end]
	d.off = end
	return content
}

// blockFollows reports whether the dump ends at off or goes on with a block.
func (d *dump) blockFollows(off int) bool {
	if off == len(d.b) {
		return true
	}
	_, ok := d.blockAt(off)
	return ok
}

// nextBlock looks for the block that follows the one whose content begins at
// the offset and ends at limit or earlier: one whose own content ends where a
// block follows. It returns limit if there is none.
func (d *dump) nextBlock(limit int) int {
	if !d.text {
		return limit
	}
	for off := d.off; off < limit; off++ {
		size, ok := d.blockAt(off)
		if !ok || d.b[off] != blockMemory {
			continue
		}
		if end := off + memoryHeader + size; end <= len(d.b) && d.blockFollows(end) {
			return off
		}
	}
	return limit
}

// addMemory adds the memory of a block. Where bytes are missing in a dump whose
// end is there, they can be missing anywhere: then only what can be placed by
// the exception frame is taken; see anchored.
func (d *dump) addMemory(start core.Addr, size int, content []byte) {
	if len(content) < size && d.text && (d.ended || d.off < len(d.b)) {
		d.shifted = append(d.shifted, shiftedBlock{start, size, content})
		return
	}
	d.crash.AddMemory(start, content)
}

// readCPU reads the state of one processor of several: its number, its thread,
// and registers as in the block of the architecture.
func (d *dump) readCPU(content []byte) {
	c := cursor.New("CPU block", content)
	number, thread := c.U32(), c.U32()
	if c.Err() != nil {
		d.crash.Warnf("a CPU block of %d bytes is too short", len(content))
		return
	}
	var a archBlock
	if !a.parse(content[8:]) {
		d.crash.Skip(fmt.Sprintf("registers of CPU %d (thread 0x%08x), %d bytes", number, thread, len(content)-8))
		return
	}
	d.cpus = append(d.cpus, cpuState{number, thread, a})
}
