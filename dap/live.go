package dap

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/gdbremote"
	"pushmask/core/live"
	"pushmask/core/probe"
	"pushmask/core/runcontrol"
	"pushmask/core/session"
)

// liveTarget is a machine behind a GDB server.
type liveTarget struct {
	name        string // for people: that of the configuration, or the address
	address     string
	client      *gdbremote.Client
	control     *runcontrol.Live // nil before the machine was seen halted
	run         *run             // nil while it stands
	goOn        bool             // it is to run when the client has set its breakpoints
	console     []consolePoint   // breakpoints that commands have set
	closed      chan struct{}    // closed when the session with it ends
	breakpoints breakpointIDs
	entry       int                    // the breakpoint at the entry point, 0 for none
	threads     map[core.ThreadID]bool // that the client was told of, nil before it asked
	watch       *gdbremote.Client      // to read memory while the target runs, nil without one
}

// broken reports whether the connection is lost.
func (l *liveTarget) broken() bool { return l.client.Err() != nil }

// connector connects to a GDB server.
type connector func(ctx context.Context, address string, opt gdbremote.Options) (*gdbremote.Client, error)

// dialTarget is the connector of every session.
func dialTarget(ctx context.Context, address string, opt gdbremote.Options) (*gdbremote.Client, error) {
	return gdbremote.Dial(ctx, address, opt)
}

// openLive connects to the targets that config names and prepares them as it
// says. They stand afterwards.
func (a *adapter) openLive(ctx context.Context, config launchConfig) (err error) {
	if a.debuggee != nil {
		return failf(errOutOfOrder, "a live target needs a session of its own: end this one first")
	}
	a.config = config
	defer func() {
		if err != nil {
			a.endSession(leaveHalted)
		}
	}()
	cfg, err := config.serverConfig()
	if err != nil {
		return err
	}
	address := config.gdbTarget
	if cfg.Type.Starts() {
		if address, err = a.startServer(ctx, cfg); err != nil {
			return err
		}
	}
	a.debuggee, err = a.openTarget(ctx, 0, furtherTarget{GDBTarget: address})
	if err != nil {
		return err
	}
	a.defaults = a.serverDefaults(ctx, cfg)
	if _, asked := config.given["loadFiles"]; asked {
		a.defaults.NoLoad = false
	}
	if err := a.prepare(ctx, a.debuggee); err != nil {
		return err
	}
	a.watchServer(a.debuggee)
	if len(config.targets) >= maxTargets {
		return failf(errConfig, `"targets": there are more than %d targets`, maxTargets-1)
	}
	for i, t := range config.targets {
		d, err := a.openTarget(ctx, i+1, t)
		if d != nil {
			a.further = append(a.further, d)
		}
		if err == nil {
			err = a.joinHalted(ctx, d)
		}
		if err != nil {
			return err
		}
	}
	a.phase = phaseOpen
	a.greetLive(config)
	a.later("process", a.processEvent())
	return nil
}

// serverDefaults are the commands of the server's type. QEMU that somebody else
// has started does not take those of the others; it may have run, and a launch
// that loads nothing resets it. (The reset comes when the machine goes on: it
// would undo what a load says of the PC.)
func (a *adapter) serverDefaults(ctx context.Context, cfg probe.Config) probe.Commands {
	if cfg.Type != probe.External {
		return probe.Defaults(cfg)
	}
	name, err := a.debuggee.live.client.ServerName(ctx)
	if err != nil || name != "QEMU" {
		return probe.Defaults(cfg)
	}
	cfg.Type = probe.QEMU
	commands := probe.Defaults(cfg)
	if _, asked := a.config.given["loadFiles"]; !asked || len(a.config.loadFiles) == 0 {
		commands.BeforeLaunch = commands.Reset
	}
	return commands
}

// openTarget opens the program of a machine and connects to its server.
func (a *adapter) openTarget(ctx context.Context, number int, t furtherTarget) (*debuggee, error) {
	sc := withImages(a.config.sessionConfig(), t.images)
	sc.Progress = a.progress.setStep
	program, err := session.OpenProgram(ctx, sc)
	if err != nil {
		return nil, a.config.openFailure(err)
	}
	a.progress.setStep("connecting to " + t.GDBTarget)
	client, err := a.connect(ctx, t.GDBTarget, a.clientOptions())
	if err != nil {
		program.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, failf(errConnect, `"gdbTarget": %w`, err)
	}
	images := t.images
	if len(images) == 0 {
		images = a.config.images
	}
	d := newDebuggee(number, images, program, program)
	d.live = &liveTarget{name: t.Name, address: t.GDBTarget, client: client, closed: make(chan struct{})}
	if d.live.name == "" {
		d.live.name = t.GDBTarget
	}
	return d, nil
}

// clientOptions have what a target prints shown in the Debug Console, and the
// traffic too where the configuration asks for it.
func (a *adapter) clientOptions() gdbremote.Options {
	opt := gdbremote.Options{Console: func(text []byte) { a.output("stdout", string(text)) }}
	if a.config.tracePackets {
		opt.Log = func(from gdbremote.Direction, packet string) {
			a.output("console", fmt.Sprintf("%c %.200q\n", from, packet))
		}
	}
	return opt
}

