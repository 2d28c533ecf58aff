package zephyr

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/coretest"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// The writer of these tests: pieces as the kernel hands them to its backend.

func le16(v int) []byte { return binary.LittleEndian.AppendUint16(nil, uint16(v)) }

func le32(v ...uint32) (b []byte) {
	for _, w := range v {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func join(parts ...[]byte) (b []byte) {
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

func header(version, target, reason int) []byte {
	return join([]byte("ZE"), le16(version), le16(target), []byte{5, 0}, le32(uint32(reason)))
}

func block(id byte, version int, content []byte) [][]byte {
	return [][]byte{join([]byte{id}, le16(version), le16(len(content))), content}
}

func memory(start uint32, content []byte) [][]byte {
	return [][]byte{join([]byte{'M'}, le16(1), le32(start, start+uint32(len(content)))), content}
}

// The crash that all tests tell: a basic frame at 0x20000420 in a stack of
// 0x200 bytes.
const (
	stackBase = 0x20000300
	frameAt   = 0x20000420
	spBefore  = frameAt + 0x20
)

var (
	frameWords = []uint32{0xb0000000, 1, 2, 3, 12, 0x08000101, 0x08000204, 0x01000000}
	savedWords = []uint32{4, 5, 6, 7, 8, 9, 10, 11}
)

func stackBytes(psr uint32) []byte {
	b := make([]byte, 0x200)
	for i := range b {
		b[i] = byte(i>>2) ^ byte(i)*7
	}
	words := append([]uint32{}, frameWords...)
	words[7] = psr
	copy(b[frameAt-stackBase:], le32(words...))
	return b
}

func pieces() [][]byte {
	var p [][]byte
	p = append(p, header(1, 3, 25))
	p = append(p, block('A', 2, join(le32(frameWords...), le32(spBefore), le32(savedWords...)))...)
	p = append(p, memory(0x20000000, make([]byte, 0x40))...)
	return append(p, memory(stackBase, stackBytes(0x01000000))...)
}

// backend prints pieces as the logging backend does: 32 bytes a line, each piece
// on lines of its own.
func backend(pieces [][]byte) []string {
	lines := []string{"#CD:BEGIN#"}
	for _, p := range pieces {
		for len(p) > 0 {
			n := min(len(p), 32)
			lines = append(lines, "#CD:"+hex.EncodeToString(p[:n]))
			p = p[n:]
		}
	}
	return append(lines, "#CD:END#")
}

func logOf(lines []string) *logtext.Log {
	for i, l := range lines {
		lines[i] = fmt.Sprintf("[00:00:00.%03d,000] <err> coredump: %s", i, l)
	}
	return logtext.Parse([]byte(strings.Join(lines, "\r\n")))
}

// regsOf lists what is known, "pc=8000204 ...", in the order of the numbers.
func regsOf(t *crash.Thread) string {
	var list []string
	for r := core.R0; r <= core.PSR; r++ {
		if v, ok := t.Regs.Get(r); ok {
			list = append(list, fmt.Sprintf("%v=%x", r, v))
		}
	}
	return strings.Join(list, " ")
}

const (
	stackedText = "r0=b0000000 r1=1 r2=2 r3=3"
	savedText   = " r4=4 r5=5 r6=6 r7=7 r8=8 r9=9 r10=a r11=b"
	restText    = " r12=c sp=20000440 lr=8000101 pc=8000204 xpsr=1000000"
)

func TestRead(t *testing.T) {
	t.Parallel()
	v1 := join(le32(frameWords...), le32(spBefore))
	zeros := make([]byte, 32)
	mem := join(memory(stackBase, stackBytes(0x01000000))...)
	tests := []struct {
		name string
		data []byte
		regs string
		warn string // a part of the only warning
	}{
		{"version 1 of the registers", join(header(1, 3, 0), join(block('A', 1, v1)...), mem), stackedText + restText, ""},
		{"all registers", join(pieces()...), stackedText + savedText + restText, ""},
		{"callee-saved ones not saved", join(header(2, 3, 0), join(block('A', 2, join(v1, zeros))...), mem), stackedText + restText, ""},
		{"said to be valid", join(header(2, 3, 0), join(block('A', 3, join(v1, zeros, le32(1, 48)))...), mem),
			stackedText + " r4=0 r5=0 r6=0 r7=0 r8=0 r9=0 r10=0 r11=0" + restText, ""},
		{"said not to be valid", join(header(2, 3, 0), join(block('A', 3, join(v1, le32(savedWords...), le32(0, 48)))...), mem), stackedText + restText, ""},
		{"UniProton", join(header(1, 5, 0), join(block('A', 1, v1)...), mem), stackedText + restText, "UniProton"},
		{"fill behind it", join(header(1, 3, 0), join(block('A', 1, v1)...), mem, []byte{0xff, 0xff, 0xff}), stackedText + restText, ""},
		{"rubbish behind it", join(header(1, 3, 0), join(block('A', 1, v1)...), mem, []byte("rubbish")), stackedText + restText, "no block at offset"},
		{"no registers", join(header(1, 3, 4), mem), "", "no registers"},
		{"state of the kernel", join(header(2, 3, 0), join(block('A', 1, v1)...), join(block('T', 1, zeros)...), mem), stackedText + restText, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if !Is(tt.data) {
				t.Fatal("not recognised")
			}
			crashes, err := Read(tt.data)
			if err != nil {
				t.Fatal(err)
			}
			c := crashes[0]
			if d := cmp.Diff(tt.regs, regsOf(c.Crashed())); d != "" {
				t.Errorf("registers (-want +got):\n%s", d)
			}
			switch {
			case tt.warn == "" && len(c.Warnings) > 0:
				t.Errorf("warnings %q", c.Warnings)
			case tt.warn != "" && (len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], tt.warn)):
				t.Errorf("warnings %q, want one with %q", c.Warnings, tt.warn)
			}
		})
	}
}

