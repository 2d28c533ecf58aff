package dump

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

const elfFormat = "ELF core"

// Sizes and values of the ELF header (System V gABI, "ELF Header").
const (
	elfHeaderSize = 52
	elfClass32    = 1
	elfClass64    = 2
	elfLSB        = 1
	elfMSB        = 2
	elfOSABIARM   = 97
	elfTypeCore   = 4
	elfMachineARM = 40
)

// elfTypes names the values of e_type that are no core.
var elfTypes = map[uint16]string{
	1: "an object file",
	2: "an executable",
	3: "a position independent executable or a shared library",
}

// elfMachines names the values of e_machine that a user may meet.
var elfMachines = map[uint16]string{
	2: "SPARC", 3: "x86", 8: "MIPS", 20: "PowerPC", 21: "PowerPC 64", 22: "S/390", 42: "SuperH",
	62: "x86-64", 83: "AVR", 93: "ARC", 94: "Xtensa", 105: "MSP430", 173: "RX", 183: "AArch64",
	195: "ARCv2", 243: "RISC-V", 247: "BPF", 258: "LoongArch",
}

// elfHeader is what a core's header says that its identity does not.
type elfHeader struct {
	osABI            uint8
	phoff, shoff     uint32
	phnum, phentsize uint16
}

// openELF is the opener of 32-bit ARM ELF core files.
func openELF(in *input) (*Dump, error) {
	if !bytes.HasPrefix(in.head, []byte("\x7fELF")) {
		return nil, ErrUnrecognized
	}
	if len(in.head) < elfHeaderSize {
		return nil, &FormatError{elfFormat, in.size, fmt.Sprintf("the file ends in the ELF header, after %d of %d bytes", in.size, elfHeaderSize), nil}
	}
	if err := checkIdentity(in.head); err != nil {
		return nil, err
	}
	h := parseHeader(in.head)
	e := &elfCore{in: in, d: new(Dump), header: h}
	if err := e.readSegments(); err != nil {
		return nil, err
	}
	if err := e.readNotes(); err != nil {
		return nil, err
	}
	e.mapMemory()
	e.interpret()
	e.d.finish()
	return e.d, nil
}

// elfCore is a core file while it is read.
type elfCore struct {
	in       *input
	d        *Dump
	header   elfHeader
	segments []segment
	notes    []note
	// threadNotes are the NT_PRSTATUS notes of d.threads, index for index.
	threadNotes []note
}

// checkIdentity refuses every ELF that is no little-endian 32-bit ARM core.
// The first reason found is the one that helps most: what kind of file it is,
// then of which machine.
func checkIdentity(h []byte) error {
	class, data := h[4], h[5]
	fail := func(off int64, reason error, format string, args ...any) error {
		return &FormatError{elfFormat, off, fmt.Sprintf(format, args...), reason}
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch data {
	case elfLSB:
	case elfMSB:
		order = binary.BigEndian
	default:
		return fail(5, nil, "byte order is %d, not 1 (little-endian) or 2 (big-endian)", data)
	}
	if class != elfClass32 && class != elfClass64 {
		return fail(4, nil, "class is %d, not 1 (32 bit) or 2 (64 bit)", class)
	}
	if typ := order.Uint16(h[16:]); typ != elfTypeCore {
		name, ok := elfTypes[typ]
		if !ok {
			name = fmt.Sprintf("an ELF file of type %d", typ)
		}
		return fail(16, ErrNotCore, "this is %s, not a core file", name)
	}
	if machine := order.Uint16(h[18:]); machine != elfMachineARM {
		name, ok := elfMachines[machine]
		if !ok {
			name = fmt.Sprintf("ELF machine %d", machine)
		}
		return fail(18, ErrUnsupported, "the core is for %s; only 32-bit ARM is supported", name)
	}
	if class != elfClass32 {
		return fail(4, ErrUnsupported, "the core is for a 64-bit machine; only 32-bit ARM is supported")
	}
	if data == elfMSB {
		return fail(5, ErrUnsupported, "the core is for big-endian ARM; only little-endian is supported")
	}
	return nil
}

// parseHeader takes what the reader needs from the elfHeaderSize bytes of h.
func parseHeader(h []byte) elfHeader {
	le := binary.LittleEndian
	return elfHeader{
		osABI:     h[7],
		phoff:     le.Uint32(h[28:]),
		shoff:     le.Uint32(h[32:]),
		phentsize: le.Uint16(h[42:]),
		phnum:     le.Uint16(h[44:]),
	}
}
