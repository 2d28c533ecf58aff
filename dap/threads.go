package dap

import (
	"context"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/session"
)

func (a *adapter) threads(_ context.Context, _ *dap.ThreadsRequest) (*dap.ThreadsResponse, error) {
	resp := &dap.ThreadsResponse{Body: dap.ThreadsResponseBody{Threads: []dap.Thread{}}}
	for _, d := range a.debuggees() {
		resp.Body.Threads = append(resp.Body.Threads, d.clientThreads(len(a.further) > 0)...)
	}
	return resp, nil
}

// clientThreads lists the threads of a debuggee, those of a running target as
// they were at the last stop. Among several targets, each is named.
func (d *debuggee) clientThreads(several bool) []dap.Thread {
	threads := d.session.Threads()
	list := make([]dap.Thread, 0, len(threads))
	for _, t := range threads {
		name := threadName(t, len(threads) > 1 && d.live == nil)
		if several {
			name = d.live.name + ": " + name
		}
		list = append(list, dap.Thread{Id: d.clientThread(t.ID), Name: name})
	}
	if d.live != nil {
		d.live.threads = threadSet(threads)
	}
	return list
}

func threadSet(threads []core.Thread) map[core.ThreadID]bool {
	set := make(map[core.ThreadID]bool, len(threads))
	for _, t := range threads {
		set[t.ID] = true
	}
	return set
}

// threadEvents tell of the threads that have come and gone since the client was
// told of them; none before it has asked.
func (d *debuggee) threadEvents() []namedEvent {
	if d.live.threads == nil {
		return nil
	}
	var list []namedEvent
	event := func(reason string, id core.ThreadID) {
		list = append(list, namedEvent{"thread", &dap.ThreadEvent{Body: dap.ThreadEventBody{Reason: reason, ThreadId: d.clientThread(id)}}})
	}
	now := threadSet(d.session.Threads())
	for id := range d.live.threads {
		if !now[id] {
			event("exited", id)
		}
	}
	for id := range now {
		if !d.live.threads[id] {
			event("started", id)
		}
	}
	d.live.threads = now
	return list
}

// threadName names a thread; among several, the crashed one is marked.
func threadName(t core.Thread, several bool) string {
	title := session.ThreadTitle(t)
	if t.Crashed && several {
		title += " (crashed)"
	}
	return title
}
