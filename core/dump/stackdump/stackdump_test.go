package stackdump

import (
	"encoding/binary"
	"slices"
	"testing"

	"pushmask/core"
)

func registers(first int, v ...uint32) []byte {
	b := []byte{2, byte(first), byte(first >> 8), byte(len(v)), 0}
	for _, w := range v {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func memory(addr uint64, content []byte) []byte {
	b := binary.LittleEndian.AppendUint64([]byte{1}, addr)
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(content))), content...)
}

func sequence(from uint32, n int) (v []uint32) {
	for i := range uint32(n) {
		v = append(v, from+i)
	}
	return v
}

func capture() [][]byte {
	return [][]byte{
		registers(0, sequence(100, 16)...),
		memory(0x20000000, []byte("stack and data")),
		memory(0x20000100, nil),
		registers(256, sequence(0x3f800000, 32)...),
		memory(0xe000ed28, []byte{0, 0x82, 0, 0}),
	}
}

func join(parts [][]byte) (b []byte) { return slices.Concat(parts...) }

func TestRead(t *testing.T) {
	t.Parallel()
	turned := capture()
	slices.Reverse(turned)
	for name, data := range map[string][]byte{"in order": join(capture()), "turned round": join(turned)} {
		if !Is(data) {
			t.Fatalf("%s: not recognised", name)
		}
		crashes, err := Read(data)
		if err != nil {
			t.Fatal(err)
		}
		c := crashes[0]
		r := &c.Crashed().Regs
		if r.Value(core.PC) != 115 || r.Value(core.R0) != 100 || r.Value(core.S31) != 0x3f80001f || r.Has(core.PSR) {
			t.Errorf("%s: pc %d r0 %d s31 %#x", name, r.Value(core.PC), r.Value(core.R0), r.Value(core.S31))
		}
		if len(c.Memory) != 2 || len(c.Warnings) > 0 {
			t.Errorf("%s: %d pieces of memory, warnings %q", name, len(c.Memory), c.Warnings)
		}
	}
}

func TestIs(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{
		"nothing":           nil,
		"text":              []byte("\x02\x00hello"),
		"memory only":       memory(0x20000000, []byte("x")),
		"64-bit address":    append(memory(1<<40, []byte("x")), registers(0, sequence(0, 16)...)...),
		"another register":  registers(40, 1, 2),
		"other bytes after": append(registers(0, sequence(0, 16)...), "\x07rest"...),
	} {
		if Is(data) {
			t.Errorf("%s is taken for a capture", name)
		}
	}
}

func TestTruncated(t *testing.T) {
	t.Parallel()
	data := join(capture())
	whole := len(capture()[0])
	for n := range data {
		crashes, err := Read(data[:n])
		if err != nil {
			t.Fatal(err)
		}
		r := &crashes[0].Crashed().Regs
		for i := core.R0; i <= core.PC; i++ {
			if v, ok := r.Get(i); ok && v != 100+uint32(i) || !ok && n >= whole {
				t.Fatalf("%d bytes: %v is %d, known %v", n, i, v, ok)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(join(capture()))
	f.Fuzz(func(t *testing.T, data []byte) {
		Is(data)
		c, _ := Read(data)
		n := 0
		for _, p := range c[0].Memory {
			n += len(p.Data)
		}
		if n > len(data) {
			t.Errorf("%d bytes of memory from %d", n, len(data))
		}
	})
}
