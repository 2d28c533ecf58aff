package mynewt

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/dump/crash"
)

func tlv(kind byte, at uint32, content []byte) []byte {
	b := []byte{kind, 0, byte(len(content)), byte(len(content) >> 8)}
	return append(binary.LittleEndian.AppendUint32(b, at), content...)
}

func registers(n int) (b []byte) {
	for i := range uint32(n) {
		b = binary.LittleEndian.AppendUint32(b, 0x1000+i)
	}
	return b
}

var ram = []byte(strings.Repeat("memory of the machine. ", 40))

func file(size int, parts ...[]byte) []byte {
	body := slices.Concat(parts...)
	if size == 0 {
		size = headerSize + len(body)
	}
	b := binary.LittleEndian.AppendUint32(nil, magic)
	return append(binary.LittleEndian.AppendUint32(b, uint32(size)), body...)
}

func parts() [][]byte {
	return [][]byte{tlv(1, 0, make([]byte, 32)), tlv(3, 0, registers(17)), tlv(2, 0x20000000, ram[:512]), tlv(2, 0x20000200, ram[512:])}
}

// check compares what is there with what was written.
func check(t *testing.T, c *crash.Crash) (bytes int) {
	t.Helper()
	for _, th := range c.Threads {
		for r := core.R0; r <= core.PSR; r++ {
			if v, ok := th.Regs.Get(r); ok && v != 0x1000+uint32(r) {
				t.Errorf("%v is %#x", r, v)
			}
		}
	}
	for _, p := range c.Memory {
		if want := ram[p.Addr-0x20000000:]; string(want[:len(p.Data)]) != string(p.Data) {
			t.Errorf("memory at %v differs", p.Addr)
		}
		bytes += len(p.Data)
	}
	return bytes
}

func TestRead(t *testing.T) {
	t.Parallel()
	fill := []byte(strings.Repeat("\xff", 64))
	for _, tt := range []struct {
		name, warn string
		data       []byte
		memory     int
	}{
		{"whole", "", file(0, parts()...), len(ram)},
		{"fill behind it", "", append(file(0, parts()...), fill...), len(ram)},
		{"size not written", "did not finish", append(file(0xffffffff, parts()...), fill...), len(ram)},
		{"no registers", "no registers", file(0, parts()[2]), 512},
		{"few registers", "registers from lr", file(0, tlv(3, 0, registers(14))), 0},
		{"damage", "no TLV", file(0, parts()[1], parts()[2], []byte("rubbish!rubbish!")), 512},
		{"header cut", "ends in the header", file(0, parts()[1], parts()[2], []byte{2, 0, 1}), 512},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if !Is(tt.data) {
				t.Fatal("not recognised")
			}
			c, err := Read(tt.data)
			if err != nil {
				t.Fatal(err)
			}
			if n := check(t, c[0]); n != tt.memory {
				t.Errorf("%d bytes of memory, want %d", n, tt.memory)
			}
			if (tt.warn == "") != (len(c[0].Warnings) == 0) || !strings.Contains(strings.Join(c[0].Warnings, "\n"), tt.warn) {
				t.Errorf("warnings %q, want %q", c[0].Warnings, tt.warn)
			}
			if len(c[0].Threads) > 0 && c[0].Crashed().Regs.Value(core.SP) == 0 && tt.name != "few registers" {
				t.Error("no SP")
			}
		})
	}
}

func TestTruncated(t *testing.T) {
	t.Parallel()
	data := file(0, parts()...)
	for n := headerSize; n < len(data); n++ {
		c, err := Read(data[:n])
		if err != nil {
			t.Fatal(err)
		}
		check(t, c[0])
		if !c[0].Truncated {
			t.Errorf("%d bytes are not called truncated", n)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(0, parts()...))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if Is(data) {
			Read(data)
		}
	})
}
