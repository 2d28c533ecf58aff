// Package minidump reads minidumps with an ARM context, as Windows on ARM,
// Windows CE and Breakpad or Crashpad write them. Layouts are those of
// Microsoft's minidumpapiset.h and of Breakpad's
// google_breakpad/common/minidump_format.h and minidump_cpu_arm.h.
//
// Registers of the crashed thread are those of the exception record.
package minidump

import (
	"encoding/binary"
	"fmt"
	"unicode/utf16"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/internal/cursor"
)

const name = "minidump"

// Header: signature, version in the low half of the next word, number of
// streams, their directory.
const (
	signature  = "MDMP"
	version    = 0xa793
	headerSize = 32
)

// Types of streams.
const (
	streamThreads   = 3
	streamModules   = 4
	streamMemory    = 5
	streamException = 6
	streamSystem    = 7
	streamMemory64  = 9
)

// Bounds for damaged files.
const (
	maxStreams = 1 << 12
	maxEntries = 1 << 16
)

// Is tells a minidump by signature and version.
func Is(data []byte) bool {
	return len(data) >= headerSize && string(data[:4]) == signature && binary.LittleEndian.Uint16(data[4:]) == version
}

// location is where in the file something lies.
type location struct{ size, rva uint32 }

// dump is a minidump while it is read.
type dump struct {
	crash   *crash.Crash
	b       []byte
	streams map[uint32]location
	crashed uint32 // thread of the exception
	hasExc  bool
}

// Read reads a minidump. The error wraps [crash.ErrNotARM] for other
// processors.
func Read(data []byte) ([]*crash.Crash, error) {
	d := dump{crash: &crash.Crash{Format: name, Profile: core.ProfileA, ProfileKnown: true}, b: data, streams: make(map[uint32]location)}
	d.readDirectory()
	if err := d.checkSystem(); err != nil {
		return nil, err
	}
	context := d.readException()
	d.readThreads(context)
	d.readMemory()
	d.readMemory64()
	d.readModules()
	return []*crash.Crash{d.crash}, nil
}

// at returns the bytes of a location as far as the file has them.
func (d *dump) at(l location) []byte {
	if uint64(l.rva) >= uint64(len(d.b)) {
		return nil
	}
	b := d.b[l.rva:]
	return b[:min(uint64(l.size), uint64(len(b)))]
}

func readLocation(c *cursor.Cursor) location { return location{c.U32(), c.U32()} }

// readDirectory reads the list of streams; of two of a type the first counts.
func (d *dump) readDirectory() {
	c := cursor.New(name, d.b[8:])
	count, rva := c.U32(), c.U32()
	if count > maxStreams {
		d.crash.Warnf("the file promises %d streams; %d are read", count, maxStreams)
		count = maxStreams
	}
	dir := cursor.New(name, d.at(location{count * 12, rva}))
	for range count {
		kind, l := dir.U32(), readLocation(dir)
		if dir.Err() != nil {
			d.crash.Truncated = true
			d.crash.Warnf("the list of streams is not whole")
			return
		}
		if _, ok := d.streams[kind]; !ok {
			d.streams[kind] = l
		}
		if uint64(l.rva)+uint64(l.size) > uint64(len(d.b)) {
			d.crash.Truncated = true
			d.crash.Warnf("stream %d is cut or missing", kind)
		}
	}
}

// stream returns a cursor at the start of a stream, empty where there is none.
func (d *dump) stream(kind uint32) *cursor.Cursor {
	return cursor.New(name, d.at(d.streams[kind]))
}

// Processors of the system information (PROCESSOR_ARCHITECTURE_*).
const processorARM = 5

var processors = map[uint16]string{0: "x86", 1: "MIPS", 3: "PowerPC", 9: "x86-64", 12: "AArch64", 0x8003: "AArch64", 0x8006: "RISC-V"}

// Platforms of the system information that Breakpad adds to Microsoft's.
var platforms = map[uint32]string{2: "Windows", 3: "Windows CE", 0x8101: "Mac OS X", 0x8102: "iOS", 0x8201: "Linux", 0x8203: "Android"}

// checkSystem reads the system information: processor, then 6 bytes, version,
// build and platform.
func (d *dump) checkSystem() error {
	c := d.stream(streamSystem)
	processor := c.U16()
	c.Skip(6)
	major, minor, build, platform := c.U32(), c.U32(), c.U32(), c.U32()
	if c.Err() != nil {
		d.crash.Warnf("the file does not state its processor: ARM is assumed")
		return nil
	}
	if processor != processorARM {
		machine := processors[processor]
		if machine == "" {
			machine = fmt.Sprintf("processor type %d", processor)
		}
		return fmt.Errorf("the minidump is of %s: %w", machine, crash.ErrNotARM)
	}
	if s := platforms[platform]; s != "" {
		d.crash.System = fmt.Sprintf("%s %d.%d.%d", s, major, minor, build)
	}
	return nil
}

