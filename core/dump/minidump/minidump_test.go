package minidump

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"

	"pushmask/core"
	"pushmask/core/dump/crash"
)

// writer lays out a file: the header, then what is added, then the directory.
type writer struct {
	b       []byte
	streams []uint32 // type, size, offset
}

func u32(v ...uint32) (b []byte) {
	for _, w := range v {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func u64(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }

func (w *writer) put(parts ...[]byte) (size, rva uint32) {
	rva = uint32(len(w.b))
	for _, p := range parts {
		w.b = append(w.b, p...)
	}
	return uint32(len(w.b)) - rva, rva
}

func (w *writer) stream(kind uint32, parts ...[]byte) {
	size, rva := w.put(parts...)
	w.streams = append(w.streams, kind, size, rva)
}

func (w *writer) file() []byte {
	_, rva := w.put(u32(w.streams...))
	copy(w.b, append([]byte(signature), u32(version, uint32(len(w.streams)/3), rva)...))
	return w.b
}

// context is Breakpad's, or Microsoft's with its longer tail.
func context(windows bool, first uint32) []byte {
	flags, size := uint32(0x40000007), breakpadSize
	if windows {
		flags, size = 0x00200007, windowsSize
	}
	b := u32(flags)
	for i := range uint32(16) {
		b = append(b, u32(first+i)...)
	}
	b = append(b, u32(0x20000030, 0x03000000, 0)...)
	for i := range uint32(32) {
		b = append(b, u32(0x3f800000+i)...)
	}
	return append(b, make([]byte, size-len(b))...)
}

var stack = []byte(strings.Repeat("the stack ", 20))

func dumpOf(windows bool, processor uint16) []byte {
	w := &writer{b: make([]byte, headerSize)}
	w.stream(streamSystem, binary.LittleEndian.AppendUint16(nil, processor), make([]byte, 6), u32(4, 9, 1, 0x8201), make([]byte, 32))
	excSize, excAt := w.put(context(windows, 0x1000))
	handlerSize, handlerAt := w.put(context(windows, 0x7000))
	otherSize, otherAt := w.put(context(windows, 0x2000))
	stackSize, stackAt := w.put(stack)
	thread := func(id, cs, ca uint32) []byte {
		return append(append(append(u32(id, 0, 0, 0), make([]byte, 8)...), u64(0xbe000000)...), u32(stackSize, stackAt, cs, ca)...)
	}
	w.stream(streamThreads, u32(2), thread(77, handlerSize, handlerAt), thread(78, otherSize, otherAt))
	w.stream(streamException, u32(77, 0, 11, 0), u64(0), u64(0xdead), make([]byte, 8+15*8), u32(excSize, excAt))
	_, dataAt := w.put([]byte("data in ram"))
	w.stream(streamMemory, u32(1), u64(0x1000), u32(11, dataAt))
	w.stream(streamMemory64, u64(1), u64(uint64(dataAt)), u64(0x2000), u64(4))
	path := utf16.Encode([]rune("/usr/bin/app"))
	_, nameAt := w.put(u32(uint32(2 * len(path))))
	for _, c := range path {
		w.put([]byte{byte(c), byte(c >> 8)})
	}
	w.stream(streamModules, u32(1), u64(0x10000), u32(0x5000, 0, 0, nameAt), make([]byte, moduleSize-24))
	return w.file()
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, windows := range []bool{false, true} {
		data := dumpOf(windows, processorARM)
		if !Is(data) {
			t.Fatal("not recognised")
		}
		crashes, err := Read(data)
		if err != nil {
			t.Fatal(err)
		}
		c := crashes[0]
		if len(c.Warnings) > 0 || c.Cause != "SIGSEGV" || c.System != "Linux 4.9.1" || c.Executable != "/usr/bin/app" || len(c.Threads) != 2 {
			t.Errorf("warnings %q, cause %q, system %q, program %q, %d threads", c.Warnings, c.Cause, c.System, c.Executable, len(c.Threads))
		}
		r, o := &c.Crashed().Regs, &c.Threads[1].Regs
		if c.Crashed().ID != 77 || r.Value(core.PC) != 0x100f || r.Value(core.S31) != 0x3f80001f || r.Value(core.FPSCR) != 0x03000000 || o.Value(core.R0) != 0x2000 {
			t.Errorf("thread %d, pc %#x s31 %#x fpscr %#x", c.Crashed().ID, r.Value(core.PC), r.Value(core.S31), r.Value(core.FPSCR))
		}
		if len(c.Memory) != 4 || c.Memory[3].Addr != 0x2000 || string(c.Memory[3].Data) != "data" {
			t.Errorf("memory %v", c.Memory)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for machine, n := range map[string]uint16{"AArch64": 12, "x86-64": 9, "processor type 99": 99} {
		if _, err := Read(dumpOf(false, n)); !errors.Is(err, crash.ErrNotARM) || !strings.Contains(err.Error(), machine) {
			t.Errorf("%s: %v", machine, err)
		}
	}
	if Is([]byte("MDMP and other words, not a dump")) {
		t.Error("text is taken for a minidump")
	}
}

func TestTruncated(t *testing.T) {
	t.Parallel()
	data := dumpOf(false, processorARM)
	for n := headerSize; n < len(data); n++ {
		c, err := Read(data[:n])
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if len(c[0].Warnings) == 0 {
			t.Errorf("%d bytes: no warning", n)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(dumpOf(false, processorARM))
	f.Add(dumpOf(true, processorARM))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if Is(data) {
			Read(data)
		}
	})
}
