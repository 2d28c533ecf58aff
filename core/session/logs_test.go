package session

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// printed is what the crash handler of a firmware has to print.
type printed struct {
	regs   core.Regs // before the exception
	ret    uint32    // EXC_RETURN
	frame  core.Addr // of the exception
	size   uint32    // of the frame, with the alignment word
	memory core.Memory
}

func (p *printed) reg(r core.Reg) uint32 { return p.regs.Value(r) }

// words calls f with the words of the stack from an address on, as far as the
// memory goes, at most 1024.
func (p *printed) words(from core.Addr, f func(a core.Addr, v uint32)) {
	for i := range core.Addr(1024) {
		var b [4]byte
		if _, err := p.memory.ReadAt(from+4*i, b[:]); err != nil {
			return
		}
		f(from+4*i, binary.LittleEndian.Uint32(b[:]))
	}
}

// unpadded is SP as handlers print it that leave the alignment word out.
func (p *printed) unpadded() uint32 { return uint32(p.frame) + p.size&^4 }

// handlers print a crash in the formats of the systems they are of; all says
// that the format has every register.
var handlers = map[string]struct {
	all   bool
	print func(b *strings.Builder, p *printed)
}{
	"NuttX": {true, printNuttX}, "PX4": {true, printPX4}, "PX4 before 2019": {true, printOldPX4},
	"CmBacktrace": {false, printCmBacktrace}, "hand-written": {true, printByHand},
}