// joinHalted opens the session of a target that stands, and halts it before
// where it runs.
func (a *adapter) joinHalted(ctx context.Context, d *debuggee) error {
	if d.live.control != nil {
		return nil
	}
	profile, _ := d.live.client.Profile()
	control, err := runcontrol.Open(ctx, d.program, live.New(d.live.client, profile), runcontrol.Options{
		Log:         func(text string) { a.output("console", text+"\n") },
		Changed:     func(p runcontrol.Placed) { a.breakpointChanged(d, p) },
		Breakpoints: runcontrol.Resources(a.config.breakpoints),
		Watchpoints: runcontrol.Resources(a.config.watchpoints),
	})
	if err != nil {
		return failf(errConnect, "%s does not show a halted target: %w; does it need \"monitor halt\" or \"monitor reset halt\" first?", d.live.name, err)
	}
	sess, err := control.Session()
	if err != nil {
		return err
	}
	d.live.control = control
	d.moved(sess)
	a.openWatch(ctx, d)
	return nil
}

// openWatch makes a second connection, over which memory is read while the
// target runs: "liveWatch" of the configuration asks for it.
func (a *adapter) openWatch(ctx context.Context, d *debuggee) {
	if !a.config.liveWatch {
		return
	}
	c, err := a.connect(ctx, d.live.address, gdbremote.Options{})
	if err != nil {
		a.console("important", `"liveWatch": the server accepts no second connection, memory can be read while the target stands: %v`, err)
		return
	}
	d.live.watch = c
}

// processEvent tells what is debugged.
func (a *adapter) processEvent() *dap.ProcessEvent {
	body := dap.ProcessEventBody{Name: a.debuggee.program.Path(), StartMethod: "attach", PointerSize: 32}
	if a.config.launching() {
		body.StartMethod = "launch"
	}
	return &dap.ProcessEvent{Body: body}
}

// greetLive tells in the Debug Console what was found.
func (a *adapter) greetLive(config launchConfig) {
	for _, d := range a.debuggees() {
		a.console("console", "connected to %s: %s", d.live.name, plural(len(d.session.Threads()), "thread"))
		a.tellDoubts(d)
	}
	for _, name := range config.unused {
		a.console("console", "%q has no effect: pushmask does not do that", name)
	}
	a.tellDescription(&config)
	a.tellUnknown(config)
}

// errNotStopped explains why a request cannot be answered while the target runs.
func (d *debuggee) halted() error {
	if d.live != nil && d.live.run != nil {
		return failf(errRunning, "the target is running: pause it first")
	}
	return nil
}

// leave is what becomes of a target at the end of a session.
type leave uint8

const (
	leaveDefault leave = iota // running
	leaveHalted
)

// stopTime bounds how long a running target may take to stop at the end of a
// session before the connection is cut.
const stopTime = 2 * time.Second

// endSession closes everything that is open. The stopped program is gone after
// it.
func (a *adapter) endSession(how leave) {
	for _, d := range a.debuggees() {
		if d.live != nil {
			a.endTarget(d, how)
		}
		if err := d.close(); err != nil {
			a.log.Info("close debuggee", "error", err)
		}
	}
	a.endServer()
	a.debuggee, a.further, a.watched = nil, nil, nil
	if a.phase == phaseOpen {
		a.phase = phaseInitialized
	}
}

// endTarget takes leave of a target within a bounded time.
func (a *adapter) endTarget(d *debuggee, how leave) {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	close(d.live.closed)
	err := a.halt(ctx, d)
	if err == nil && d.live.control != nil {
		a.runList(ctx, d, "overridePreEndSessionCommands")
		err = d.live.control.Close(ctx, how == leaveDefault)
	}
	if d.live.watch != nil {
		_ = d.live.watch.Close() // nothing depends on it any more
	}
	// What is cut already does no harm; what was not ends whoever waits for it.
	if cut := d.live.client.Close(); err == nil && d.live.control == nil {
		err = cut
	}
	if r := d.live.run; r != nil {
		<-r.done
	}
	if err != nil && !errors.Is(err, gdbremote.ErrClosed) {
		a.log.Info("leave target", "target", d.live.name, "error", err)
	}
}

// output prints text of others, with its own ends of lines, in the Debug
// Console.
func (a *adapter) output(category, text string) {
	a.out.emit("output", &dap.OutputEvent{Body: dap.OutputEventBody{Category: category, Output: text}})
}

// bound has what is read of halted targets end with ctx, until release is
// called.
func (a *adapter) bound(ctx context.Context) (release func()) {
	var all []func()
	for _, d := range a.debuggees() {
		if d.live != nil && d.live.run == nil && d.live.control != nil {
			all = append(all, d.live.control.Machine().Within(ctx))
		}
	}
	return func() {
		for _, f := range all {
			f()
		}
	}
}

// renew drops what is known of the stops of halted targets: a request that was
// cancelled has taken memory that it did not get to read for a hole.
func (a *adapter) renew() {
	for _, d := range a.debuggees() {
		if d.live == nil || d.live.run != nil || d.live.control == nil {
			continue
		}
		nothing := func(context.Context, *live.Machine) error { return nil }
		err := d.live.control.Change(context.Background(), nothing)
		if err == nil {
			err = d.refresh()
		}
		if err != nil {
			a.log.Info("read the target again", "target", d.live.name, "error", err)
		}
	}
}

// checkTargets ends the session when a halted target cannot be reached any more:
// what was read in vain looks like memory that is not there.
func (a *adapter) checkTargets() {
	for _, d := range a.debuggees() {
		if d.live != nil && d.live.run == nil && d.live.broken() {
			a.lost(d, d.live.client.Err())
			return
		}
	}
}
