package memfault

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// The writer of these tests.

func words(v ...uint32) (b []byte) {
	for _, w := range v {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func block(kind byte, addr uint32, content []byte) []byte {
	b := append([]byte{kind, 0, 0, 0}, words(addr, uint32(len(content)))...)
	return append(b, content...)
}

const (
	ramBase = 0x20001000
	sp      = 0x20001120
)

func ram() []byte {
	b := make([]byte, 0x200)
	for i := range b {
		if i%64 < 40 {
			b[i] = byte(i*5) ^ byte(i>>3)
		}
	}
	return b
}

func registers() []byte {
	var regs []uint32
	for r := range uint32(13) {
		regs = append(regs, 0x100+r)
	}
	return words(append(regs, sp, 0x8001, 0x8002, 0x61000000, 0x2000ff00, sp-0x20)...)
}

func blocks() []byte {
	var b []byte
	for _, x := range [][]byte{
		block(blockRegisters, 0, registers()),
		block(blockSerial, 0, []byte("unit-7")), block(blockVersion, 0, []byte("1.2.3")),
		block(blockSoftware, 0, []byte("app")), block(blockHardware, 0, []byte("evt")),
		block(blockBuildID, 0, []byte("01234567890123456789")),
		block(blockMachine, 0, words(40)), block(blockReason, 0, words(0x8001)),
		block(blockPadding, 0, []byte{0}), block(blockMPU, 0, words(0x800, 0)),
		block(blockMemory, ramBase, ram()), block(blockMemory, 0xe000ed28, words(0x8200, 0x40000000)),
	} {
		b = append(b, x...)
	}
	return b
}

func imageOf(version int, blocks []byte, footer ...uint32) []byte {
	f := words(footer...)
	return append(append(words(magic, uint32(version), uint32(headerSize+len(blocks)+len(f))), blocks...), f...)
}

func whole() []byte { return imageOf(2, blocks(), footerMagic, 0, 0, 0) }

// rle packs runs of at least three.
func rle(b []byte) (out []byte) {
	number := func(n int64) {
		v := uint64(n) << 1
		if n < 0 {
			v = ^v
		}
		for v >= 0x80 {
			out = append(out, byte(v)|0x80)
			v >>= 7
		}
		out = append(out, byte(v))
	}
	for from, i := 0, 0; i <= len(b); {
		run := 0
		for i+run < len(b) && b[i+run] == b[i] {
			run++
		}
		if run < 3 && i < len(b) {
			i += max(run, 1)
			continue
		}
		if i > from {
			number(int64(from - i))
			out = append(out, b[from:i]...)
		}
		if i == len(b) {
			break
		}
		number(int64(run))
		out = append(out, b[i])
		i += run
		from = i
	}
	return out
}

// chunks cuts a message as the SDK does for buffers of size bytes.
func chunks(message []byte, size int) (lines []string) {
	var crc uint16
	for _, v := range message { // another way to compute it
		for bit := range 8 {
			in := crc>>15 ^ uint16(v>>(7-bit)&1)
			crc <<= 1
			if in != 0 {
				crc ^= 0x1021
			}
		}
	}
	sum := []byte{byte(crc), byte(crc >> 8)}
	print := func(b []byte) { lines = append(lines, "MFLT:[INFO] MC:"+base64.StdEncoding.EncodeToString(b)+":") }
	if 3+len(message) <= size {
		print(append(append([]byte{0x08}, message...), sum...))
		return lines
	}
	off := 0
	for {
		flags, n := byte(0x48), len(message)
		if off > 0 {
			flags, n = 0xc0, off
		}
		head := binary.AppendUvarint([]byte{flags}, uint64(n))
		k := min(size-len(head), len(message)-off)
		if size-len(head)-k >= 2 {
			head[0] &^= 0x40
			last := append(append(head, message[off:]...), sum...)
			for len(last) < size {
				last = append(last, 0xba)
			}
			print(last)
			return lines
		}
		print(append(head, message[off:off+k]...))
		off += k
	}
}

func logOf(lines []string) *logtext.Log {
	return logtext.Parse([]byte("boot\n" + strings.Join(lines, "\nother output\n") + "\n"))
}

// check compares all that a crash has with what was written.
func check(c *crash.Crash) error {
	for _, t := range c.Threads {
		for r := core.R0; r <= core.R12; r++ {
			if v, ok := t.Regs.Get(r); ok && v != 0x100+uint32(r) {
				return fmt.Errorf("%v is %#x", r, v)
			}
		}
		if t.Regs.Value(core.PC) != 0x8002 || t.Regs.Value(core.PSP) != sp || t.Regs.Value(core.MSP) != 0x2000ff00 {
			return fmt.Errorf("PC %#x, PSP %#x, MSP %#x", t.Regs.Value(core.PC), t.Regs.Value(core.PSP), t.Regs.Value(core.MSP))
		}
	}
	for _, p := range c.Memory {
		base, want := core.Addr(ramBase), ram()
		if p.Addr >= 0xe0000000 {
			base, want = 0xe000ed28, words(0x8200, 0x40000000)
		}
		for i, b := range p.Data {
			if k := int(p.Addr-base) + i; k >= len(want) || want[k] != b {
				return fmt.Errorf("byte %#x at %v was not dumped", b, p.Addr+core.Addr(i))
			}
		}
	}
	return nil
}

func size(c *crash.Crash) (n int) {
	for _, p := range c.Memory {
		n += len(p.Data)
	}
	return n
}

func TestForms(t *testing.T) {
	t.Parallel()
	read := func(b []byte) []*crash.Crash {
		if !Is(b) {
			t.Error("not recognised")
		}
		c, err := Read(b)
		if err != nil {
			t.Error(err)
		}
		return c
	}
	plain := append([]byte{messageCoredump}, whole()...)
	packed := append([]byte{messageCoredump | messagePacked}, rle(whole())...)
	keyed := append(append([]byte{messageCoredump | messagePacked | messageKey}, make([]byte, keySize)...), rle(whole())...)
	heartbeat := chunks([]byte{2, 0xa1, 1, 2}, 80)
	among := chunks(packed, 80)
	among = append(append(append([]string{}, among[:3]...), heartbeat...), among[3:]...)
	for form, found := range map[string][]*crash.Crash{
		"version 2":        read(whole()),
		"version 1":        read(imageOf(1, blocks())),
		"fill behind it":   read(append(whole(), 0xff, 0xff, 0xff)),
		"chunks":           FindLog(logOf(chunks(plain, 80))),
		"packed":           FindLog(logOf(chunks(packed, 80))),
		"with a key":       FindLog(logOf(chunks(keyed, 50))),
		"one chunk":        FindLog(logOf(chunks(packed, 4000))),
		"other among them": FindLog(logOf(among)),
	} {
		if len(found) != 1 {
			t.Errorf("%s: %d dumps", form, len(found))
			continue
		}
		c := found[0]
		if err := check(c); err != nil || len(c.Warnings) > 0 || c.Truncated || len(c.Threads) != 1 || size(c) != len(ram())+8 {
			t.Errorf("%s: %v, warnings %q, %d threads, %d bytes", form, err, c.Warnings, len(c.Threads), size(c))
		}
		if c.System != "app 1.2.3" || c.Cause != "assertion" || string(c.BuildID) != "01234567890123456789" || len(c.Unplaced) != 1 {
			t.Errorf("%s: system %q, cause %q, build ID %q, unplaced %q", form, c.System, c.Cause, c.BuildID, c.Unplaced)
		}
	}
}

// TestLostChunks: with any one chunk missing nothing is made up.
func TestLostChunks(t *testing.T) {
	t.Parallel()
	for name, message := range map[string][]byte{
		"plain":  append([]byte{messageCoredump}, whole()...),
		"packed": append([]byte{messageCoredump | messagePacked}, rle(whole())...),
	} {
		all, kept := chunks(message, 60), 0
		for lost := range all {
			found := FindLog(logOf(append(append([]string{}, all[:lost]...), all[lost+1:]...)))
			if lost == 0 {
				if len(found) != 0 {
					t.Errorf("%s: %d dumps without a first chunk", name, len(found))
				}
				continue
			}
			if len(found) != 1 {
				t.Fatalf("%s, chunk %d lost: %d dumps", name, lost, len(found))
			}
			if err := check(found[0]); err != nil || len(found[0].Warnings) == 0 {
				t.Errorf("%s, chunk %d lost: %v, warnings %q", name, lost, err, found[0].Warnings)
			}
			kept += size(found[0])
		}
		if kept < len(all)*len(ram())/4 {
			t.Errorf("%s: %d bytes kept", name, kept)
		}
	}
}

func TestTruncated(t *testing.T) {
	t.Parallel()
	b := whole()
	for n := headerSize; n < len(b); n++ {
		c, err := Read(b[:n])
		if err != nil {
			t.Fatal(err)
		}
		if err := check(c[0]); err != nil || !c[0].Truncated {
			t.Errorf("%d bytes: %v, truncated %v", n, err, c[0].Truncated)
		}
	}
}

func TestOdd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, warn string
		data       []byte
	}{
		{"no room", "no room", imageOf(2, blocks(), footerMagic, 1, 0, 0)},
		{"no registers", "no registers", imageOf(1, block(blockMemory, ramBase, ram()))},
		{"short registers", "too short", imageOf(1, block(blockRegisters, 0, words(1, 2)))},
		{"damage", "no block", imageOf(1, append(blocks(), []byte(strings.Repeat("\xee", 20))...))},
	} {
		c, err := Read(tt.data)
		if err != nil || len(c[0].Warnings) == 0 || !strings.Contains(strings.Join(c[0].Warnings, "\n"), tt.warn) {
			t.Errorf("%s: %v, warnings %q", tt.name, err, c[0].Warnings)
		}
	}
	for machine, n := range map[string]uint32{"Xtensa": 94, "machine 62": 62} {
		if _, err := Read(imageOf(2, block(blockMachine, 0, words(n)))); !errors.Is(err, crash.ErrNotARM) || !strings.Contains(err.Error(), machine) {
			t.Errorf("%s: %v", machine, err)
		}
	}
}

