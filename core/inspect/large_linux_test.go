package inspect_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pushmask/core"
	"pushmask/core/coretest"
	"pushmask/core/coretest/qemu"
	"pushmask/core/gdbremote"
	"pushmask/core/session"
)

// largeUnits is how many times testdata/large/unit.cpp is compiled.
const largeUnits = 12

// large is a program with more than 50 MB of debug information, and a core of it
// that stopped in the middle of one of its units.
type large struct{ dir, elf, core string }

// largeProgram builds the program once, which takes minutes, into a folder that
// later runs find again: that of LARGE, or one that the run leaves behind.
var largeProgram = sync.OnceValues(func() (large, error) {
	dir := os.Getenv("LARGE")
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "large"); err != nil {
			return large{}, err
		}
	}
	l := large{dir, filepath.Join(dir, "fw.elf"), filepath.Join(dir, "fw.core")}
	if _, err := os.Stat(l.elf); err == nil {
		return l, nil
	}
	return l, l.build()
})

func (l large) build() error {
	source, err := filepath.Abs("testdata/large")
	if err != nil {
		return err
	}
	run := func(args ...string) error {
		cmd := exec.Command("arm-none-eabi-g++", append(strings.Fields("-mcpu=cortex-m3 -mthumb -O1 -g -std=c++17 -fno-exceptions"), args...)...)
		cmd.Dir = source
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", cmd, err, out)
		}
		return nil
	}
	objects := []string{filepath.Join(l.dir, "main.o"), filepath.Join(l.dir, "startup.o")}
	if err := run("-c", "main.cpp", "-o", objects[0]); err != nil {
		return err
	}
	if err := run("-c", "-x", "c", "-std=gnu11", "../program/startup.c", "-o", objects[1]); err != nil {
		return err
	}
	for n := range largeUnits {
		object := filepath.Join(l.dir, fmt.Sprintf("unit%d.o", n))
		if err := run("-c", "unit.cpp", fmt.Sprintf("-DUNIT=%d", n), "-o", object); err != nil {
			return err
		}
		objects = append(objects, object)
	}
	return run(append(objects, "-nostartfiles", "-T", "../program/program.ld", "-specs=nano.specs", "-specs=nosys.specs", "-o", l.elf)...)
}

// openLarge returns the program with its core, which it writes at its stop in
// QEMU where there is none yet.
func openLarge(b *testing.B) large {
	b.Helper()
	l, err := largeProgram()
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("LARGE=%s finds the program again", l.dir)
	if _, err := os.Stat(l.core); err == nil {
		return l
	}
	ctx := b.Context()
	p, err := session.OpenProgram(ctx, session.Config{Image: l.elf})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	m := qemu.StartTest(b, qemu.Config{Machine: "mps2-an385", ELF: l.elf})
	c, err := gdbremote.Dial(ctx, m.Address, gdbremote.Options{Timeout: qemu.StartTime})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	at := core.Addr(p.Images().Lookup("stop_here")[0].Addr)
	if err := c.InsertBreakpoint(ctx, gdbremote.HardwareBreakpoint, at, 2); err != nil {
		b.Fatal(err)
	}
	if _, err := c.Continue(ctx); err != nil {
		b.Fatal(err)
	}
	const ram, size = 0x20000000, 64 << 10
	data := make([]byte, size)
	if _, err := c.ReadMemory(ctx, ram, data); err != nil {
		b.Fatal(err)
	}
	regs, err := c.Registers(ctx)
	if err != nil {
		b.Fatal(err)
	}
	status := coretest.PRStatus{PID: 1}
	for i := range status.Regs[:core.PC+1] {
		status.Regs[i] = regs.Value(core.Reg(i))
	}
	status.Regs[16] = regs.Value(core.PSR)
	file := coretest.ELFCore{Segments: []coretest.ELFSegment{
		coretest.NoteSegment(status.Note()), {Addr: ram, Data: data},
	}}
	if err := os.WriteFile(l.core, file.Bytes(), 0o666); err != nil {
		b.Fatal(err)
	}
	return l
}

// look opens the core and shows the arguments and locals of a frame.
func (l large) look(b *testing.B, frame int) (*session.Session, *session.Frame) {
	b.Helper()
	p, err := session.OpenProgram(b.Context(), session.Config{Image: l.elf})
	if err != nil {
		b.Fatal(err)
	}
	s, err := p.OpenDump(b.Context(), l.core, session.DumpOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		s.Close()
		p.Close()
	})
	k, err := s.Stack(1)
	if err != nil {
		b.Fatal(err)
	}
	frames, err := k.Frames(b.Context(), 0, frame+1)
	if err != nil || len(frames) <= frame {
		b.Fatal(len(frames), err)
	}
	return s, &frames[frame]
}

