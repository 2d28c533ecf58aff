package rtos

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// Offsets in the structures of freertos.c with -DCM4F: ListItem_t, List_t and
// TCB_t without integrity words.
const (
	itemNext      = 4
	itemContainer = 16
	listCount     = 0
	tcbState      = 4
	tcbName       = 52
)

// freertosBroken damages one thing and says what is left.
var freertosBroken = []struct {
	name   string
	damage func(t *testing.T, m *machine)
	lost   []string // names of the tasks that cannot be read any more
	warns  string   // part of a warning
}{
	{"item that leads to itself", func(t *testing.T, m *machine) {
		m.set(m.symbol(t, "rx_tcb")+tcbState+itemNext, uint32(m.symbol(t, "rx_tcb")+tcbState))
	}, []string{"off", "fp"}, "it leads back into itself"},
	{"null pointer", func(t *testing.T, m *machine) {
		m.set(m.symbol(t, "nap_tcb")+tcbState+itemNext, 0)
	}, []string{"lock"}, "a null pointer"},
	{"pointer into nowhere", func(t *testing.T, m *machine) {
		m.set(m.symbol(t, "nap_tcb")+tcbState+itemNext, 0xdeadbeec)
	}, []string{"lock"}, "not in memory"},
	{"item of another list", func(t *testing.T, m *machine) {
		m.set(m.symbol(t, "off_tcb")+tcbState+itemContainer, 0x20000000)
	}, []string{"off", "fp"}, "it says that it is on the list at 0x20000000"},
	{"wrong count", func(t *testing.T, m *machine) {
		m.set(m.symbol(t, "xDelayedTaskList1")+listCount, 9)
	}, nil, "holds 2 tasks and says that it holds 9"},
	{"name that is no text", func(t *testing.T, m *machine) {
		m.set(m.symbol(t, "nap_tcb")+tcbName, 0x01020304)
	}, []string{"nap"}, "its name is no text"},
	{"hole over a control block", func(t *testing.T, m *machine) {
		m.gone, m.size = m.symbol(t, "nap_tcb"), 4
	}, []string{"nap"}, "is not in the artefact"},
	{"hole over a list", func(t *testing.T, m *machine) {
		m.gone, m.size = m.symbol(t, "xSuspendedTaskList"), 4
	}, []string{"rx", "off", "fp"}, "lists that are not in the artefact: 1"},
	{"context that is none", func(t *testing.T, m *machine) {
		m.set(m.symbol(t, "tx_stack")+512-8, 0x20000000) // PC
	}, nil, `the registers of thread "tx" are not known`},
	{"more tasks than lists hold", func(t *testing.T, m *machine) {
		m.set(m.symbol(t, "uxCurrentNumberOfTasks"), 8)
	}, nil, "there are 8 tasks, 7 could be read"},
}

// TestFreeRTOSBroken damages the structures: what can be read is listed, with a
// warning, and nothing else.
func TestFreeRTOSBroken(t *testing.T) {
	t.Parallel()
	path := compile(t, "freertos.c", append(cortexM4, "-g", "-DCM4F")...)
	all := []string{"main", "tx", "nap", "lock", "rx", "off", "fp"}
	for _, b := range freertosBroken {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			m := open(t, path)
			b.damage(t, m)
			l, err := Threads(m.system(t, "main_task", m.symbol(t, "main_stack")+256))
			if err != nil {
				t.Fatal(err)
			}
			var want, got []string
			for _, name := range all {
				if !strings.Contains(" "+strings.Join(b.lost, " ")+" ", " "+name+" ") {
					want = append(want, name)
				}
			}
			for _, th := range l.Threads {
				got = append(got, th.Name)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			if !strings.Contains(strings.Join(l.Warnings, "\n"), b.warns) {
				t.Errorf("warnings %q, want one with %q", l.Warnings, b.warns)
			}
		})
	}
}

// TestFreeRTOSNone is a kernel that has no tasks yet, and one whose memory the
// artefact does not hold.
func TestFreeRTOSNone(t *testing.T) {
	t.Parallel()
	path := compile(t, "freertos.c", append(cortexM4, "-g", "-DCM4F")...)
	for name, damage := range map[string]func(m *machine){
		"no current task": func(m *machine) { m.set(m.symbol(t, "pxCurrentTCB"), 0) },
		"no memory":       func(m *machine) { m.gone, m.size = 0x20000000, 0x100000 },
	} {
		m := open(t, path)
		damage(m)
		if l, err := Threads(m.system(t, "main_task", 0x20000100)); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %v, %v", name, l, err)
		}
	}
}