func TestShared(t *testing.T) {
	t.Parallel()
	log, err := os.ReadFile(filepath.Join(coretest.Shared(t, "dumps"), "memfault-chunks", "freertos_qemu_mps2_an385", "chunks.txt"))
	if err != nil {
		t.Fatal(err)
	}
	found := FindLog(logtext.Parse(log))
	if len(found) != 1 {
		t.Fatalf("%d dumps", len(found))
	}
	c := found[0]
	r := &c.Crashed().Regs
	if r.Value(core.R0) != 0x8001 || r.Value(core.R3) != 0x20006640 || r.Value(core.R4) != 0x7d7b || c.Cause != "assertion" ||
		c.System != "qemu-app 1.0.0" || !strings.HasPrefix(hex.EncodeToString(c.BuildID), "8a45620abae68428") || !c.Truncated {
		t.Errorf("r0 %#x r3 %#x r4 %#x, %q, %q, build ID %x", r.Value(core.R0), r.Value(core.R3), r.Value(core.R4), c.Cause, c.System, c.BuildID)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(whole())
	f.Add([]byte(strings.Join(chunks(append([]byte{messageCoredump | messagePacked}, rle(whole())...), 80), "\n")))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if Is(data) {
			Read(data)
		}
		FindLog(logtext.Parse(data))
	})
}
