package crashcatcher

import (
	"encoding/binary"
	"encoding/hex"
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

// The writer of these tests: the fields of a dump in order, each of which the
// text form begins on a new line.

func words(v ...uint32) (b []byte) {
	for _, w := range v {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

const (
	ramBase  = 0x20000000
	frame    = 0x20000120
	spBefore = frame + 0x68
	msp      = 0x20000fe8
)

func ram() []byte {
	b := make([]byte, 0x1f4)
	for i := range b {
		b[i] = byte(i>>2)*3 ^ byte(i)
	}
	copy(b[frame-ramBase:], words(0xb0000000, 1, 2, 3, 12, 0xa5, 0x68, 0x01000000))
	return b
}

func fields(version byte, fp bool) [][]byte {
	flags := uint32(0)
	if fp {
		flags = flagFP
	}
	f := [][]byte{
		{'c', 'C', version, 0}, words(flags),
		words(0xb0000000, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), words(12), words(spBefore),
		words(0xa5, 0x68, 0x01000000),
	}
	if version == version3 {
		f = append(f, words(msp, frame, 0x61000003))
	}
	if fp {
		floats := make([]uint32, 33)
		for i := range floats {
			floats[i] = 0x3f800000 + uint32(i)
		}
		f = append(f, words(floats...))
	}
	f = append(f, words(ramBase, ramBase+uint32(len(ram()))), ram())
	return append(f, words(0xe000ed28, 0xe000ed3c), words(0x8200, 0x40000000, 0, 0, 0xb0000000))
}

func binaryOf(f [][]byte) (b []byte) {
	for _, x := range f {
		b = append(b, x...)
	}
	return b
}

func linesOf(f [][]byte) []string {
	lines := []string{"CRASH ENCOUNTERED", "Enable logging and then press any key to start dump.", ""}
	for _, x := range f {
		for len(x) > 0 {
			n := min(len(x), 16)
			lines = append(lines, strings.ToUpper(hex.EncodeToString(x[:n])))
			x = x[n:]
		}
	}
	return append(lines, "End of dump")
}

func logOf(lines ...string) *logtext.Log {
	return logtext.Parse([]byte(strings.Join(lines, "\r\n") + "\r\n"))
}

// check compares what a crash holds with what was written: every register that
// is known, and every byte of memory that is there.
func check(c *crash.Crash) error {
	want := map[core.Reg]uint32{
		core.R0: 0xb0000000, core.SP: spBefore, core.LR: 0xa5, core.PC: 0x68, core.PSR: 0x01000000,
		core.MSP: msp, core.PSP: spBefore, core.FPSCR: 0x3f800020,
	}
	for r := core.R1; r <= core.R12; r++ {
		want[r] = uint32(r)
	}
	for i := range core.Reg(32) {
		want[core.S0+i] = 0x3f800000 + uint32(i)
	}
	for r := range core.Reg(core.NumRegs) {
		if v, ok := c.Crashed().Regs.Get(r); ok && v != want[r] {
			return fmt.Errorf("%v is %#x, want %#x", r, v, want[r])
		}
	}
	memory := map[core.Addr][]byte{ramBase: ram(), 0xe000ed28: words(0x8200, 0x40000000, 0, 0, 0xb0000000)}
	for _, p := range c.Memory {
		for i, b := range p.Data {
			a, good := p.Addr+core.Addr(i), false
			for base, m := range memory {
				good = good || a >= base && uint64(a-base) < uint64(len(m)) && m[a-base] == b
			}
			if !good {
				return fmt.Errorf("byte %#x at %v was not dumped", b, a)
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
	for _, version := range []byte{version2, version3} {
		for _, fp := range []bool{false, true} {
			f := fields(version, fp)
			if !Is(binaryOf(f)) {
				t.Fatal("not recognised")
			}
			crashes, err := Read(binaryOf(f))
			if err != nil {
				t.Fatal(err)
			}
			prefixed := linesOf(f)
			for i, l := range prefixed {
				if strings.HasPrefix(l, "6343") {
					l = "###CRASH###" + l
				}
				prefixed[i] = fmt.Sprintf("[12:00:%02d] %s", i%60, l)
			}
			for form, found := range map[string][]*crash.Crash{
				"binary":   crashes,
				"text":     FindLog(logOf(linesOf(f)...)),
				"prefixes": FindLog(logOf(prefixed...)),
				"stream":   FindLog(logOf(hex.EncodeToString(binaryOf(f)), "End of dump")),
			} {
				name := fmt.Sprintf("version %d, FP %v, %s", version, fp, form)
				if len(found) != 1 {
					t.Errorf("%s: %d dumps", name, len(found))
					continue
				}
				c := found[0]
				if err := check(c); err != nil || len(c.Warnings) > 0 || c.Truncated {
					t.Errorf("%s: %v, warnings %q", name, err, c.Warnings)
				}
				r := &c.Crashed().Regs
				if size(c) != len(ram())+20 || r.Has(core.S0) != fp || r.Has(core.PSP) != (version == version3) || !r.Has(core.PC) {
					t.Errorf("%s: something is missing", name)
				}
			}
		}
	}
}

// TestLostLines: with any one line missing no value is made up, and a warning
// says that something is missing.
func TestLostLines(t *testing.T) {
	t.Parallel()
	all := linesOf(fields(version3, true))
	kept := 0
	for lost := range all {
		found := FindLog(logOf(append(append([]string{}, all[:lost]...), all[lost+1:]...)...))
		if lost == 3 { // the signature
			if len(found) != 0 {
				t.Errorf("a dump without its first line")
			}
			continue
		}
		if len(found) != 1 {
			t.Fatalf("line %d lost: %d dumps", lost, len(found))
		}
		if err := check(found[0]); err != nil {
			t.Errorf("line %d (%s) lost: %v", lost, all[lost], err)
		}
		if lost > 3 && len(found[0].Warnings) == 0 {
			t.Errorf("line %d (%s) lost: no warning", lost, all[lost])
		}
		kept += size(found[0])
	}
	if whole := len(all) * (len(ram()) + 20); kept < whole/2 {
		t.Errorf("%d of %d bytes kept", kept, whole)
	}
}

func TestSecondDump(t *testing.T) {
	t.Parallel()
	all := linesOf(fields(version3, false))
	found := FindLog(logOf(append(append([]string{}, all...), all[:12]...)...))
	if len(found) != 2 || found[0].Truncated || !found[1].Truncated || found[0].Complete() <= found[1].Complete() {
		t.Errorf("%d dumps", len(found))
	}
}

func TestFaultInHandler(t *testing.T) {
	t.Parallel()
	f := fields(version3, false)
	f[5] = words(0xa5, 0x68, 0x01000010)                // IRQ 0 faulted
	f[6] = words(spBefore-0x20, 0x20000300, 0x61000003) // its frame on the main stack
	c, _ := Read(binaryOf(f))
	r := &c[0].Crashed().Regs
	if r.Value(core.MSP) != spBefore || r.Value(core.PSP) != 0x20000300 {
		t.Errorf("MSP %#x, PSP %#x", r.Value(core.MSP), r.Value(core.PSP))
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	data := binaryOf(fields(version3, false))
	word := func(n int) []byte { return words(uint32(n)) }
	fill := func(n int) []byte { return []byte(strings.Repeat("\xff", n)) }
	trailer := append(append([]byte("APCDUMP\x00\x01\x00\x20\x00"), words(0xabcdef12, 1, 2, 0)...), word(len(data))...)
	binary.LittleEndian.PutUint32(trailer[24:], plainCRC(trailer))
	bad := append([]byte{}, trailer...)
	bad[12]++
	pad := 512 - len(data)%512 - 32
	flash := 32 - (len(data)+4)%32
	for _, tt := range []struct {
		name string
		data []byte
		warn string
	}{
		{"XMODEM", append(append([]byte{}, data...), "\x1a\x1a\x1a\x1a"...), ""},
		{"ran out of stack", append(append([]byte{}, data...), overflowed...), "ran out of stack"},
		{"ArduPilot, size in the last word", append(append(append([]byte{}, data...), fill(flash)...), word(len(data))...), ""},
		{"ArduPilot, cut off", append(append(append([]byte{}, data...), fill(flash)...), fill(4)...), ""},
		{"ArduPilot, trailer", append(append(append([]byte{}, data...), fill(pad)...), trailer...), ""},
		{"ArduPilot, changed trailer", append(append(append([]byte{}, data...), fill(pad)...), bad...), "checksum"},
		{"rubbish", append(append([]byte{}, data...), "rubbish here"...), "no region"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := Read(tt.data)
			if err != nil {
				t.Fatal(err)
			}
			if err := check(c[0]); err != nil || size(c[0]) != len(ram())+20 {
				t.Errorf("%v, %d bytes of memory", err, size(c[0]))
			}
			if (tt.warn == "") != (len(c[0].Warnings) == 0) || tt.warn != "" && !strings.Contains(c[0].Warnings[0], tt.warn) {
				t.Errorf("warnings %q, want %q", c[0].Warnings, tt.warn)
			}
		})
	}
}

func TestTruncated(t *testing.T) {
	t.Parallel()
	data := binaryOf(fields(version3, true))
	for n := 8; n < len(data); n++ {
		c, err := Read(data[:n])
		if err != nil {
			t.Fatal(err)
		}
		if err := check(c[0]); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestShared(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(coretest.Shared(t, "dumps"), "recorded", "crashcatcher_v3_m4f_psp")
	data, err := os.ReadFile(filepath.Join(dir, "dump.bin"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "uart.txt"))
	if err != nil {
		t.Fatal(err)
	}
	crashes, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	for form, found := range map[string][]*crash.Crash{"binary": crashes, "text": FindLog(logtext.Parse(text))} {
		if len(found) != 1 {
			t.Errorf("%s: %d dumps", form, len(found))
			continue
		}
		r := &found[0].Crashed().Regs
		if r.Value(core.PC) != 0x68 || r.Value(core.PSP) != 0x200003d0 || r.Value(core.S0+16) != 0 || len(found[0].Warnings) > 0 {
			t.Errorf("%s: PC %#x, PSP %#x, warnings %q", form, r.Value(core.PC), r.Value(core.PSP), found[0].Warnings)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(binaryOf(fields(version3, true)))
	f.Add([]byte(strings.Join(linesOf(fields(version2, false)), "\n")))
	f.Fuzz(func(t *testing.T, data []byte) {
		if Is(data) {
			c, err := Read(data)
			if err == nil && size(c[0]) > len(data) {
				t.Errorf("%d bytes of memory from %d bytes", size(c[0]), len(data))
			}
		}
		FindLog(logtext.Parse(data))
	})
}
