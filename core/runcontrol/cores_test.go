package runcontrol_test

import (
	"fmt"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/runcontrol"
	"pushmask/core/session"
)

// cores are the threads of the two cores, the first core first.
func (d *target) cores() [2]core.Thread {
	d.t.Helper()
	s, err := d.Session()
	if err != nil {
		d.t.Fatal(err)
	}
	var list [2]core.Thread
	for _, th := range s.Threads() {
		if th.CPU < 1 || th.CPU > 2 {
			d.t.Fatalf("threads %+v", s.Threads())
		}
		list[th.CPU-1] = th
	}
	return list
}

// places are where the two cores stand.
func (d *target) places() [2]string {
	d.t.Helper()
	s, err := d.Session()
	if err != nil {
		d.t.Fatal(err)
	}
	var list [2]string
	for i, th := range d.cores() {
		stack, err := s.Stack(th.ID)
		if err != nil {
			d.t.Fatal(err)
		}
		frames, err := stack.Frames(d.t.Context(), 0, 0)
		if err != nil || len(frames) == 0 {
			d.t.Fatalf("core %d has no frame: %v", i+1, err)
		}
		var names []string
		for _, f := range frames {
			names = append(names, f.Function)
		}
		list[i] = strings.Join(names, " < ")
	}
	return list
}

// runBoth runs to a function of the first core when the second one has left reset.
func (d *target) runBoth() {
	d.t.Helper()
	d.run("second_round")
	d.run("tour")
}

// TestTwoCores debugs both clusters of a machine in one session. The second core
// is held in reset until the program lets it go.
func TestTwoCores(t *testing.T) {
	t.Parallel()
	d := m33x2.open(t, runcontrol.Options{})
	if c := d.cores(); session.ThreadTitle(c[0]) != "core 1" || session.ThreadTitle(c[1]) != "core 2 [in reset or asleep]" || !c[0].Crashed {
		t.Fatalf("cores %+v", c)
	}
	d.runBoth()
	if c := d.cores(); !c[0].Crashed || c[1].State != "" {
		t.Errorf("cores %+v", c)
	}
	at := d.places()
	if at[0] != "tour < main < Reset_Handler" || !strings.HasSuffix(at[1], "second_main") {
		t.Errorf("the cores stand in %q", at)
	}
	d.breakOn("second_round")
	ev := d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
	if c := d.cores(); ev.Thread != c[1].ID || !c[1].Crashed || c[0].Crashed {
		t.Errorf("stopped %+v, cores %+v", ev, c)
	}
	before := d.word("second_counter")
	d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
	if now := d.word("second_counter"); now != before+1 {
		t.Errorf("counted from %d to %d", before, now)
	}
}

// TestStepOneCore steps each core and leaves the other where it is, or lets it
// run where the step does.
func TestStepOneCore(t *testing.T) {
	t.Parallel()
	d := m33x2.open(t, runcontrol.Options{})
	d.runBoth()
	c := d.cores()
	for i, th := range c {
		before := d.registers(c)
		m := runcontrol.Motion{Kind: runcontrol.MotionStepIn, Granularity: runcontrol.Instruction, Thread: th.ID}
		if ev := d.until(m, runcontrol.EventStep); ev.Thread != th.ID {
			t.Errorf("step of core %d ended as %+v", i+1, ev)
		}
		after := d.registers(c)
		if before[i] == after[i] || before[1-i] != after[1-i] {
			t.Errorf("step of core %d: before %v, after %v", i+1, before, after)
		}
	}
	for range 5 {
		for i, th := range c {
			m := next
			m.Thread = th.ID
			if ev := d.until(m, runcontrol.EventStep); ev.Thread != th.ID || !d.cores()[i].Crashed {
				t.Errorf("next of core %d ended as %+v", i+1, ev)
			}
		}
	}
	if at := d.places(); !strings.Contains(at[0], "main < Reset_Handler") || !strings.HasSuffix(at[1], "second_main") {
		t.Errorf("the cores stand in %q", at)
	}
}

// registers are those of both cores.
func (d *target) registers(c [2]core.Thread) [2]core.Regs {
	d.t.Helper()
	s, err := d.Session()
	if err != nil {
		d.t.Fatal(err)
	}
	var list [2]core.Regs
	for i, th := range c {
		if list[i], err = s.Registers(d.t.Context(), th.ID); err != nil {
			d.t.Fatal(err)
		}
	}
	return list
}

// TestBreakpointLeftBehind has a core stand at a breakpoint while the other one is
// stepped: it does not stop there again without having moved.
func TestBreakpointLeftBehind(t *testing.T) {
	t.Parallel()
	d := m33x2.open(t, runcontrol.Options{})
	d.run("tour")
	d.breakOn("second_round")
	d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
	c := d.cores()
	step := runcontrol.Motion{Kind: runcontrol.MotionStepIn, Granularity: runcontrol.Instruction, Thread: c[0].ID}
	d.until(step, runcontrol.EventStep)
	before := d.word("second_counter")
	ev := d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
	if now := d.word("second_counter"); ev.Thread != c[1].ID || now != before+1 {
		t.Errorf("stopped %+v, counted from %d to %d: %s", ev, before, now, fmt.Sprint(d.places()))
	}
}