func printNuttX(b *strings.Builder, p *printed) {
	fmt.Fprintf(b, "up_assert: Assertion failed at file:armv7-m/arm_hardfault.c line: 135 task: init\n")
	for first := core.R0; first <= core.R8; first += 8 {
		fmt.Fprintf(b, "up_registerdump: %v:", strings.ToUpper(first.String()))
		for r := first; r < first+8; r++ {
			v := p.reg(r)
			if r == core.SP {
				v = p.unpadded()
			}
			fmt.Fprintf(b, " %08x", v)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "up_registerdump: xPSR: %08x BASEPRI: 00000000 CONTROL: 00000000\nup_registerdump: EXC_RETURN: %08x\n", p.reg(core.PSR), p.ret)
	p.words(p.frame, func(a core.Addr, v uint32) {
		if (a-p.frame)%32 == 0 {
			fmt.Fprintf(b, "\nup_stackdump: %08x:", uint32(a))
		}
		fmt.Fprintf(b, " %08x", v)
	})
}

func printPX4(b *strings.Builder, p *printed)    { printHardfaultLog(b, p, 4) }
func printOldPX4(b *strings.Builder, p *printed) { printHardfaultLog(b, p, 1) }

func printHardfaultLog(b *strings.Builder, p *printed, step core.Addr) {
	sp := p.unpadded()
	fmt.Fprintf(b, "[hardfault_log] -- 2024-03-04-05:06:07 Begin Fault Log --\nSystem fault Occurred on: 2024-03-04-05:06:07\n")
	fmt.Fprintf(b, " Type:Hard Fault in file:f.c at line: 1 running task: init\n Processor registers: from 0x20000000\n ")
	for r := core.R0; r <= core.PC; r++ {
		v := p.reg(r)
		if r == core.SP {
			v = sp
		}
		fmt.Fprintf(b, "%v:%#08x ", r, v)
		if r == core.R7 {
			b.WriteString("\n ")
		}
	}
	fmt.Fprintf(b, "\n xpsr:%#08x basepri:0x000000f0 control:0x00000000\n exe return:%#08x\n", p.reg(core.PSR), p.ret)
	fmt.Fprintf(b, " User stack: \n  top:    0x20100000\n  sp:     %#08x Valid\n  bottom: 0x20000000\n", sp)
	fmt.Fprintf(b, "User sp memory region, stack pointer lies within stack\n")
	var lines []string
	p.words(p.frame, func(a core.Addr, v uint32) {
		shown := core.Addr(sp) + (a-core.Addr(sp))/4*step
		if a < core.Addr(sp) {
			shown = core.Addr(sp) - (core.Addr(sp)-a)/4*step
		}
		lines = append(lines, fmt.Sprintf("%#08x %#08x\n", uint32(shown), v))
	})
	slices.Reverse(lines)
	b.WriteString(strings.Join(lines, "") + "[hardfault_log] -- 2024-03-04-05:06:07 END Fault Log --\n")
}

func printCmBacktrace(b *strings.Builder, p *printed) {
	fmt.Fprintf(b, "Firmware name: app, hardware version: 1, software version: 2\nFault on interrupt or bare metal(no OS) environment\n")
	fmt.Fprintf(b, "====== Main stack information ======\n")
	p.words(core.Addr(p.reg(core.SP)), func(a core.Addr, v uint32) { fmt.Fprintf(b, "  addr: %08x    data: %08x\n", uint32(a), v) })
	fmt.Fprintf(b, "====================================\n=================== Registers information ====================\n")
	fmt.Fprintf(b, "  R0 : %08x  R1 : %08x  R2 : %08x  R3 : %08x\n", p.reg(core.R0), p.reg(core.R1), p.reg(core.R2), p.reg(core.R3))
	fmt.Fprintf(b, "  R12: %08x  LR : %08x  PC : %08x  PSR: %08x\n", p.reg(core.R12), p.reg(core.LR), p.reg(core.PC), p.reg(core.PSR))
	fmt.Fprintf(b, "==============================================================\n")
}

func printByHand(b *strings.Builder, p *printed) {
	fmt.Fprintf(b, "*** HardFault, EXC_RETURN = %x ***\n", p.ret)
	for r := core.R0; r <= core.PSR; r++ {
		if r != core.SP {
			fmt.Fprintf(b, "%v = %x\n", r, p.reg(r))
		}
	}
	p.words(p.frame, func(a core.Addr, v uint32) { fmt.Fprintf(b, "%08x: %08x\n", uint32(a), v) })
}

// TestPrintedCrashes prints the recorded crashes as the handlers of several
// systems do and compares the stack of the log with the true one below the
// exception. A log has no more than the stack from the exception frame on.
func TestPrintedCrashes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"demo", "m0-Os", "m3-O0", "m7-Og", "m33-O2", "nested", "process-stack", "null-call", "cpp"} {
		p := openDemo(t, Config{Image: filepath.Join(fixtures, name, "fw.elf")})
		crash, truth := recordedCrash(t, p, filepath.Join(fixtures, name, "crash.core"))
		for system, h := range handlers {
			t.Run(name+"/"+system, func(t *testing.T) {
				var log strings.Builder
				h.print(&log, crash)
				got, format := stackOfLog(t, p, log.String())
				if !h.all && len(got) >= 2 && len(got) < len(truth) {
					truth = truth[:len(got)] // without r4 to r11 some frames cannot be left
				}
				if diff := cmp.Diff(truth, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s\n%s", format, diff, log.String()[:min(log.Len(), 2000)])
				}
			})
		}
	}
}

// recordedCrash returns what a handler sees of a recorded crash, and the
// frames below the exception.
func recordedCrash(t *testing.T, p *Program, path string) (*printed, []string) {
	t.Helper()
	ctx := context.Background()
	s, err := p.OpenDump(ctx, path, DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	k, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := k.Frames(ctx, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(frames, func(f Frame) bool { return f.Kind == KindException })
	if at < 0 || at+1 >= len(frames) {
		t.Fatalf("%s: no exception", path)
	}
	e := frames[at].Core.Exception
	return &printed{
		regs: frames[at+1].Core.Regs, ret: e.ExcReturn, frame: e.Frame, size: e.Size, memory: s.Target().Memory(),
	}, shown(frames[at+1:])
}

// stackOfLog opens a log and returns its stack.
func stackOfLog(t *testing.T, p *Program, log string) (frames []string, format string) {
	t.Helper()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "uart.txt")
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := p.OpenDump(ctx, path, DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if len(s.Threads()) == 0 {
		t.Fatalf("%s: no threads", s.Format())
	}
	k, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	all, err := k.Frames(ctx, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return shown(all), s.Format()
}
