package session

import (
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/dump"
	"pushmask/core/unwind"
)

// TestConfinedStack takes the word of FreeRTOS for the thread that an exception
// interrupted, unless the artefact names another.
func TestConfinedStack(t *testing.T) {
	t.Parallel()
	p, target := openKernel(t)
	stack := core.Addr(p.Images().Lookup("main_stack")[0].Addr)
	target.threads = []core.Thread{{ID: 4, Crashed: true}}
	target.regs[4] = at(t, p, "main_task", uint32(stack)+256)
	s := openFake(t, p, target)
	for _, th := range s.Threads() {
		var want unwind.Range
		if th.Name == "main" {
			want = unwind.Range{Addr: stack, Size: 512}
		}
		if got := s.confinedStack(th.ID); got != want {
			t.Errorf("%s: %+v, want %+v", th.Name, got, want)
		}
	}
	target.threads[0].Name = "nap"
	s = openFake(t, p, target)
	if got := s.confinedStack(4); got != (unwind.Range{}) {
		t.Errorf("the artefact names another thread: %+v", got)
	}
}

// TestLostProcessStack unwinds a stop in SysTick without PSP where two places in
// memory look like the frame of the interrupted thread: not at all by memory alone,
// which is no sign of another build, and whole by the stack of the thread.
func TestLostProcessStack(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(fixtures, "process-stack")
	p := openDemo(t, Config{Image: filepath.Join(dir, "fw.elf")})
	target, d := twoFrames(t, filepath.Join(dir, "gdb.core"))
	stack := p.Images().Variables("stack")[0]
	for _, known := range []bool{false, true} {
		s := openFake(t, p, target)
		s.regions = d.Regions
		if known {
			s.threads[0].Stack = core.Stack{Low: core.Addr(stack.Addr), High: core.Addr(stack.Addr + stack.Size)}
			s.confine(1)
		}
		k, err := s.Stack(1)
		if err != nil {
			t.Fatal(err)
		}
		frames, err := k.Frames(t.Context(), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		last, stop := frames[len(frames)-1].Function, k.Stop()
		switch {
		case known && (last != "station_task" || !stop.Complete()):
			t.Errorf("with the stack of the thread: ends in %s: %v %s", last, stop.Kind, stop.Detail)
		case !known && (len(frames) != 1 || stop.Kind != core.StopBank || !strings.Contains(stop.Detail, "2 places in memory")):
			t.Errorf("%d frames, the last %s: %v %s", len(frames), last, stop.Kind, stop.Detail)
		}
		if m := s.compare(t.Context(), d); m.text != "" {
			t.Errorf("stack known: %v; warning %q", known, m.text)
		}
	}
}

// twoFrames is a dump as a stop in SysTick, with a second copy of its RAM.
func twoFrames(t *testing.T, path string) (*fakeTarget, *dump.Dump) {
	t.Helper()
	const ram, copied, sysTick = 0x20000000, 0x20010000, 15
	d, err := dump.Open(path, DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	regs, err := d.Registers(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	target := oneThread(core.ProfileM, 0, nil)
	regs.Set(core.PSR, regs.Value(core.PSR)&^0x1ff|sysTick)
	target.regs[1] = regs
	held := d.Regions
	for _, r := range held {
		data := make([]byte, r.Size)
		if _, err := d.Memory().ReadAt(r.Addr, data); err != nil {
			t.Fatal(err)
		}
		target.mem.AddBytes(r.Addr, data)
		if r.Addr == ram {
			target.mem.AddBytes(copied, data)
			d.Regions = append(d.Regions, dump.Region{Addr: copied, Size: r.Size})
		}
	}
	return target, d
}
