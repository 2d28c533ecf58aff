package live

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/core/gdbremote"
)

// threads gives the stub's threads numbers that stay as they are while the
// session lasts: cores of QEMU, tasks that a server knows.
type threads struct {
	names []string // by ID-1; "" until the stub has named the first one
	at    core.ThreadID
	list  []core.Thread // nil until it is asked for
	whole bool          // the stub was asked for cores that it does not list by itself
}

// current is the thread that stopped.
func (t *threads) current() core.ThreadID { return max(t.at, 1) }

// nameOf is the stub's name of a thread, "" for the one that stopped.
func (t *threads) nameOf(id core.ThreadID) string {
	if id == t.current() || id < 1 || int(id) > len(t.names) {
		return ""
	}
	return t.names[id-1]
}

// choice names the thread that an action is for, "" where there is one alone.
func (t *threads) choice(id core.ThreadID) string {
	if len(t.names) < 2 || id < 1 || int(id) > len(t.names) {
		return ""
	}
	return t.names[id-1]
}

// idOf numbers a thread by its name.
func (t *threads) idOf(name string) core.ThreadID {
	for i, n := range t.names {
		if n == name || n == "" {
			t.names[i] = name
			return core.ThreadID(i + 1)
		}
	}
	t.names = append(t.names, name)
	return core.ThreadID(len(t.names))
}

// stopped takes the thread that a stop names. A list of several threads, or one
// without it, may not be true any more.
func (t *threads) stopped(name string) {
	if name != "" {
		t.at = t.idOf(name)
	}
	if len(t.list) != 1 || t.list[0].ID != t.current() {
		t.list = nil
	}
}

// Thread is the thread that stopped.
func (m *Machine) Thread() core.ThreadID { return m.threads.current() }

// Threads implements core.Target: the one that stopped first. Those of QEMU are
// the cores of all clusters.
func (m *Machine) Threads(ctx context.Context) ([]core.Thread, error) {
	if m.threads.list != nil {
		return m.threads.list, nil
	}
	infos, err := m.client.Threads(ctx)
	if err == nil && !m.threads.whole {
		m.threads.whole = true
		var more int
		if more, err = m.client.AttachClusters(ctx); more > 0 && err == nil {
			infos, err = m.client.Threads(ctx)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("list threads: %w", err)
	}
	m.threads.list = m.threads.take(infos)
	return m.threads.list, nil
}

func (t *threads) take(infos []gdbremote.ThreadInfo) []core.Thread {
	first := core.Thread{ID: t.current(), Crashed: true}
	var others []core.Thread
	for i, info := range infos {
		if i == 0 && t.at == 0 {
			t.at = t.idOf(info.ID)
			first.ID = t.at
		}
		th := describe(info, len(infos) > 1)
		th.ID = t.idOf(info.ID)
		if th.ID == first.ID {
			th.Crashed = true
			first = th
		} else {
			others = append(others, th)
		}
	}
	return append([]core.Thread{first}, others...)
}

// cpuMark is in what QEMU says of a thread: "CPU#0 [running]", and where cores
// have names "cortex-m33-arm-cpu cpu [halted ]" (gdbstub.c,
// handle_query_thread_extra).
const cpuMark = "cpu"

// describe is what a stub says of a thread. Those of QEMU are cores: the process
// is the cluster and the thread the index of the core, from 1. Its states are
// "running", also of a core at a stop, and "halted": in reset, or waiting for an
// interrupt.
func describe(info gdbremote.ThreadInfo, several bool) core.Thread {
	if info.Name != "" {
		return core.Thread{Name: info.Name, State: info.Info}
	}
	before, state, ok := strings.Cut(info.Info, " [")
	if !ok || !strings.Contains(strings.ToLower(before), cpuMark) {
		return core.Thread{Name: info.Info}
	}
	if !several {
		return core.Thread{}
	}
	var t core.Thread
	if strings.HasPrefix(state, "halted") {
		t.State = "in reset or asleep"
	}
	_, number, _ := strings.Cut(info.ID, ".")
	if n, err := strconv.ParseInt(cmp.Or(number, info.ID), 16, 16); err == nil {
		t.CPU = int(n)
	}
	return t
}
