package dap

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"pushmask/core"
	"pushmask/core/gdbcommand"
	"pushmask/core/gdbremote"
	"pushmask/core/live"
	"pushmask/core/loadfile"
	"pushmask/core/runcontrol"
	"pushmask/core/session"
)

// interpreter executes commands of gdb on a target, those of a launch
// configuration and those of the Debug Console.
type interpreter struct {
	adapter  *adapter
	debuggee *debuggee
	key      frameKey       // of frame
	frame    *session.Frame // that expressions see, nil for the first of the stopped thread
	// scripted is set for the lists of a configuration: they prepare a target
	// and do not wait for it to run.
	scripted bool
	// keepPC is set for a file that is loaded after another one: the program begins
	// where the first begins.
	keepPC bool
	out    strings.Builder
}

// runList executes a list of commands of the configuration.
func (a *adapter) runList(ctx context.Context, d *debuggee, name string) {
	_ = a.runLines(ctx, d, name, a.config.commands[name]) // what fails is told
}

// defaultLaunch is the name of the commands of a launch that the user has not
// given: they load the files of "loadFiles".
const defaultLaunch = "launch"

// runLines executes commands one after the other. One that cannot be executed is
// told in the Debug Console and is no reason to end the session, unless it was to
// load the program. Else the error is that of ctx, or of a connection that is lost.
func (a *adapter) runLines(ctx context.Context, d *debuggee, from string, lines []string) error {
	loaded := false
	for _, line := range gdbcommand.ParseLines(lines) {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, isLoad := line.Command.(gdbcommand.Load)
		in := &interpreter{adapter: a, debuggee: d, scripted: true, keepPC: loaded && from == defaultLaunch}
		loaded = loaded || isLoad
		err := line.Err
		if err == nil {
			err = in.execute(ctx, line.Command)
		}
		if text := strings.TrimRight(in.out.String(), "\n"); text != "" {
			a.console("console", "%s", text)
		}
		switch {
		case err == nil:
		case isLoad:
			return err
		case d.live.broken():
			return failf(errConnect, "the connection to %s is lost at %q: %w", d.live.name, line.Text, err)
		default:
			a.console("important", "%s: %q: %v", from, line.Text, err)
		}
	}
	return nil
}

// errNoEffect explains a command that there is nothing to do for.
var errNoEffect = errors.New("it has no effect here")

// execute executes one command; what it prints is in out.
func (in *interpreter) execute(ctx context.Context, cmd gdbcommand.Command) error {
	for _, family := range []func(context.Context, gdbcommand.Command) (bool, error){
		in.target, in.running, in.points, in.assignment, in.showing, in.stack, in.symbolFiles,
	} {
		if done, err := family(ctx, cmd); done {
			return err
		}
	}
	switch cmd := cmd.(type) {
	case gdbcommand.Empty:
		return nil
	case gdbcommand.SubstitutePath:
		if !in.scripted {
			return errors.New(`set "substitutePath" in the launch configuration instead`)
		}
		return nil // was read with the configuration
	case gdbcommand.Ignored:
		if !in.scripted {
			return errNoEffect
		}
		return nil
	case gdbcommand.Unsupported:
		return errors.New(cmd.Why)
	case gdbcommand.Echo:
		in.out.WriteString(cmd.Text)
		return nil
	}
	return errNoEffect
}

func (in *interpreter) printf(format string, args ...any) { fmt.Fprintf(&in.out, format, args...) }