// TestFreeRTOSNotStarted lists tasks that were created before the scheduler
// was started: none runs, and all have registers.
func TestFreeRTOSNotStarted(t *testing.T) {
	t.Parallel()
	m := open(t, compile(t, "freertos.c", append(cortexM4, "-g", "-DCM4F")...))
	m.set(m.symbol(t, "xSchedulerRunning"), 0)
	m.set(m.symbol(t, "pxCurrentTCB"), uint32(m.symbol(t, "tx_tcb")))
	l, err := Threads(m.system(t, "main_task", m.symbol(t, "main_stack")+256))
	if err != nil {
		t.Fatal(err)
	}
	for _, th := range l.Threads {
		if th.Running || th.State == stateRunning || th.Regs.Empty() != (th.Name == "main") {
			t.Errorf("%s: running %v, %s, registers %v", th.Name, th.Running, th.State, !th.Regs.Empty())
		}
	}
}

// TestFreeRTOSCurrent finds the current task where the artefact holds its
// control block and no list.
func TestFreeRTOSCurrent(t *testing.T) {
	t.Parallel()
	path := compile(t, "freertos.c", append(cortexM4, "-g", "-DCM4F")...)
	for _, p := range []string{path, strip(t, path)} {
		m := open(t, p)
		for _, list := range []string{"xDelayedTaskList1", "xDelayedTaskList2", "xSuspendedTaskList", "xPendingReadyList", "xTasksWaitingTermination", "pxReadyTasksLists"} {
			for _, s := range m.image.Variables(list) {
				for off := uint32(0); off < s.Size; off += 4 {
					m.set(core.Addr(s.Addr+off), 0)
				}
			}
		}
		l, err := Threads(m.system(t, "main_task", m.symbol(t, "main_stack")+256))
		if err != nil || len(l.Threads) != 1 || l.Threads[0].Name != "main" || !l.Threads[0].Running {
			t.Errorf("%+v, %v", l, err)
		}
		if len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], "there are 7 tasks, 1 could be read") {
			t.Errorf("warnings %q", l.Warnings)
		}
	}
}

// TestSwitching stops between the choice of the next task and the switch of
// stacks: the core is still on the stack of tx, whose context was just saved.
func TestSwitching(t *testing.T) {
	t.Parallel()
	m := open(t, compile(t, "freertos.c", append(cortexM4, "-g", "-DCM4F")...))
	m.set(m.symbol(t, "pxCurrentTCB"), uint32(m.symbol(t, "nap_tcb")))
	frame := m.symbol(t, "tx_stack") + 512 - 32
	s := m.system(t, "main_task", frame)
	const pendSV = 14
	s.Stopped[0].Set(core.PSR, xpsrT|pendSV)
	l, err := Threads(s)
	if err != nil {
		t.Fatal(err)
	}
	if first := l.Threads[0]; first.Name != "tx" || !first.Running || first.Core != 0 {
		t.Errorf("%s runs", first.Name)
	}
	for _, th := range l.Threads[1:] {
		if th.Running {
			t.Errorf("%s runs too", th.Name)
		}
		if th.Name == "nap" && th.Regs.Value(core.PC) != uint32(m.symbol(t, "nap_task")) {
			t.Error("the task that comes next has no registers")
		}
	}
	// A stack that overflowed into that of tx is another matter.
	s = m.system(t, "main_task", frame-64)
	s.Stopped[0].Set(core.PSR, xpsrT|3)
	if l, _ = Threads(s); l.Threads[0].Name != "nap" {
		t.Errorf("overflow: %s runs", l.Threads[0].Name)
	}
}

// TestSMP gives each core the task whose stack it works on.
func TestSMP(t *testing.T) {
	t.Parallel()
	path := compile(t, "freertos.c", append(cortexM4, "-g", "-DCM3", "-DSMP")...)
	for _, p := range []string{path, strip(t, path)} {
		m := open(t, p)
		s := m.system(t, "main_task", m.symbol(t, "tx_stack")+256)
		s.Stopped = append(s.Stopped, m.system(t, "tx_task", m.symbol(t, "main_stack")+512).Stopped...)
		l, err := Threads(s)
		if err != nil {
			t.Fatal(err)
		}
		cores := map[string]int{}
		for _, th := range l.Threads {
			if th.Running {
				cores[th.Name] = th.Core
			}
		}
		if d := cmp.Diff(map[string]int{"tx": 0, "main": 1}, cores); d != "" {
			t.Error(d)
		}
	}
}