// scopes does what an editor asks for when a frame is selected.
func scopes(b *testing.B, s *session.Session, f *session.Frame) {
	b.Helper()
	frame, err := s.InspectFrame(context.Background(), f)
	if err != nil {
		b.Fatal(err)
	}
	s.Inspect().CountStatics(frame)
	s.Inspect().HasGlobals(frame)
	showLocals(b, s, f)
}

// BenchmarkLarge shows the arguments and locals of a frame of a program of 50 MB:
// in a session, at first (with opening the ELF and the core) and again; and, as
// processes of their own with the memory that they took at most, those of all
// frames by pushmask and those of the one by gdb.
func BenchmarkLarge(b *testing.B) {
	const frame = 1 // a caller, in code of templates
	l := openLarge(b)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			s, f := l.look(b, frame)
			scopes(b, s, f)
		}
	})
	b.Run("again", func(b *testing.B) {
		s, f := l.look(b, frame)
		scopes(b, s, f)
		for b.Loop() {
			scopes(b, s, f)
		}
	})
	b.Run("process/pushmask", func(b *testing.B) {
		program := filepath.Join(b.TempDir(), "pushmask")
		if out, err := exec.Command("go", "build", "-o", program, "pushmask/cmd/pushmask").CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		for b.Loop() {
			measured(b, exec.Command(program, "bt", "--locals", l.elf, l.core))
		}
	})
	b.Run("process/gdb", func(b *testing.B) {
		var first, again, lines int64
		for b.Loop() {
			gdb := exec.Command("gdb-multiarch", "-nx", "-q", "-batch", "-ex", "core-file "+l.core, "-x", "testdata/large.py", l.elf)
			gdb.Env = append(os.Environ(), fmt.Sprint("FRAME=", frame))
			out := measured(b, gdb)
			_, text, _ := strings.Cut(out, "LOOK ")
			if _, err := fmt.Sscan(text, &first, &again, &lines); err != nil || lines == 0 {
				b.Fatalf("%v, %d lines\n%s", err, lines, out)
			}
		}
		b.ReportMetric(float64(first)/1e6, "first-ms")
		b.ReportMetric(float64(again)/1e6, "again-ms")
	})
}

// measured runs a command and reports the processor time of its last run, and
// the most memory that was resident, as long as it could be seen: what the kernel
// says of a child that ended counts its parent's.
func measured(b *testing.B, cmd *exec.Cmd) string {
	b.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	most := make(chan float64)
	go func() { most <- peak(cmd.Process.Pid) }()
	if err := cmd.Wait(); err != nil {
		b.Fatalf("%v: %v\n%s", cmd, err, &out)
	}
	b.ReportMetric(<-most, "MB")
	b.ReportMetric(float64((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Milliseconds()), "cpu-ms")
	return out.String()
}

// peak returns the resident memory of a process at its most, in MB, when it has
// ended (VmHWM, proc_pid_status(5)).
func peak(pid int) (mb float64) {
	for {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		_, text, found := strings.Cut(string(status), "VmHWM:")
		var kb float64
		if _, scanErr := fmt.Sscan(text, &kb); err != nil || !found || scanErr != nil {
			return mb
		}
		mb = kb / 1024
		time.Sleep(time.Millisecond)
	}
}

// BenchmarkLargeComplete completes names, and what follows a dot, in a program
// whose names were not looked up before and in one whose names were.
func BenchmarkLargeComplete(b *testing.B) {
	const frame = 1
	l := openLarge(b)
	complete := func(b *testing.B, s *session.Session, f *session.Frame, text string) {
		in, err := s.InspectFrame(b.Context(), f)
		if err != nil {
			b.Fatal(err)
		}
		s.Inspect().Complete(in, text)
	}
	for _, text := range []string{"", "s", "std", "(s", "x + main", "s->"} {
		b.Run("first "+text, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s, f := l.look(b, frame)
				scopes(b, s, f)
				b.StartTimer()
				complete(b, s, f, text)
			}
		})
		b.Run("later "+text, func(b *testing.B) {
			s, f := l.look(b, frame)
			complete(b, s, f, text)
			for b.Loop() {
				complete(b, s, f, text)
			}
		})
	}
}
