package session

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// openKernel builds the FreeRTOS of the tests of core/rtos and returns it with
// its data as memory.
func openKernel(t *testing.T) (*Program, *fakeTarget) {
	t.Helper()
	const gcc = "arm-none-eabi-gcc"
	if _, err := exec.LookPath(gcc); err != nil {
		t.Skipf("%s is not installed: there is no kernel to read", gcc)
	}
	path := filepath.Join(t.TempDir(), "fw.elf")
	args := strings.Fields("-mcpu=cortex-m4 -mthumb -g -DCM4F -ffreestanding -nostdlib -Wl,-Ttext=0x8000,-Tdata=0x20000000 -o")
	args = append(args, path, "../rtos/testdata/freertos.c")
	if b, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	p := openDemo(t, Config{Image: path})
	target := &fakeTarget{profile: core.ProfileM, regs: map[core.ThreadID]core.Regs{}}
	for _, seg := range p.Images().Segments() {
		if seg.Write {
			b := make([]byte, seg.FileSize)
			if _, err := p.Images().ReadAt(seg.Addr, b); err != nil {
				t.Fatal(err)
			}
			target.mem.AddBytes(core.Addr(seg.Addr), b)
		}
	}
	return p, target
}

// at makes registers that stand in a function.
func at(t *testing.T, p *Program, function string, sp uint32) core.Regs {
	t.Helper()
	list := p.Images().Lookup(function)
	if len(list) == 0 {
		t.Fatalf("no symbol %s", function)
	}
	return regsOf(map[core.Reg]uint32{core.PC: list[0].Addr, core.SP: sp, core.LR: 0, core.PSR: 1 << 24})
}

// titles lists the threads of a session with their IDs.
func titles(s *Session) map[core.ThreadID]string {
	list := map[core.ThreadID]string{}
	for _, th := range s.Threads() {
		list[th.ID] = ThreadTitle(th)
	}
	return list
}

// TestJoinOneContext adds the threads in memory to an artefact that has the
// registers of the machine only: the thread that was running is the artefact's.
func TestJoinOneContext(t *testing.T) {
	t.Parallel()
	p, target := openKernel(t)
	target.threads = []core.Thread{{ID: 4, Crashed: true, Signal: 5}}
	target.regs[4] = at(t, p, "main_task", p.Images().Lookup("main_stack")[0].Addr+256)
	s := openFake(t, p, target)
	first := s.Threads()[0]
	if first.ID != 4 || first.Name != "main" || !first.Crashed || first.Signal != 5 || first.Stack.High-first.Stack.Low != 512 {
		t.Errorf("the running thread is %+v", first)
	}
	// IDs follow the order of the control blocks, whatever the states.
	want := map[core.ThreadID]string{
		4: "main [running, prio 3]", 5: "tx [ready, prio 2 (base 1)]", 6: "rx [blocked on queue rx_queue, prio 2]",
		7: "lock [blocked on mutex bus_lock held by tx (100 ticks left), prio 2]",
		8: "nap [blocked on delay (50 ticks left), prio 1]", 9: "off [suspended, prio 0]",
		10: "fp [blocked on event group events, prio 4]",
	}
	if d := cmp.Diff(want, titles(s)); d != "" {
		t.Error(d)
	}
	if s.Kernel() != "FreeRTOS" || len(s.Warnings()) != 0 {
		t.Errorf("kernel %q, warnings %q", s.Kernel(), s.Warnings())
	}
	for _, th := range s.Threads() {
		k, err := s.Stack(th.ID)
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := k.Len(); n != 0 {
			t.Errorf("%s was unwound before it was asked for", th.Name)
		}
		frames, err := k.Frames(context.Background(), 0, 0)
		if err != nil || len(frames) == 0 || frames[0].Function != th.Name+"_task" {
			t.Errorf("%s: %v, %v", th.Name, frames, err)
		}
		if c := s.Cause(context.Background(), th.ID); th.ID != 4 && c.Name == "" {
			t.Errorf("%s has no cause", th.Name)
		}
	}
}

