package rtos

import (
	"testing"

	"pushmask/core"
)

// TestSwitchBegun stops where the next thread is already called current and the
// core is on the stack of the one before, the registers of which are not saved
// yet: what its control block says of them is old.
func TestSwitchBegun(t *testing.T) {
	t.Parallel()
	path := compile(t, "rtx5.c", append([]string{"-g"}, cortexM4...)...)
	for _, tt := range []struct {
		name      string
		exception uint32
		sp        string // the core is on the stack of
		runs      string
		old       string // no registers are shown of
	}{
		{"SVC", 11, "tx", "tx", "tx"},
		{"thread mode", 0, "rx", "rx", "rx"},
		{"interrupt", 20, "rx", "rx", "rx"},
		{"fault that an overflow may have led to", 3, "tx", "main", "tx"},
		{"own stack", 11, "main", "main", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := open(t, path)
			s := m.system(t, "main_task", m.symbol(t, tt.sp+"_stack")+64)
			s.Stopped[0].Set(core.PSR, xpsrT|tt.exception)
			l, err := Threads(s)
			if err != nil {
				t.Fatal(err)
			}
			for _, th := range l.Threads {
				if th.Running != (th.Name == tt.runs) {
					t.Errorf("%s: running %v", th.Name, th.Running)
				}
				none := th.Running || th.Name == tt.old || th.Name == "main" // which was never saved
				if th.Regs.Empty() != none {
					t.Errorf("%s: registers known: %v", th.Name, !th.Regs.Empty())
				}
			}
		})
	}
}

// TestSwitchWithoutPSP stops in a handler that switches, where only PSP could
// tell from which thread: none has registers.
func TestSwitchWithoutPSP(t *testing.T) {
	t.Parallel()
	m := open(t, compile(t, "rtx5.c", append([]string{"-g"}, cortexM4...)...))
	s := m.system(t, "main_task", m.symbol(t, "main_stack")+64)
	s.Stopped[0].Set(core.PSR, xpsrT|11)
	s.Stopped[0].Forget(core.PSP)
	l, err := Threads(s)
	if err != nil || len(l.Threads) != 6 || len(l.Warnings) == 0 {
		t.Fatalf("%d threads, warnings %q, %v", len(l.Threads), l.Warnings, err)
	}
	for _, th := range l.Threads {
		if !th.Regs.Empty() {
			t.Errorf("%s has registers", th.Name)
		}
	}
}

// TestSwitchWithoutCurrent is ThreadX between two threads: none is current, and
// the last one has registers only once they are saved.
func TestSwitchWithoutCurrent(t *testing.T) {
	t.Parallel()
	path := compile(t, "threadx.c", append([]string{"-g"}, cortexM4...)...)
	for _, saved := range []bool{false, true} {
		m := open(t, path)
		m.set(m.symbol(t, "_tx_thread_current_ptr"), 0)
		sp := m.symbol(t, "tx_stack") + 64
		if saved {
			sp = m.symbol(t, "tx_stack") + 512 - 32 // of the frame
		}
		s := m.system(t, "main_task", sp)
		s.Stopped[0].Set(core.PSR, xpsrT|14)
		l, err := Threads(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, th := range l.Threads {
			if th.Running || th.Name == "tx" && th.Regs.Empty() == saved {
				t.Errorf("saved %v: %s: running %v, registers known: %v", saved, th.Name, th.Running, !th.Regs.Empty())
			}
		}
	}
}

// TestRTThreadPending is RT-Thread between the choice of a thread and the
// exception that switches to it: the one before is executed.
func TestRTThreadPending(t *testing.T) {
	t.Parallel()
	m := open(t, compile(t, "rtthread.c", append([]string{"-g"}, cortexM4...)...))
	m.set(m.symbol(t, "rt_thread_switch_interrupt_flag"), 1)
	l, err := Threads(m.system(t, "main_task", m.symbol(t, "tx_stack")+256))
	if err != nil {
		t.Fatal(err)
	}
	if first := l.Threads[0]; first.Name != "tx" || !first.Running {
		t.Errorf("%s runs", first.Name)
	}
}

// TestAddressFill measures a stack whose words are filled with their addresses.
func TestAddressFill(t *testing.T) {
	t.Parallel()
	m := open(t, compile(t, "riot.c", append([]string{"-g", "-DDEVELHELP"}, cortexM4...)...))
	low := m.symbol(t, "tx_stack")
	for a := low; a < low+100; a += 4 {
		m.set(a, uint32(a))
	}
	l, err := Threads(m.system(t, "main_task", m.symbol(t, "main_stack")+256))
	if err != nil {
		t.Fatal(err)
	}
	for _, th := range l.Threads {
		want := uint32(512)
		if th.Name == "tx" {
			want = 412
		}
		if !th.Stack.HasUsed || th.Stack.Used != want {
			t.Errorf("%s: %d used (known: %v), want %d", th.Name, th.Stack.Used, th.Stack.HasUsed, want)
		}
	}
}

// TestRIOTNames names threads of a kernel that has no names by their numbers,
// and their stacks by the variables that they are in.
func TestRIOTNames(t *testing.T) {
	t.Parallel()
	m := open(t, compile(t, "riot.c", append([]string{"-g"}, cortexM4...)...))
	l, err := Threads(m.system(t, "main_task", m.symbol(t, "main_stack")+256))
	if err != nil {
		t.Fatal(err)
	}
	for _, th := range l.Threads {
		if th.Name[:4] != "pid " || th.Stack.High-th.Stack.Low != 512 {
			t.Errorf("%q, stack %v to %v", th.Name, th.Stack.Low, th.Stack.High)
		}
	}
}
