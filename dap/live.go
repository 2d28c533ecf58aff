package dap

import (
	"context"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/gdbremote"
	"pushmask/core/live"
	"pushmask/core/runcontrol"
	"pushmask/core/session"
)

// halt is the end of a run of a live target.
type halt struct {
	of    *debuggee // which may be closed by now
	event runcontrol.Event
	err   error
}

// openLive connects to the GDB server that config names.
func (a *adapter) openLive(ctx context.Context, config launchConfig, sc session.Config) error {
	program, err := session.OpenProgram(ctx, sc)
	if err != nil {
		return openFailure(err)
	}
	l, err := connect(ctx, program, config.gdbTarget)
	if err != nil {
		program.Close()
		return failf(errConnect, `"gdbTarget": %w`, err)
	}
	sess, err := l.Session()
	if err != nil {
		return err
	}
	a.closeDebuggee()
	a.config = config
	a.debuggee = newDebuggee(program, sess)
	a.debuggee.live = l
	a.phase = phaseOpen
	return nil
}

func connect(ctx context.Context, program *session.Program, target string) (*runcontrol.Live, error) {
	client, err := gdbremote.Dial(ctx, target, gdbremote.Options{})
	if err != nil {
		return nil, err
	}
	profile, _ := client.Profile()
	return runcontrol.Open(ctx, program, live.New(client, profile), runcontrol.Options{})
}

// resume lets the target go on; a dump stays as it is.
func (a *adapter) resume(ctx context.Context, thread int, how runcontrol.Motion) error {
	d := a.debuggee
	if d.live == nil {
		a.stayStopped(ctx, thread)
		return nil
	}
	if d.running {
		return failf(errRunning, "the target is running: pause it first")
	}
	d.running = true
	go func() {
		ev, err := d.live.Resume(context.WithoutCancel(ctx), how)
		a.halts <- halt{of: d, event: ev, err: err}
	}()
	return nil
}

// halted tells the client of the end of a run.
func (a *adapter) halted(_ context.Context, h halt) {
	d := a.debuggee
	if d != h.of {
		return
	}
	if h.err != nil {
		a.console("important", "the connection to the target is lost: %v", h.err)
		a.closeDebuggee()
		a.out.emit("terminated", &dap.TerminatedEvent{})
		return
	}
	sess, err := d.live.Session()
	if err != nil {
		return
	}
	d.running = false
	d.moved(sess)
	e := stoppedEvent(eventReason(h.event.Kind), h.event.Thread)
	e.Body.HitBreakpointIds = h.event.Hit
	a.out.emit("stopped", e)
}

func eventReason(k runcontrol.EventKind) string {
	switch k {
	case runcontrol.EventBreakpoint:
		return "breakpoint"
	case runcontrol.EventStep:
		return "step"
	}
	return "pause"
}

func stoppedEvent(reason string, id core.ThreadID) *dap.StoppedEvent {
	return &dap.StoppedEvent{Body: dap.StoppedEventBody{Reason: reason, ThreadId: int(id), AllThreadsStopped: true}}
}

func (a *adapter) setLiveBreakpoints(ctx context.Context, source *dap.Source, lines []int) (*dap.SetBreakpointsResponse, error) {
	specs := make([]runcontrol.Spec, len(lines))
	for i, line := range lines {
		specs[i] = runcontrol.Spec{Path: source.Path, Line: line}
	}
	placed, err := a.debuggee.live.SetBreakpoints(ctx, "source "+source.Path, specs)
	if err != nil {
		return nil, failf(errBreakpoint, "breakpoints cannot be set: %w", err)
	}
	list := make([]dap.Breakpoint, 0, len(lines))
	for _, p := range placed {
		b := dap.Breakpoint{Id: p.ID, Verified: p.Verified, Message: p.Message, Source: source, Line: p.Line}
		if len(p.Addrs) > 0 {
			b.InstructionReference = p.Addrs[0].String()
		}
		list = append(list, b)
	}
	return &dap.SetBreakpointsResponse{Body: dap.SetBreakpointsResponseBody{Breakpoints: list}}, nil
}
