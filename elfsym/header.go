package elfsym

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// Sizes of the ELF32 structures (System V ABI, "Object Files").
const (
	ehdrSize = 52
	phdrSize = 32
	shdrSize = 40
	symSize  = 16
)

// machineNames names the machines whose files people mix up with ARM firmware.
var machineNames = map[elf.Machine]string{
	elf.EM_386: "x86", elf.EM_X86_64: "x86-64", elf.EM_AARCH64: "AArch64",
	elf.EM_XTENSA: "Xtensa", elf.EM_RISCV: "RISC-V", elf.EM_MIPS: "MIPS",
	elf.EM_PPC: "PowerPC", elf.EM_AVR: "AVR", elf.EM_MSP430: "MSP430",
}

// headerCheck validates the file header before debug/elf sees the file.
type headerCheck struct {
	path string
	size int64
}

func (h headerCheck) fail(off int64, reason error, remedy, detail string, args ...any) error {
	return &FormatError{h.path, off, reason, fmt.Sprintf(detail, args...), remedy}
}

// check reads the ELF header of r and refuses everything that is not a linked
// little-endian 32-bit ARM file with all its headers present.
func (h headerCheck) check(r io.ReaderAt) error {
	var b [ehdrSize]byte
	n, err := r.ReadAt(b[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read %s: %w", h.path, err)
	}
	if n < 4 || string(b[:4]) != elf.ELFMAG {
		return h.notELF(b[:n])
	}
	if n < ehdrSize {
		return h.truncated(0, "%d bytes, the header alone takes %d", n, ehdrSize)
	}
	if err := h.ident(b[:]); err != nil {
		return err
	}
	switch t := elf.Type(binary.LittleEndian.Uint16(b[16:])); t {
	case elf.ET_EXEC, elf.ET_DYN:
	case elf.ET_CORE:
		return h.fail(16, ErrCore, "give the firmware's .elf here and this file as the dump", "ELF type core")
	case elf.ET_REL:
		return h.fail(16, ErrObject, "give the .elf that the linker wrote", "ELF type relocatable")
	default:
		return h.fail(16, ErrMalformed, "", "ELF type %d", uint16(t))
	}
	if err := h.table(b[28:], b[42:], phdrSize, "program headers"); err != nil {
		return err
	}
	return h.table(b[32:], b[46:], shdrSize, "section headers")
}

// ident checks class, data encoding and machine. The machine is looked at
// first because its name tells the user more than "64-bit".
func (h headerCheck) ident(b []byte) error {
	const remedy = "give the .elf of the ARM firmware that crashed"
	class, data := elf.Class(b[4]), elf.Data(b[5])
	var order binary.ByteOrder = binary.LittleEndian
	if data == elf.ELFDATA2MSB {
		order = binary.BigEndian
	}
	if m := elf.Machine(order.Uint16(b[18:])); m != elf.EM_ARM {
		name := machineNames[m]
		if name == "" {
			name = "machine"
		}
		return h.fail(18, ErrNotARM, remedy, "%s, ELF machine %d, expected ARM, %d", name, uint16(m), uint16(elf.EM_ARM))
	}
	switch {
	case class == elf.ELFCLASS64:
		return h.fail(4, ErrClass64, remedy, "class 2")
	case class != elf.ELFCLASS32:
		return h.fail(4, ErrMalformed, "", "ELF class %d", b[4])
	case data == elf.ELFDATA2MSB:
		return h.fail(5, ErrBigEndian, "only little-endian ARM is supported", "data encoding 2")
	case data != elf.ELFDATA2LSB:
		return h.fail(5, ErrMalformed, "", "ELF data encoding %d", b[5])
	}
	return nil
}

// table checks that a header table lies within the file. off and geometry
// point at the table's e_?off and at e_?entsize, e_?num.
func (h headerCheck) table(off, geometry []byte, want uint16, what string) error {
	pos := int64(binary.LittleEndian.Uint32(off))
	entry, count := binary.LittleEndian.Uint16(geometry), binary.LittleEndian.Uint16(geometry[2:])
	if count == 0 || pos == 0 {
		return nil
	}
	if entry != want {
		return h.fail(pos, ErrMalformed, "", "%s are %d bytes each, expected %d", what, entry, want)
	}
	if end := pos + int64(entry)*int64(count); end > h.size {
		return h.truncated(pos, "%s end at %#x, the file at %#x", what, end, h.size)
	}
	return nil
}

func (h headerCheck) truncated(off int64, detail string, args ...any) error {
	return h.fail(off, ErrTruncated, "copy or build the file again", detail, args...)
}

// notELF names what people give instead of an ELF.
func (h headerCheck) notELF(b []byte) error {
	const remedy = "give the .elf that the linker wrote"
	text := bytes.TrimLeft(b, " \t\r\n")
	switch {
	case len(b) == 0:
		return h.fail(0, ErrNotELF, remedy, "the file is empty")
	case len(text) > 9 && text[0] == ':' && isHex(text[1:9]):
		return h.fail(0, ErrNotELF, remedy, "this is Intel HEX")
	case len(text) > 4 && text[0] == 'S' && isHex(text[1:4]):
		return h.fail(0, ErrNotELF, remedy, "this is Motorola S-record")
	case bytes.HasPrefix(b, []byte("UF2\n")):
		return h.fail(0, ErrNotELF, remedy, "this is UF2")
	case bytes.HasPrefix(b, []byte("!<arch>\n")):
		return h.fail(0, ErrNotELF, remedy, "this is a static library")
	}
	return h.fail(0, ErrNotELF, remedy, "begins with % x", b[:min(len(b), 4)])
}

func isHex(b []byte) bool {
	for _, c := range b {
		if !('0' <= c && c <= '9' || 'A' <= c && c <= 'F' || 'a' <= c && c <= 'f') {
			return false
		}
	}
	return true
}

// readerSize returns the number of bytes in r: from its Size or Stat method,
// else by probing up to the 4 GiB that ELF32 offsets can reach.
func readerSize(r io.ReaderAt) (int64, error) {
	switch s := r.(type) {
	case interface{ Size() int64 }:
		return s.Size(), nil
	case interface{ Stat() (os.FileInfo, error) }:
		fi, err := s.Stat()
		if err != nil {
			return 0, err
		}
		return fi.Size(), nil
	}
	var lo, hi int64 = 0, 1 << 32
	var one [1]byte
	for lo < hi {
		mid := lo + (hi-lo)/2
		if n, _ := r.ReadAt(one[:], mid); n == 1 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, nil
}
