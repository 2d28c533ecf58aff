// Package elfcore writes ELF core files of stopped ARM machines, for gdb, lldb
// and whatever else reads cores: a process's core as Linux lays it out, with
// GDB's target description, which tells an M-profile core from others.
//
// struct elf_prstatus has no way to say that a register is not known: gdb shows
// 0 for it. What the format has no room for (MSP, PSP and the other special
// registers, which registers are unknown, names and states of threads) is in
// notes of the owner "PUSHMASK", which other readers pass over.
package elfcore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"pushmask/core"
)

// Core is what to write.
type Core struct {
	Profile core.Profile
	Program string // name of the program, "" if not known
	// Threads lists the threads, the one that debuggers shall select first. Their
	// IDs are positive and unique.
	Threads  []Thread
	Segments []Segment
}

// Thread is a thread with its registers.
type Thread struct {
	core.Thread
	Regs core.Regs
	// Interrupted is the thread whose interrupted code this one shows, for
	// debuggers that cannot unwind a hardware exception frame; 0 for a thread of
	// the machine.
	Interrupted core.ThreadID
}

// Segment is a range of memory. Source must have all of it.
type Segment struct {
	Addr        core.Addr
	Size        uint32 // bytes
	Source      core.Memory
	Write, Exec bool
}

// Limits of the format.
const maxSegments = 0xfffe // e_phnum without PN_XNUM, one of them for the notes

// ErrTooLarge is returned for what an ELF file of 32 bits has no room for.
var ErrTooLarge = errors.New("too much for a 32-bit ELF core")

// ELF constants (System V gABI; e_flags: ELF for the Arm Architecture, 4.3).
const (
	headerSize  = 52
	segmentSize = 32
	osABI       = 3 // ELFOSABI_GNU: lldb reads cores of known systems only
	typeCore    = 4
	machineARM  = 40
	eabi5       = 0x05000000
	ptLoad      = 1
	ptNote      = 4
	flagExec    = 1
	flagWrite   = 2
	flagRead    = 4
	dataAlign   = 4
)

// Write writes the core. The same Core gives the same bytes.
func Write(w io.Writer, c *Core) error {
	if len(c.Segments) >= maxSegments {
		return fmt.Errorf("%d segments: %w", len(c.Segments), ErrTooLarge)
	}
	notes := c.notes()
	offset := uint64(headerSize + segmentSize*(len(c.Segments)+1))
	headers := programHeader(ptNote, uint32(offset), 0, uint32(len(notes)), 0)
	offset += uint64(len(notes))
	for _, s := range c.Segments {
		if offset+uint64(s.Size) > math.MaxUint32 {
			return fmt.Errorf("memory up to %v: %w", s.Addr, ErrTooLarge)
		}
		headers = append(headers, programHeader(ptLoad, uint32(offset), s.Addr, s.Size, s.flags())...)
		offset += uint64(s.Size)
	}
	for _, part := range [][]byte{fileHeader(len(c.Segments) + 1), headers, notes} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("write core: %w", err)
		}
	}
	for i := range c.Segments {
		if err := c.Segments[i].copy(w); err != nil {
			return err
		}
	}
	return nil
}

func fileHeader(segments int) []byte {
	le := binary.LittleEndian
	b := append([]byte("\x7fELF\x01\x01\x01"), osABI)
	b = append(b, make([]byte, 8)...)
	b = le.AppendUint16(b, typeCore)
	b = le.AppendUint16(b, machineARM)
	b = le.AppendUint32(b, 1)          // e_version
	b = le.AppendUint32(b, 0)          // e_entry
	b = le.AppendUint32(b, headerSize) // e_phoff
	b = le.AppendUint32(b, 0)          // e_shoff
	b = le.AppendUint32(b, eabi5)
	for _, v := range [...]uint16{headerSize, segmentSize, uint16(segments), 0, 0, 0} {
		b = le.AppendUint16(b, v)
	}
	return b
}

func programHeader(typ, offset uint32, addr core.Addr, size, flags uint32) (b []byte) {
	mem := size
	if typ == ptNote {
		mem = 0
	}
	for _, v := range [...]uint32{typ, offset, uint32(addr), uint32(addr), size, mem, flags, dataAlign} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func (s *Segment) flags() uint32 {
	f := uint32(flagRead)
	if s.Write {
		f |= flagWrite
	}
	if s.Exec {
		f |= flagExec
	}
	return f
}

// copy writes the content in pieces.
func (s *Segment) copy(w io.Writer) error {
	const piece = 64 << 10
	var buf [piece]byte
	for done := uint32(0); done < s.Size; {
		n := min(s.Size-done, piece)
		if _, err := s.Source.ReadAt(s.Addr+core.Addr(done), buf[:n]); err != nil {
			return fmt.Errorf("read memory at %v: %w", s.Addr+core.Addr(done), err)
		}
		if _, err := w.Write(buf[:n]); err != nil {
			return fmt.Errorf("write core: %w", err)
		}
		done += n
	}
	return nil
}