// TestStackPointer: three generations of kernels write three different SPs.
func TestStackPointer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		psr, sp, want uint32
	}{
		{"before the exception", 0x01000000, spBefore, spBefore},
		{"before the exception, padded frame", 0x01000200, spBefore + 4, spBefore + 4},
		{"without the padding", 0x01000200, spBefore, spBefore + 4},
		{"address of the frame", 0x01000000, frameAt, spBefore},
		{"address of the padded frame", 0x01000200, frameAt, spBefore + 4},
		{"stack that is not there", 0x01000000, 0x20008000, 0x20008000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			words := append([]uint32{}, frameWords...)
			words[7] = tt.psr
			data := join(header(1, 3, 0), join(block('A', 1, join(le32(words...), le32(tt.sp)))...), join(memory(stackBase, stackBytes(tt.psr))...))
			crashes, err := Read(data)
			if err != nil {
				t.Fatal(err)
			}
			if got := crashes[0].Crashed().Regs.Value(core.SP); got != tt.want {
				t.Errorf("SP %#x, want %#x", got, tt.want)
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	for machine, data := range map[string][]byte{
		"AArch64": header(1, 6, 0),
		"64-bit":  join([]byte("ZE"), le16(1), le16(3), []byte{6, 0}, le32(0)),
		"Xtensa":  header(1, 5, 0),
		"RISC-V":  header(2, 4, 0),
	} {
		if _, err := Read(data); !errors.Is(err, crash.ErrNotARM) || !strings.Contains(err.Error(), machine) {
			t.Errorf("%s: %v", machine, err)
		}
	}
	for _, data := range [][]byte{nil, []byte("ZE"), []byte("ZEbra crossing"), header(9, 3, 0), header(1, 300, 0)} {
		if Is(data) {
			t.Errorf("%q is taken for a dump", data)
		}
	}
}

func TestChecksum(t *testing.T) {
	t.Parallel()
	data := join(pieces()...)
	good := join(data, []byte{'C'}, le16(1), le32(crc32.ChecksumIEEE(data)))
	if c, err := Read(good); err != nil || len(c[0].Warnings) > 0 {
		t.Errorf("error %v, warnings %q", err, c[0].Warnings)
	}
	good[40]++
	c, err := Read(good)
	if err != nil || len(c[0].Warnings) != 1 || !strings.Contains(c[0].Warnings[0], "bytes have changed") {
		t.Errorf("error %v, warnings %q", err, c[0].Warnings)
	}
}

func TestPartition(t *testing.T) {
	t.Parallel()
	data := join(pieces()...)
	var sum uint16
	for _, b := range data {
		sum += uint16(b)
	}
	partition := func(sum uint16, failed uint32, size, block int) []byte {
		h := join([]byte("CD"), le16(1), le32(uint32(size)), le16(0), le16(int(sum)), le32(failed))
		return join(h, make([]byte, block-len(h)), data, []byte{0xff, 0xff, 0xff, 0xff})
	}
	for _, tt := range []struct {
		name string
		data []byte
		warn string
	}{
		{"as written", partition(sum, 0, len(data), 16), ""},
		{"large write blocks", partition(sum, 0, len(data), 512), ""},
		{"changed", partition(sum+1, 0, len(data), 16), "checksum"},
		{"device error", partition(sum, 5, len(data), 16), "error 5"},
		{"longer than the file", partition(sum, 0, len(data)+100, 16), "promises"},
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
			if got := regsOf(c[0].Crashed()); got != stackedText+savedText+restText {
				t.Errorf("registers %s", got)
			}
			if tt.warn == "" != (len(c[0].Warnings) == 0) || tt.warn != "" && !strings.Contains(c[0].Warnings[0], tt.warn) {
				t.Errorf("warnings %q, want %q", c[0].Warnings, tt.warn)
			}
		})
	}
}

