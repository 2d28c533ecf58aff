package dap

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/go-dap"

	"pushmask/core/runcontrol"
)

// run is a live target on its way from one stop to the next.
type run struct {
	done  chan struct{} // closed when the target stands; then event and err are set
	event runcontrol.Event
	err   error
}

// resume lets a thread's target go on; a dump stays as it is.
func (a *adapter) resume(ctx context.Context, thread int, m runcontrol.Motion) error {
	d := a.owner(thread)
	if d.live == nil {
		a.stayStopped(ctx, d, thread)
		return nil
	}
	if err := d.halted(); err != nil {
		return err
	}
	if m.Kind != runcontrol.MotionContinue {
		m.Thread = d.threadID(thread)
		if _, ok := d.session.Thread(m.Thread); !ok {
			return failf(errUnknownThread, "the target has no thread %d: ask for threads first", thread)
		}
	}
	return a.start(d, m)
}

// start lets a halted target go on. A goroutine waits for its next stop.
func (a *adapter) start(d *debuggee, m runcontrol.Motion) error {
	r := &run{done: make(chan struct{})}
	err := d.live.control.Start(context.Background(), m, func(ev runcontrol.Event, err error) {
		r.event, r.err = ev, err
		close(r.done)
		a.post(d, func(ctx context.Context) {
			if d.live.run == r { // nobody has waited for it
				a.report(ctx, d)
			}
		})
	})
	if err != nil {
		return failf(errTarget, "%s does not go on: %w", d.live.name, err)
	}
	d.live.run = r
	return nil
}

// post has the owner of the session call f, unless the debuggee is closed by
// then. It may be called from any goroutine but the owner's.
func (a *adapter) post(d *debuggee, f func(context.Context)) {
	select {
	case a.mail <- f:
	case <-d.live.closed:
	}
}

// settle ends the run of a target that stands again.
func (d *debuggee) settle() error {
	r := d.live.run
	d.live.run = nil
	if r.err != nil && errors.Is(r.err, runcontrol.ErrLost) {
		return r.err
	}
	if err := d.settled(); err != nil {
		return cmp.Or(r.err, err)
	}
	return nil
}

// halt stops a running target for what needs it halted; the client is told
// nothing.
func (a *adapter) halt(ctx context.Context, d *debuggee) error {
	r := d.live.run
	if r == nil {
		return nil
	}
	d.live.control.Pause()
	select {
	case <-r.done:
		return d.settle()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// report tells the client of the end of a run.
func (a *adapter) report(ctx context.Context, d *debuggee) {
	r := d.live.run
	if r.err == nil && r.event.Kind == runcontrol.EventExited {
		d.live.run = nil
		a.exited(r.event)
		return
	}
	if err := d.settle(); err != nil {
		a.lost(d, err)
		return
	}
	if r.err != nil {
		a.console("important", "the target stands: %v", r.err)
		r.event = runcontrol.Event{Kind: runcontrol.EventPause, Thread: d.crashedThread(), Description: "Failed", Text: r.err.Error()}
	}
	for _, e := range a.stopEvents(ctx, d, r.event) {
		a.out.emit(e.name, e.event)
	}
}

// exited ends the session of a program that has ended.
func (a *adapter) exited(ev runcontrol.Event) {
	a.console("console", "the program ended with the code %d", ev.ExitCode)
	a.out.emit("exited", &dap.ExitedEvent{Body: dap.ExitedEventBody{ExitCode: ev.ExitCode}})
	a.endSession(leaveHalted)
	a.out.emit("terminated", terminatedEvent())
}

// lost ends a session whose target cannot be reached any more.
func (a *adapter) lost(d *debuggee, err error) {
	text := strings.TrimPrefix(err.Error(), runcontrol.ErrLost.Error()+": ")
	if !strings.Contains(text, "check that") {
		text += "; check that the GDB server still runs, and that probe and board are connected and powered"
	}
	a.console("important", "the connection to %s is lost: %s; then start the session again", d.live.name, text)
	a.endSession(leaveHalted)
	a.out.emit("terminated", terminatedEvent())
}

// laterStop tells of a stop after the answer to the request being run.
func (a *adapter) laterStop(d *debuggee, ev runcontrol.Event) {
	a.after = append(a.after, a.stopEvents(context.Background(), d, ev)...)
}

// stopEvents are the stopped event of a target, and one for each of its other
// threads where other targets go on: none of them is told by a stop of all.
func (a *adapter) stopEvents(ctx context.Context, d *debuggee, ev runcontrol.Event) []namedEvent {
	if _, ok := d.session.Thread(ev.Thread); !ok {
		ev.Thread = d.crashedThread()
	}
	body := dap.StoppedEventBody{
		Reason:            stopReason(ev),
		Description:       ev.Description,
		Text:              ev.Text,
		ThreadId:          d.clientThread(ev.Thread),
		AllThreadsStopped: len(a.further) == 0,
		HitBreakpointIds:  d.live.breakpoints.clients(ev.Hit),
	}
	if slices.Contains(ev.Hit, d.live.entry) {
		body.Reason = "entry"
	}
	if ev.Kind == runcontrol.EventException && body.Text == "" {
		cause := d.session.Cause(ctx, ev.Thread)
		body.Description, body.Text = cmp.Or(body.Description, cause.Name), cause.Description
	}
	list := append(d.threadEvents(), namedEvent{"stopped", &dap.StoppedEvent{Body: body}})
	if body.AllThreadsStopped {
		return list
	}
	for _, t := range d.session.Threads() {
		if t.ID != ev.Thread {
			list = append(list, namedEvent{"stopped", &dap.StoppedEvent{Body: dap.StoppedEventBody{
				Reason: "pause", ThreadId: d.clientThread(t.ID), PreserveFocusHint: true,
			}}})
		}
	}
	return list
}

// stopReason is the reason of a stop in the words of the protocol (Events,
// stopped).
func stopReason(ev runcontrol.Event) string {
	switch ev.Kind {
	case runcontrol.EventStep:
		return "step"
	case runcontrol.EventBreakpoint:
		switch ev.HitKind {
		case runcontrol.FunctionBreakpoint:
			return "function breakpoint"
		case runcontrol.InstructionBreakpoint:
			return "instruction breakpoint"
		}
		return "breakpoint"
	case runcontrol.EventDataBreakpoint:
		return "data breakpoint"
	case runcontrol.EventException:
		return "exception"
	case runcontrol.EventEntry, runcontrol.EventReset:
		return "entry"
	case runcontrol.EventGoto:
		return "goto"
	}
	return "pause"
}

// resumed tells the client that a target goes on for a reason other than a
// request of that name.
func (a *adapter) resumed(d *debuggee) {
	a.later("continued", &dap.ContinuedEvent{Body: dap.ContinuedEventBody{
		ThreadId: d.clientThread(d.crashedThread()), AllThreadsContinued: len(a.further) == 0,
	}})
}