// TestJoinLive leaves out how much of the stacks was used, which takes reading
// them, where the threads of a live target are joined.
func TestJoinLive(t *testing.T) {
	t.Parallel()
	p, target := openKernel(t)
	target.threads = []core.Thread{{ID: 4}}
	target.regs[4] = at(t, p, "main_task", p.Images().Lookup("main_stack")[0].Addr+256)
	measured := func(s *Session) (n int) {
		for _, th := range s.Threads() {
			if th.Stack.HasUsed {
				n++
			}
		}
		return n
	}
	if s := openFake(t, p, target); measured(s) == 0 {
		t.Error("no stack of a dump is measured")
	}
	s, err := p.OpenTarget(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	s.JoinSystem(t.Context(), new(Tasks))
	if len(s.Threads()) != 7 || measured(s) != 0 {
		t.Errorf("%d threads, %d stacks measured", len(s.Threads()), measured(s))
	}
}

// TestJoinNoRegisters lists the threads of memory that came without registers:
// all but those of the running one are known.
func TestJoinNoRegisters(t *testing.T) {
	t.Parallel()
	p, target := openKernel(t)
	s := openFake(t, p, target)
	if n := len(s.Threads()); n != 7 || s.Threads()[0].Name != "main" {
		t.Fatalf("%d threads, %+v", n, s.Threads())
	}
	regs, err := s.Registers(context.Background(), s.Threads()[0].ID)
	if err != nil || !regs.Empty() {
		t.Errorf("registers of the running thread: %v, %v", regs, err)
	}
	k, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if frames, err := k.Frames(context.Background(), 0, 0); err != nil || len(frames) != 0 {
		t.Errorf("frames of a thread without registers: %v, %v", frames, err)
	}
}

// TestJoinKnownThreads adds what memory knows to an artefact that lists the
// threads itself, and no thread twice.
func TestJoinKnownThreads(t *testing.T) {
	t.Parallel()
	p, target := openKernel(t)
	tx := p.Images().Lookup("tx_stack")[0].Addr + 512
	target.threads = []core.Thread{{ID: 1, Name: "main", Crashed: true}, {ID: 7}, {ID: 3, Name: "unknown"}, {ID: 2, Name: "nap"}}
	target.regs[1] = at(t, p, "main_task", 0x20000100)
	target.regs[7] = at(t, p, "tx_task", tx)
	target.regs[3] = at(t, p, "off_task", 0x20000100)
	target.regs[2] = at(t, p, "nap_task", 0x20000100)
	s := openFake(t, p, target)
	want := map[core.ThreadID]string{
		1: "main [running, prio 3]", 7: "tx [ready, prio 2 (base 1)]", 3: "unknown",
		2: "nap [blocked on delay (50 ticks left), prio 1]",
	}
	if d := cmp.Diff(want, titles(s)); d != "" {
		t.Error(d)
	}
}

// TestJoinOtherName keeps the name that the artefact gives its only thread when
// no thread in memory has it, and finds the one that has.
func TestJoinOtherName(t *testing.T) {
	t.Parallel()
	p, target := openKernel(t)
	target.threads = []core.Thread{{ID: 1, Name: "core 0", Crashed: true}}
	target.regs[1] = at(t, p, "main_task", 0x20000100)
	s := openFake(t, p, target)
	if got := titles(s)[1]; got != "core 0 [running, prio 3]" || len(s.Threads()) != 7 {
		t.Errorf("%q, %d threads", got, len(s.Threads()))
	}
	target.threads = []core.Thread{{ID: 1, Name: "nap", Crashed: true}}
	s = openFake(t, p, target)
	if got := titles(s)[1]; got != "nap [blocked on delay (50 ticks left), prio 1]" || len(s.Threads()) != 7 {
		t.Errorf("%q, %d threads", got, len(s.Threads()))
	}
}

// TestForeignStack ends a stack at the handler where PSP is unknown and the only
// frame in memory lies on the stack of another thread.
func TestForeignStack(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := filepath.Join(fixtures, "process-stack")
	p := openDemo(t, Config{Image: filepath.Join(dir, "fw.elf")})
	frames := func(other core.Stack) []Frame {
		s, err := p.OpenDump(ctx, filepath.Join(dir, "gdb.core"), DumpOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		s.threads = append(s.threads, core.Thread{ID: 99, Stack: other})
		clear(s.stacks) // what was walked to check the dump
		k, err := s.Stack(s.threads[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		list, err := k.Frames(ctx, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	entry := func(list []Frame) int {
		return slices.IndexFunc(list, func(f Frame) bool { return f.Kind == KindException })
	}
	found := frames(core.Stack{})
	i := entry(found)
	if i < 0 || !found[i].Core.Trust.Guess() {
		t.Fatal("the fixture needs no search for its frame")
	}
	at := found[i].Core.Exception.Frame
	if list := frames(core.Stack{Low: at - 64, High: at + 64}); entry(list) >= 0 || len(list) != i {
		t.Errorf("%d frames, %d without the other thread's", len(list), i)
	}
	if list := frames(core.Stack{Low: at + 64, High: at + 128}); len(list) != len(found) {
		t.Errorf("%d frames, want %d", len(list), len(found))
	}
}

// TestBrokenKernel warns of lists that are broken and lists what is whole.
func TestBrokenKernel(t *testing.T) {
	t.Parallel()
	p, target := openKernel(t)
	suspended := p.Images().Lookup("xSuspendedTaskList")[0].Addr
	target.mem.AddBytes(core.Addr(suspended), le32(12))
	target.threads = []core.Thread{{ID: 1, Crashed: true}}
	target.regs[1] = at(t, p, "main_task", 0x20000100)
	s := openFake(t, p, target)
	if len(s.Threads()) != 7 || len(s.Warnings()) != 1 || !strings.Contains(s.Warnings()[0], "xSuspendedTaskList") {
		t.Errorf("%d threads, warnings %q", len(s.Threads()), s.Warnings())
	}
}

// TestTaskIDs has a thread keep its ID while the kernel switches to another one
// and back.
func TestTaskIDs(t *testing.T) {
	t.Parallel()
	p, target := openKernel(t)
	address := func(symbol string) uint32 { return p.Images().Lookup(symbol)[0].Addr }
	target.threads = []core.Thread{{ID: 1, Crashed: true}}
	var tasks Tasks
	stop := func(task string) *Session {
		target.regs[1] = at(t, p, task+"_task", address(task+"_stack")+256)
		target.mem.AddBytes(core.Addr(address("pxCurrentTCB")), le32(address(task+"_tcb")))
		s, err := p.OpenTarget(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		s.JoinSystem(t.Context(), &tasks)
		return s
	}
	names := func(s *Session) map[core.ThreadID]string {
		list := map[core.ThreadID]string{}
		for _, th := range s.Threads() {
			list[th.ID] = th.Name
		}
		return list
	}
	s := stop("main")
	before := names(s)
	first := s.Threads()[0]
	if own, ok := s.OwnThread(first.ID); first.Name != "main" || own != 1 || !ok || s.ThreadOn(1) != first.ID {
		t.Errorf("%+v runs on %d", first, own)
	}
	if regs, err := s.Registers(t.Context(), first.ID); err != nil || regs != target.regs[1] {
		t.Errorf("registers %v, %v", regs, err)
	}
	s = stop("tx")
	if diff := cmp.Diff(before, names(s)); diff != "" {
		t.Errorf("after the switch (-before +now):\n%s", diff)
	}
	second := s.Threads()[0]
	if second.Name != "tx" || s.ThreadOn(1) != second.ID || !second.Crashed {
		t.Errorf("the thread that stopped is %+v", second)
	}
	if _, ok := s.OwnThread(first.ID); ok {
		t.Error("the first thread still runs")
	}
	if again := stop("main").Threads()[0]; again.ID != first.ID || target.threads[0].Name != "" {
		t.Errorf("back in %+v, the target's %+v", again, target.threads[0])
	}
}
