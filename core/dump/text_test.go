package dump

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/dump/logtext"
)

// assertion is a crash as NuttX prints it, told by its PC.
func assertion(pc uint32) string {
	return fmt.Sprintf(`up_assert: Assertion failed at file:armv7-m/arm_hardfault.c line: 135 task: init
up_registerdump: R0: 00000001 00000002 00000003 00000004 00000005 00000006 00000007 00000008
up_registerdump: R8: 00000009 0000000a 0000000b 0000000c 0000000d 20001000 08000101 %08x
up_registerdump: xPSR: 21000000 BASEPRI: 00000000 CONTROL: 00000000
up_registerdump: EXC_RETURN: ffffffe9
`, pc)
}

const stackRow = "up_stackdump: 20001000: 00000001 00000002 00000003 00000004 00000005 00000006 00000007 08000301\n"

const restart = "\nboot\nnet up\nNuttShell (NSH)\n"

func openString(t *testing.T, text string, opt Options) (*Dump, error) {
	t.Helper()
	d, err := OpenReader(strings.NewReader(text), int64(len(text)), opt)
	if err == nil {
		exercise(t, d)
	}
	return d, err
}

func pcOf(t *testing.T, d *Dump) uint32 {
	t.Helper()
	threads, err := d.Threads(t.Context())
	if err != nil || len(threads) == 0 {
		t.Fatal("no threads", err)
	}
	regs, err := d.Registers(t.Context(), threads[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	return regs.Value(core.PC)
}

// TestSeveralCrashes checks which crash of a log is opened: the newest of the
// most complete, and never one of the crash handler before what it handled.
func TestSeveralCrashes(t *testing.T) {
	t.Parallel()
	full := func(pc uint32) string { return assertion(pc) + stackRow }
	for _, c := range []struct {
		name, log string
		want      uint32 // PC
		crashes   int
	}{
		{"newest", full(0x100) + restart + full(0x200), 0x200, 2},
		{"complete before newest", full(0x100) + restart + assertion(0x200), 0x100, 2},
		{"repeated at every reset", strings.Repeat(full(0x100)+restart, 5), 0x100, 5},
		{"in the crash handler", full(0x100) + full(0x200), 0x100, 2},
		{"in the crash handler, first cut", assertion(0x100) + full(0x200), 0x100, 2},
		{"first is a heading", strings.SplitAfter(full(0x100), "\n")[0] + restart + full(0x200), 0x200, 2},
		{"other formats", full(0x100) + restart + "HardFault! PC=0x08000200 LR=0x08000101\n", 0x100, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, err := openString(t, c.log, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if pc := pcOf(t, d); pc != c.want || len(d.Crashes) != c.crashes {
				t.Errorf("PC %#x of crash %d of %d", pc, d.Selected, len(d.Crashes))
			}
		})
	}
}

func TestSelectCrash(t *testing.T) {
	t.Parallel()
	log := "[10:00:01.000] " + strings.ReplaceAll(assertion(0x100), "\n", "\n[10:00:01.000] ") + restart + assertion(0x200)
	var pcs []uint32
	for n := 1; n <= 2; n++ {
		d, err := openString(t, log, Options{Crash: n})
		if err != nil {
			t.Fatal(err)
		}
		pcs = append(pcs, pcOf(t, d))
		want := []Summary{
			{Number: 1, Format: "NuttX crash log", Line: 1, Time: "10:00:01.000", Cause: "Assertion failed", Truncated: true},
			{Number: 2, Format: "NuttX crash log", Line: 10, Cause: "Assertion failed", Truncated: true},
		}
		if diff := cmp.Diff(want, d.Crashes); diff != "" || d.Selected != n {
			t.Errorf("selected %d (-want +got):\n%s", d.Selected, diff)
		}
	}
	if diff := cmp.Diff([]uint32{0x100, 0x200}, pcs); diff != "" {
		t.Error(diff)
	}
	if _, err := openString(t, log, Options{Crash: 3}); !errors.Is(err, ErrNoCrash) {
		t.Errorf("crash 3 of 2: %v", err)
	}
}

// TestTextEncodings opens one crash in the encodings that terminals save.
func TestTextEncodings(t *testing.T) {
	t.Parallel()
	text := assertion(0x100) + stackRow
	var le, be bytes.Buffer
	le.WriteString("\xff\xfe")
	be.WriteString("\xfe\xff")
	for _, c := range []byte(text) {
		le.Write([]byte{c, 0})
		be.Write([]byte{0, c})
	}
	for name, log := range map[string]string{
		"plain": text, "UTF-8 with mark": "\xef\xbb\xbf" + text, "UTF-16LE": le.String(), "UTF-16BE": be.String(),
		"after rubbish":    "\x00\xff\xfe\x80\x01" + strings.Repeat("ok\n", 30) + text,
		"no last line end": strings.TrimSuffix(text, "\n"),
		"CRLF":             strings.ReplaceAll(text, "\n", "\r\n"),
		"CR":               strings.ReplaceAll(text, "\n", "\r"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := openString(t, log, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if pc := pcOf(t, d); pc != 0x100 || len(d.Regions) != 1 || d.Regions[0].Size != 32 {
				t.Errorf("PC %#x, regions %v", pc, d.Regions)
			}
		})
	}
}

func TestIsText(t *testing.T) {
	t.Parallel()
	random := make([]byte, headSize)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(rnd.Uint32())
	}
	gbk := bytes.Repeat([]byte("\xb4\xed\xce\xf3\xa3\xba\xd6\xf7\xd5\xbb\n"), 300)
	for _, c := range []struct {
		name string
		head []byte
		want bool
	}{
		{"ASCII", []byte("hello\r\n"), true},
		{"Chinese in GBK", gbk, true},
		{"Latin-1", []byte("temp\xe9rature 20\xb0\n"), true},
		{"zeros first", append(make([]byte, 400), "hello\nworld, this is a log of a hundred bytes and some more of them\n"...), true},
		{"noise first", append(random[:40:40], bytes.Repeat([]byte("a line of the log\n"), 20)...), true},
		{"random", random, false},
		{"zeros", make([]byte, headSize), false},
		{"a vector table", []byte("\x00\x10\x00\x20\x01\x02\x00\x08\x03\x02\x00\x08\x05\x02\x00\x08"), false},
		{"no line end", bytes.Repeat([]byte("x"), headSize), false},
	} {
		if got := isText(c.head); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestNoCrashInText(t *testing.T) {
	t.Parallel()
	binary := make([]byte, 8192)
	for i := range binary {
		binary[i] = byte(i * 7 >> 3)
	}
	for name, data := range map[string]string{
		"ordinary": "hello\nworld\n", "binary": string(binary), "one line": strings.Repeat("x", 10000), "spaces": strings.Repeat(" \n", 100),
	} {
		if d, err := openString(t, data, Options{}); !errors.Is(err, ErrUnrecognized) {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
}

// TestLongLog opens a log that is longer than what is read.
func TestLongLog(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat(strings.Repeat("all is well ", 1000)+"\n", maxText/12001+1)
	log := assertion(0x100) + filler + assertion(0x200)
	d, err := openString(t, log, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if pc := pcOf(t, d); pc != 0x200 || len(d.Crashes) != 1 || d.Crashes[0].Line != 0 {
		t.Errorf("PC %#x of %+v", pc, d.Crashes)
	}
	if !strings.Contains(strings.Join(d.Warnings, "\n"), "only its last") {
		t.Errorf("warnings %q", d.Warnings)
	}
}

// TestCarriedDump checks that a dump in a log is told the words of the report
// before it, and that it is opened before the report.
func TestCarriedDump(t *testing.T) {
	t.Parallel()
	words := "***** BUS FAULT *****\n  Precise data bus error\nr0/a1:  0x00000001  r1/a2:  0x00000002  r2/a3:  0x00000003\n" +
		"Faulting instruction address (r15/pc): 0x00000200\n>>> ZEPHYR FATAL ERROR 25: x on CPU 0\n"
	// Header: version 1, Cortex-M, 32 bits, reason 25; block A of version 1; a
	// block M of four bytes.
	hex := "5a4501000300050019000000" +
		"4101002400" + "01000000020000000300000004000000050000000101000000020000" + "00000061" + "00100020" +
		"4d0100" + "00100020" + "04100020" + "aabbccdd"
	log := words + "#CD:BEGIN#\n#CD:" + hex + "\n#CD:END#\n"
	d, err := openString(t, log, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(d.Details, "\n"), "BUS FAULT: Precise data bus error") || len(d.Crashes) != 2 || d.Selected != 2 || len(d.Regions) != 1 {
		t.Errorf("details %q, crash %d of %+v, regions %v", d.Details, d.Selected, d.Crashes, d.Regions)
	}
}

// TestStackAsDebuggersPrintIt checks that a report whose stack looks like the
// memory of a debugger is read as a whole.
func TestStackAsDebuggersPrintIt(t *testing.T) {
	t.Parallel()
	log := "HardFault\nr0 = 1\nr1 = 2\nr2 = 3\nr3 = 4\nr12 = 5\nlr = 8000101\npc = 8000200\nxpsr = 61000000\nEXC_RETURN = fffffff9\n" +
		"20001000: 00000001\n20001004: 00000002\n20001008: 00000003\n2000100c: 00000004\n20001010: 00000005\n20001014: 08000101\n" +
		"20001018: 08000200\n2000101c: 61000000\n20001020: 00000007\n20001024: 08000301\n"
	d, err := openString(t, log, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if pc := pcOf(t, d); pc != 0x8000200 || len(d.Crashes) != 1 || len(d.Regions) != 1 || d.Regions[0].Size != 40 {
		t.Errorf("%s: PC %#x, crashes %+v, regions %v", d.Format, pc, d.Crashes, d.Regions)
	}
}

func FuzzOpenText(f *testing.F) {
	paths, err := filepath.Glob("crashlog/testdata/*/*.log")
	if err != nil || len(paths) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, c := range findCrashes(logtext.Parse(data)) {
			if d, err := fromCrash(c); err == nil {
				exercise(t, d)
			}
		}
	})
}

// TestOtherMachine checks that reports of other machines are refused by name,
// unless the log has one of ARM too.
func TestOtherMachine(t *testing.T) {
	t.Parallel()
	for file, machine := range map[string]string{"esp32": "Xtensa", "nuttx_riscv": "RISC-V"} {
		log, err := os.ReadFile("crashlog/testdata/othermachine/" + file + ".log")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := openString(t, string(log), Options{}); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), machine) {
			t.Errorf("%s: %v", file, err)
		}
		d, err := openString(t, assertion(0x100)+restart+string(log), Options{})
		if err != nil || pcOf(t, d) != 0x100 || len(d.Crashes) != 2 {
			t.Errorf("%s after a crash of ARM: %+v, %v", file, d, err)
		}
	}
}