// target executes what concerns the server and the program on the target.
func (in *interpreter) target(ctx context.Context, cmd gdbcommand.Command) (bool, error) {
	a, d := in.adapter, in.debuggee
	switch cmd := cmd.(type) {
	case gdbcommand.Monitor:
		return true, a.monitor(ctx, d, cmd.Text, func(text string) { in.out.WriteString(text) })
	case gdbcommand.Connect:
		return true, fmt.Errorf(`the session has its connection already: "gdbTarget" names it`)
	case gdbcommand.Attach:
		return true, a.change(ctx, d, func(ctx context.Context, c *gdbremote.Client) error {
			_, err := c.Attach(ctx, cmd.ID)
			return err
		})
	case gdbcommand.Load:
		if cmd.File == "" {
			cmd.File = a.config.program()
		}
		if cmd.Offset != 0 {
			return true, errors.New("an offset is not supported: give a file with the right addresses")
		}
		return true, in.load(ctx, a.config.fromCwd(cmd.File))
	case gdbcommand.Reset:
		return true, in.reset(ctx, !cmd.Halt)
	case gdbcommand.Run:
		if cmd.Until == gdbcommand.RunToMain {
			if err := a.joinHalted(ctx, d); err != nil {
				return true, err
			}
			if err := a.breakAtEntry(ctx, d, "main"); err != nil {
				return true, err
			}
		}
		return true, in.reset(ctx, cmd.Until != gdbcommand.RunToNothing)
	case gdbcommand.Detach:
		return true, in.leave(leaveDefault)
	case gdbcommand.Kill:
		return true, in.leave(leaveHalted)
	case gdbcommand.Sleep:
		select {
		case <-time.After(cmd.Duration):
			return true, nil
		case <-ctx.Done():
			return true, ctx.Err()
		}
	}
	return false, nil
}

// leave ends the session at the user's word.
func (in *interpreter) leave(how leave) error {
	if in.scripted {
		return errors.New("the session would end before it has begun")
	}
	a := in.adapter
	a.afterwards = func() {
		a.endSession(how)
		a.out.emit("terminated", terminatedEvent())
	}
	return nil
}

// reset resets the target, and lets it run when run is set.
func (in *interpreter) reset(ctx context.Context, run bool) error {
	a, d := in.adapter, in.debuggee
	if err := a.joinHalted(ctx, d); err != nil {
		return err
	}
	if err := a.halt(ctx, d); err != nil {
		return err
	}
	if err := a.reset(ctx, d); err != nil {
		return err
	}
	if run {
		return in.goOn(ctx, runcontrol.Motion{})
	}
	in.moved(runcontrol.Event{Kind: runcontrol.EventReset, Description: "Reset"})
	return nil
}

// moved tells the client that the target stands elsewhere, unless the client
// has not seen it stand at all.
func (in *interpreter) moved(ev runcontrol.Event) {
	if !in.scripted {
		in.adapter.laterStop(in.debuggee, ev)
	}
}

// monitor has the server execute a command; what it prints goes to out.
func (a *adapter) monitor(ctx context.Context, d *debuggee, command string, out func(string)) error {
	send := func(ctx context.Context, c *gdbremote.Client) error { return c.Monitor(ctx, command, out) }
	if !strings.Contains(command, "reset") || d.live.control == nil {
		return a.change(ctx, d, send)
	}
	a.invalidated()
	// Servers may lose breakpoints in a reset.
	_, err := d.live.control.ResetBy(ctx, func(_ context.Context, m *live.Machine) error { return send(ctx, m.Client()) })
	if err != nil {
		return err
	}
	return d.refresh()
}

// change has the server do what may change the target in any way. A command of
// the server may take for ever: the end of ctx gives up the connection then.
func (a *adapter) change(ctx context.Context, d *debuggee, do func(context.Context, *gdbremote.Client) error) error {
	if d.live.control == nil {
		return do(ctx, d.live.client)
	}
	a.invalidated()
	err := d.live.control.Change(ctx, func(_ context.Context, m *live.Machine) error { return do(ctx, m.Client()) })
	if err != nil {
		return err
	}
	return d.refresh()
}

// load writes a file into the target's memory.
func (in *interpreter) load(ctx context.Context, file string) error {
	a, d := in.adapter, in.debuggee
	if err := a.joinHalted(ctx, d); err != nil {
		return err
	}
	if err := d.halted(); err != nil {
		return err
	}
	path, base := file, (*core.Addr)(nil)
	if src := session.ParseSource(file); src.HasBase {
		path, base = src.Path, &src.Base
	}
	program, err := loadfile.Read(path, base)
	if err != nil {
		return failf(errLoad, "%w", err)
	}
	segments := make([]gdbremote.Segment, len(program.Parts))
	for i, p := range program.Parts {
		segments[i] = gdbremote.Segment(p)
	}
	a.progress.setStep("loading " + baseName(path))
	a.invalidated()
	if in.keepPC {
		program.Entry = nil
	}
	if err := d.live.control.Load(ctx, segments, program.Entry); err != nil {
		return failf(errLoad, "%s cannot be loaded into the target: %w", path, err)
	}
	return d.refresh()
}