// held checks that memory which a crash holds is what was dumped.
func held(c *crash.Crash) error {
	stack := stackBytes(0x01000000)
	for _, p := range c.Memory {
		for i, b := range p.Data {
			a := uint32(p.Addr) + uint32(i)
			want := byte(0)
			if a >= stackBase {
				if a-stackBase >= uint32(len(stack)) {
					return fmt.Errorf("memory at %#x was not dumped", a)
				}
				want = stack[a-stackBase]
			}
			if b != want {
				return fmt.Errorf("byte at %#x is %#x, want %#x", a, b, want)
			}
		}
	}
	return nil
}

func TestFindLog(t *testing.T) {
	t.Parallel()
	lines := append([]string{"*** Booting Zephyr ***"}, backend(pieces())...)
	found := FindLog(logOf(append(lines, "Halting system")))
	if len(found) != 1 {
		t.Fatalf("%d dumps", len(found))
	}
	c := found[0]
	if got := regsOf(c.Crashed()); got != stackedText+savedText+restText || len(c.Warnings) > 0 || c.Where.Line != 2 {
		t.Errorf("registers %s, warnings %q, line %d", got, c.Warnings, c.Where.Line)
	}
	if err := held(c); err != nil {
		t.Error(err)
	}
}

// TestLostLines: with any one line missing nothing is made up: registers are
// right or unknown, memory is right or absent, and a warning says that there is
// something missing.
func TestLostLines(t *testing.T) {
	t.Parallel()
	all := backend(pieces())
	for lost := range all {
		lines := append(append([]string{}, all[:lost]...), all[lost+1:]...)
		found := FindLog(logOf(lines))
		if len(found) != 1 {
			t.Fatalf("line %d lost: %d dumps", lost, len(found))
		}
		c := found[0]
		if lost > 0 && len(c.Warnings) == 0 {
			t.Errorf("line %d lost: no warning", lost)
		}
		full := strings.Fields(stackedText + savedText + restText)
		if c.Refused == nil && len(c.Threads) > 0 {
			for _, r := range strings.Fields(regsOf(&c.Threads[0])) {
				if !strings.Contains(strings.Join(full, " ")+" ", r+" ") {
					t.Errorf("line %d lost: register %s", lost, r)
				}
			}
		}
		if err := held(c); err != nil {
			t.Errorf("line %d lost: %v", lost, err)
		}
	}
}

func TestNestedDump(t *testing.T) {
	t.Parallel()
	all := backend(pieces())
	for name, lines := range map[string][]string{
		"begin":  append(append([]string{}, all[:9]...), all...),
		"header": append(append([]string{}, all[:9]...), all[1:]...),
	} {
		found := FindLog(logOf(lines))
		if len(found) != 2 || !found[0].Truncated || found[1].Truncated {
			t.Errorf("%s: %d dumps", name, len(found))
		}
	}
}

func TestTruncated(t *testing.T) {
	t.Parallel()
	data := join(pieces()...)
	for n := headerSize; n < len(data); n++ {
		c, err := Read(data[:n])
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if err := held(c[0]); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// TestShared reads the samples of the format.
func TestShared(t *testing.T) {
	t.Parallel()
	dir := coretest.Shared(t, "dumps")
	doc, err := os.ReadFile(filepath.Join(dir, "zephyr-coredump", "esphome_doc_truncated_v2", "coredump.log"))
	if err != nil {
		t.Fatal(err)
	}
	found := FindLog(logtext.Parse(doc))
	if len(found) != 1 {
		t.Fatalf("%d dumps", len(found))
	}
	const want = "r0=200067d0 r1=200067b4 r2=deadbeef r3=deadb000 r12=0 sp=20005550 lr=16229 pc=16228 xpsr=1000000"
	if got := regsOf(found[0].Crashed()); got != want {
		t.Errorf("registers %s, want %s", got, want)
	}
	recorded := filepath.Join(dir, "recorded", "zephyr_from_crashcatcher_m4f")
	for _, name := range []string{"dump_v1.bin", "dump_v2_callee_saved.bin", "dump_v2_callee_saved_zero.bin"} {
		data, err := os.ReadFile(filepath.Join(recorded, name))
		if err != nil {
			t.Fatal(err)
		}
		c, err := Read(data)
		if err != nil {
			t.Fatal(err)
		}
		r := &c[0].Crashed().Regs
		if r.Value(core.PC) != 0x68 || r.Value(core.SP) != 0x200003d0 || r.Has(core.R4) != (name == "dump_v2_callee_saved.bin") || len(c[0].Warnings) > 0 {
			t.Errorf("%s: %s, warnings %q", name, regsOf(c[0].Crashed()), c[0].Warnings)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(join(pieces()...))
	f.Add([]byte(strings.Join(backend(pieces()), "\n")))
	f.Add(join([]byte("CD"), le16(1), le32(12), le32(0), le32(0), header(1, 3, 0)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if crashes, err := Read(data); Is(data) && err == nil {
			total := 0
			for _, p := range crashes[0].Memory {
				total += len(p.Data)
			}
			if total > len(data) {
				t.Errorf("%d bytes of memory from %d bytes", total, len(data))
			}
		}
		FindLog(logtext.Parse(data))
	})
}
