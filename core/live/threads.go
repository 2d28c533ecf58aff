package live

import (
	"context"
	"fmt"

	"pushmask/core"
	"pushmask/core/gdbremote"
)

// threads gives the stub's threads numbers that stay as they are while the
// session lasts: cores of QEMU, tasks that a server knows.
type threads struct {
	names []string // by ID-1; "" until the stub has named the first one
	at    core.ThreadID
	list  []core.Thread // nil until it is asked for
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

// Threads implements core.Target: the one that stopped first.
func (m *Machine) Threads(ctx context.Context) ([]core.Thread, error) {
	if m.threads.list != nil {
		return m.threads.list, nil
	}
	infos, err := m.client.Threads(ctx)
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
		th := core.Thread{ID: t.idOf(info.ID), Name: info.Name, State: info.Info}
		if th.Name == "" {
			th.Name, th.State = info.Info, ""
		}
		if th.ID == first.ID {
			th.Crashed = true
			first = th
		} else {
			others = append(others, th)
		}
	}
	return append([]core.Thread{first}, others...)
}
