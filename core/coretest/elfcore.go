package coretest

import (
	"cmp"
	"encoding/binary"
)

// ELFCore describes an ELF core file. It is written from the specifications
// alone (System V gABI; Linux include/linux/elfcore.h) and shares nothing with
// the reader, so that a mistake in one shows in the other. The zero value of a
// field stands for what a sound little-endian 32-bit ARM core has; any other
// value is written as it is, however wrong.
type ELFCore struct {
	Class, Data, OSABI byte
	Type, Machine      uint16
	Flags              uint32
	Segments           []ELFSegment
	// HeaderSize is e_phentsize; the headers are still 32 bytes each.
	HeaderSize uint16
	// Count is e_phnum. 0xffff adds a section 0 whose sh_info is XCount, or
	// the true number when that is 0.
	Count  uint16
	XCount uint32
	// NoSection leaves out section 0 in spite of Count 0xffff.
	NoSection bool
	// Align, a power of two, pads to where the data of each segment begins,
	// as NuttX does.
	Align int
}

// ELFSegment is a program header with its data.
type ELFSegment struct {
	Type uint32 // 0 stands for PT_LOAD
	Addr uint32
	Data []byte
	// FileSize and MemSize are p_filesz and p_memsz; 0 stands for the length
	// of Data.
	FileSize, MemSize uint32
	// Offset is p_offset; 0 stands for the place of Data.
	Offset uint32
}

// Program header types.
const (
	elfLoad = 1
	elfNote = 4
)

// NoteSegment is a PT_NOTE segment of the given notes.
func NoteSegment(notes ...[]byte) ELFSegment {
	s := ELFSegment{Type: elfNote}
	for _, n := range notes {
		s.Data = append(s.Data, n...)
	}
	return s
}

// ELFNote is a note whose name is followed by a NUL, as usual.
func ELFNote(name string, typ uint32, desc []byte) []byte {
	return RawELFNote(append([]byte(name), 0), typ, desc)
}

// RawELFNote is a note whose name is exactly the given bytes.
func RawELFNote(name []byte, typ uint32, desc []byte) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, uint32(len(name)))
	b = le.AppendUint32(b, uint32(len(desc)))
	b = le.AppendUint32(b, typ)
	return pad(append(pad(append(b, name...), 4), desc...), 4)
}

// PRStatus is the descriptor of an NT_PRSTATUS note, 148 bytes.
type PRStatus struct {
	Signal int
	PID    int32
	Regs   [17]uint32 // r0-r12, sp, lr, pc, psr
}

// Bytes returns the descriptor.
func (p PRStatus) Bytes() []byte {
	le := binary.LittleEndian
	b := make([]byte, 148)
	le.PutUint32(b[0:], uint32(p.Signal)) // pr_info.si_signo
	le.PutUint16(b[12:], uint16(p.Signal))
	le.PutUint32(b[24:], uint32(p.PID))
	for i, v := range p.Regs {
		le.PutUint32(b[72+4*i:], v)
	}
	return b
}

// Note returns the whole note with the name "CORE".
func (p PRStatus) Note() []byte { return ELFNote("CORE", 1, p.Bytes()) }

// PRPSInfo returns the descriptor of an NT_PRPSINFO note, 124 bytes.
func PRPSInfo(pid int32, name, args string) []byte {
	b := make([]byte, 124)
	binary.LittleEndian.PutUint32(b[12:], uint32(pid))
	copy(b[28:44], name)
	copy(b[44:], args)
	return b
}

// VFP returns an NT_ARM_VFP note in which s(n) is base+n and d16 to d31 go on
// like that.
func VFP(base, fpscr uint32) []byte {
	var b []byte
	for i := range uint32(64) {
		b = binary.LittleEndian.AppendUint32(b, base+i)
	}
	return ELFNote("LINUX", 0x400, binary.LittleEndian.AppendUint32(b, fpscr))
}

// SigInfo returns an NT_SIGINFO note.
func SigInfo(signo, code int32, addr uint32) []byte {
	b := make([]byte, 128)
	binary.LittleEndian.PutUint32(b[0:], uint32(signo))
	binary.LittleEndian.PutUint32(b[8:], uint32(code))
	binary.LittleEndian.PutUint32(b[12:], addr)
	return ELFNote("CORE", 0x53494749, b)
}

// Words returns little-endian words, the descriptor of NT_AUXV and others.
func Words(words ...uint32) []byte {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// MappedFile is an entry of [FileNote].
type MappedFile struct {
	Start, End, Page uint32
	Path             string
}

// FileNote returns an NT_FILE note with pages of 4096 bytes.
func FileNote(files ...MappedFile) []byte {
	b := Words(uint32(len(files)), 4096)
	for _, f := range files {
		b = append(b, Words(f.Start, f.End, f.Page)...)
	}
	for _, f := range files {
		b = append(append(b, f.Path...), 0)
	}
	return ELFNote("CORE", 0x46494c45, b)
}

// Bytes returns the file.
func (c ELFCore) Bytes() []byte {
	count := len(c.Segments)
	body := 52 + 32*count
	section := c.Count == 0xffff && !c.NoSection
	if section {
		body += 40
	}
	var headers, data []byte
	for _, s := range c.Segments {
		if c.Align > 0 {
			data = append(data, make([]byte, -(body+len(data))&(c.Align-1))...)
		}
		n := uint32(len(s.Data))
		headers = append(headers, Words(
			cmp.Or(s.Type, elfLoad), cmp.Or(s.Offset, uint32(body+len(data))), s.Addr, s.Addr,
			cmp.Or(s.FileSize, n), cmp.Or(s.MemSize, n), 7, 4)...)
		data = append(data, s.Data...)
	}
	b := append(c.header(count, section), headers...)
	if section {
		b = append(b, Words(0, 0, 0, 0, 0, 0, 0, cmp.Or(c.XCount, uint32(count)), 0, 0)...)
	}
	return append(b, data...)
}

// header returns the ELF header.
func (c ELFCore) header(count int, section bool) []byte {
	b := []byte{0x7f, 'E', 'L', 'F', cmp.Or(c.Class, 1), cmp.Or(c.Data, 1), 1, c.OSABI, 0, 0, 0, 0, 0, 0, 0, 0}
	order := binary.AppendByteOrder(binary.LittleEndian)
	if c.Data == 2 {
		order = binary.BigEndian
	}
	u16 := func(v uint16) { b = order.AppendUint16(b, v) }
	u32 := func(v uint32) { b = order.AppendUint32(b, v) }
	u16(cmp.Or(c.Type, 4))
	u16(cmp.Or(c.Machine, 40))
	u32(1)
	u32(0)  // e_entry
	u32(52) // e_phoff
	if section {
		u32(uint32(52 + 32*count))
	} else {
		u32(0)
	}
	u32(c.Flags)
	u16(52)
	u16(cmp.Or(c.HeaderSize, 32))
	u16(cmp.Or(c.Count, uint16(count)))
	u16(40)
	if section {
		u16(1)
	} else {
		u16(0)
	}
	u16(0)
	return b
}

func pad(b []byte, n int) []byte {
	for len(b)%n != 0 {
		b = append(b, 0)
	}
	return b
}