// readException reads the exception stream: the thread, the record and the
// context, which it returns.
func (d *dump) readException() location {
	c := d.stream(streamException)
	thread := c.U32()
	c.Skip(4)
	code := c.U32()
	c.Skip(4 + 8)
	addr := c.U64()
	c.Skip(4 + 4 + 15*8)
	context := readLocation(c)
	if c.Err() != nil {
		return location{}
	}
	d.crashed, d.hasExc = thread, true
	d.crash.Cause = codeText(code)
	d.crash.Details = append(d.crash.Details, fmt.Sprintf("exception code 0x%08x at address 0x%08x", code, uint32(addr)))
	return context
}

// codeText words exception codes of Windows, and signals, which Breakpad writes
// in their place.
func codeText(code uint32) string {
	if s, ok := codes[code]; ok {
		return s
	}
	return fmt.Sprintf("exception 0x%08x", code)
}

var codes = map[uint32]string{
	0xc0000005: "access violation", 0x80000002: "unaligned access", 0x80000003: "breakpoint",
	0xc000001d: "illegal instruction", 0xc0000094: "integer division by zero", 0xc00000fd: "stack overflow",
	0xc0000096: "privileged instruction", 0xc0000409: "stack buffer overrun",
	4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV",
}

// readThreads reads the list of threads with their contexts and stacks.
func (d *dump) readThreads(exception location) {
	c := d.stream(streamThreads)
	count := min(c.U32(), maxEntries)
	for i := range count {
		id := c.U32()
		c.Skip(12 + 8)
		start, stack, context := c.U64(), readLocation(c), readLocation(c)
		if c.Err() != nil {
			d.crash.Warnf("%d of %d threads are missing", count-i, count)
			break
		}
		t := crash.Thread{Thread: core.Thread{ID: core.ThreadID(int32(id)), Crashed: d.hasExc && id == d.crashed}}
		if t.Crashed && exception.size > 0 {
			context, t.Faulted = exception, true
		}
		if !readContext(&t.Regs, d.at(context)) {
			d.crash.Warnf("thread %d has no registers", id)
		}
		d.addMemory(start, stack)
		d.crash.Threads = append(d.crash.Threads, t)
	}
	if count == 0 {
		d.crash.Warnf("the file lists no threads")
	}
}

// Sizes and marks of an ARM context: Breakpad's has 368 bytes, Microsoft's 416.
const (
	breakpadSize = 368
	windowsSize  = 416
	windowsFlag  = 0x00200000
)

// readContext reads r0 to pc and the CPSR behind the flags, and the
// floating-point registers where the two layouts have them.
func readContext(regs *core.Regs, b []byte) bool {
	c := cursor.New(name, b)
	flags := c.U32()
	for r := core.R0; r <= core.PSR; r++ {
		if v := c.U32(); c.Err() == nil {
			regs.Set(r, v)
		}
	}
	if c.Err() != nil {
		return false
	}
	switch {
	case len(b) >= windowsSize && flags&windowsFlag != 0:
		regs.Set(core.FPSCR, c.U32())
		c.Skip(4)
	case len(b) >= breakpadSize:
		regs.Set(core.FPSCR, c.U32())
		c.Skip(4)
	default:
		return true
	}
	for i := range core.Reg(32) {
		regs.Set(core.S0+i, c.U32())
	}
	return true
}

// addMemory adds a range of the file; what lies above 4 GiB is none of ARM's.
func (d *dump) addMemory(start uint64, l location) {
	if start >= 1<<32 {
		return
	}
	d.crash.AddMemory(core.Addr(start), d.at(l))
}

func (d *dump) readMemory() {
	c := d.stream(streamMemory)
	for range min(c.U32(), maxEntries) {
		start, l := c.U64(), readLocation(c)
		if c.Err() != nil {
			return
		}
		d.addMemory(start, l)
	}
}

// readMemory64 reads the list of a full dump, whose contents follow each other
// from one offset on.
func (d *dump) readMemory64() {
	c := d.stream(streamMemory64)
	count, rva := c.U64(), c.U64()
	for range min(count, maxEntries) {
		start, size := c.U64(), c.U64()
		if c.Err() != nil || rva+size > 1<<32 || size > 1<<32 {
			return
		}
		d.addMemory(start, location{uint32(size), uint32(rva)})
		rva += size
	}
}

// moduleSize is the size of a MINIDUMP_MODULE.
const moduleSize = 108

// readModules reads the list of modules: the first is the program.
func (d *dump) readModules() {
	c := d.stream(streamModules)
	count := min(c.U32(), maxEntries)
	for i := range count {
		m := cursor.New(name, c.Bytes(moduleSize))
		base := m.U64()
		size := m.U32()
		m.Skip(8)
		nameAt := m.U32()
		if m.Err() != nil {
			return
		}
		path := d.text(nameAt)
		if i == 0 {
			d.crash.Executable = path
		}
		d.crash.Details = append(d.crash.Details, fmt.Sprintf("module %s at 0x%08x, %d bytes", path, uint32(base), size))
	}
}

// text reads a string: its length in bytes, then UTF-16.
func (d *dump) text(rva uint32) string {
	const longest = 1 << 12
	c := cursor.New(name, d.at(location{4, rva}))
	n := min(c.U32(), longest)
	c = cursor.New(name, d.at(location{n, rva + 4}))
	units := make([]uint16, 0, n/2)
	for c.Len() >= 2 {
		units = append(units, c.U16())
	}
	return string(utf16.Decode(units))
}
