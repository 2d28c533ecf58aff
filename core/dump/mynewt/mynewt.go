// Package mynewt reads the core files of Apache Mynewt (kernel/os's coredump,
// sys/coredump): TLVs behind a magic number, as they lie in flash. Registers are
// those before the exception.
package mynewt

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/internal/cursor"
)

const name = "Mynewt core file"

// Layout (sys/coredump/include/coredump/coredump.h): a header of magic and size,
// then TLVs of type, padding, length and offset.
const (
	magic      = 0x690c47c3
	headerSize = 8
	tlvSize    = 8
)

// Types of TLVs.
const (
	tlvImage     = 1 // SHA-256 of the image
	tlvMemory    = 2 // the offset is the address
	tlvRegisters = 3 // r0 to xPSR
)

// Is tells a core file by its magic number.
func Is(data []byte) bool {
	return len(data) >= headerSize && binary.LittleEndian.Uint32(data) == magic
}

// Read reads a core file.
func Read(data []byte) ([]*crash.Crash, error) {
	c := &crash.Crash{Format: name, System: "Apache Mynewt", Profile: core.ProfileM, ProfileKnown: true}
	size := uint64(binary.LittleEndian.Uint32(data[4:]))
	switch {
	case size == 0xffffffff:
		c.Truncated = true
		c.Warnf("the device did not finish the core file: its size is not written")
	case size > uint64(len(data)):
		c.Truncated = true
		c.Warnf("the core file is cut: %d of %d bytes are there", len(data), size)
	case size >= headerSize:
		data = data[:size]
	}
	readTLVs(c, data)
	if len(c.Threads) == 0 {
		c.Warnf("the core file has no registers")
	}
	return []*crash.Crash{c}, nil
}

// readTLVs reads what follows the header, up to erased flash.
func readTLVs(c *crash.Crash, data []byte) {
	for off := headerSize; off < len(data); {
		cur := cursor.New(name, data[off:])
		kind := cur.U8()
		cur.Skip(1)
		size, at := int(cur.U16()), cur.U32()
		if cur.Err() != nil || kind == 0xff && size == 0xffff {
			if cur.Err() != nil && len(bytes.Trim(data[off:], "\x00")) > 0 && data[off] != 0xff {
				c.Truncated = true
				c.Warnf("the core file ends in the header of a TLV at offset %#x", off)
			}
			return
		}
		content := data[off+tlvSize:]
		if size < len(content) {
			content = content[:size]
		} else if size > len(content) {
			c.Truncated = true
			c.Warnf("the TLV at offset %#x has %d of %d bytes", off, len(content), size)
		}
		if !add(c, kind, core.Addr(at), content) {
			c.Truncated = true
			c.Warnf("there is no TLV at offset %#x (type %d): what follows is left out", off, kind)
			return
		}
		off += tlvSize + size
	}
}

// add adds the content of a TLV; false for a type that nobody knows.
func add(c *crash.Crash, kind byte, at core.Addr, content []byte) bool {
	switch kind {
	case tlvImage:
		c.Details = append(c.Details, "image hash "+hex.EncodeToString(content))
	case tlvMemory:
		c.AddMemory(at, content)
	case tlvRegisters:
		t := c.Crashed()
		t.ID, t.Faulted = 1, true
		cur := cursor.New(name, content)
		for r := core.R0; r <= core.PSR; r++ {
			v := cur.U32()
			if cur.Err() != nil {
				c.Warnf("the registers from %v on are missing", r)
				break
			}
			t.Regs.Set(r, v)
		}
		if cur.Len() > 0 {
			c.Skip(fmt.Sprintf("%d bytes behind the registers", cur.Len()))
		}
	default:
		return false
	}
	return true
}
