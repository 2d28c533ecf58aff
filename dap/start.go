package dap

import (
	"context"

	"pushmask/core/gdbremote"
	"pushmask/core/live"
	"pushmask/core/runcontrol"
)

// prepare does what the configuration asks for between the connection and the
// first stop that the user sees: the sequence is that of Cortex-Debug.
func (a *adapter) prepare(ctx context.Context, d *debuggee) error {
	kind := "Attach"
	if a.config.launching() {
		kind = "Launch"
	}
	from := "override" + kind + "Commands"
	override, overridden := a.config.commands[from]
	switch {
	case overridden:
	case a.config.launching():
		from, override = defaultLaunch, a.defaults.Launch(a.config.loadFiles)
	default:
		from, override = "attach", a.defaults.Attach
	}
	for _, list := range []struct {
		from  string
		lines []string
	}{
		{"connection", a.defaults.Connect},
		{"pre" + kind + "Commands", a.config.commands["pre"+kind+"Commands"]},
		{from, override},
		{"post" + kind + "Commands", a.config.commands["post"+kind+"Commands"]},
	} {
		if err := a.runLines(ctx, d, list.from, list.lines); err != nil {
			return err
		}
	}
	return a.joinHalted(ctx, d)
}

// firstStop lets a target go to the first stop that the user sees, once the
// client has set its breakpoints.
func (a *adapter) firstStop(ctx context.Context, d *debuggee) error {
	c := &a.config
	goOn := d.live.goOn
	d.live.goOn = false
	switch {
	case goOn, c.noDebug:
		return a.goOn(d, runcontrol.Motion{})
	case !c.launching() || d.number > 0:
		a.laterStop(d, runcontrol.Event{Kind: runcontrol.EventEntry})
	default:
		return a.goToEntry(ctx, d, "postStartSessionCommands", runcontrol.Event{Kind: runcontrol.EventEntry})
	}
	return nil
}

// goToEntry runs a target that was reset to where the configuration wants it;
// ev tells of the stop where that is right here.
func (a *adapter) goToEntry(ctx context.Context, d *debuggee, list string, ev runcontrol.Event) error {
	c := &a.config
	if c.runTo != "" && !c.noDebug {
		if err := a.breakAtEntry(ctx, d, c.runTo); err != nil {
			a.console("important", `"runToEntryPoint": %v`, err)
			a.laterStop(d, ev)
			return nil
		}
		return a.goOn(d, runcontrol.Motion{})
	}
	a.runList(ctx, d, list)
	stay := c.breakAfterReset || c.stopAtEntry || len(c.commands[list]) > 0
	if d.live.goOn || !stay {
		d.live.goOn = false
		return a.goOn(d, runcontrol.Motion{})
	}
	a.laterStop(d, ev)
	return nil
}

// goOn lets a target run for a reason other than a request to do so.
func (a *adapter) goOn(d *debuggee, m runcontrol.Motion) error {
	a.resumed(d)
	return a.start(d, m)
}

// breakAtEntry sets a breakpoint on a function that is gone once it was hit. Of
// several ELFs that have it, a boot loader and its application, the main one
// counts.
func (a *adapter) breakAtEntry(ctx context.Context, d *debuggee, function string) error {
	spec := functionSpec(function)
	spec.Temporary = true
	set := func() ([]runcontrol.Placed, error) {
		return d.live.control.SetBreakpoints(ctx, "entry", []runcontrol.Spec{spec})
	}
	anywhere := spec.Image == ""
	if images := d.program.Images(); anywhere && len(images.Images()) > 1 {
		spec.Image = images.Name(images.Main())
	}
	placed, err := set()
	if err == nil && !placed[0].Verified && anywhere && spec.Image != "" {
		spec.Image = ""
		placed, err = set()
	}
	if err != nil {
		return err
	}
	if !placed[0].Verified {
		return failf(errBreakpoint, "%s", placed[0].Message)
	}
	d.live.entry = placed[0].ID
	return nil
}

// resetAll resets all targets and brings them to their first stop. The events
// come after the answer to the request being run.
func (a *adapter) resetAll(ctx context.Context) error {
	for _, d := range a.debuggees() {
		if err := a.halt(ctx, d); err != nil {
			return a.failed(d, err)
		}
	}
	d := a.debuggee
	a.runList(ctx, d, "preResetCommands")
	err := a.reset(ctx, d)
	if err != nil {
		return failf(errReset, "%s cannot be reset: %w", d.live.name, err)
	}
	a.runList(ctx, d, "postResetCommands")
	for _, d := range a.further { // they may be cores of the same chip
		if err := a.change(ctx, d, func(context.Context, *gdbremote.Client) error { return nil }); err != nil {
			return a.failed(d, err)
		}
		a.laterStop(d, runcontrol.Event{Kind: runcontrol.EventReset, Description: "Reset"})
	}
	return a.goToEntry(ctx, d, "postResetSessionCommands", runcontrol.Event{Kind: runcontrol.EventReset, Description: "Reset"})
}

// reset resets a target by the configured commands or the server's own.
func (a *adapter) reset(ctx context.Context, d *debuggee) error {
	var err error
	if _, given := a.config.commands["overrideResetCommands"]; given {
		a.runList(ctx, d, "overrideResetCommands")
		_, err = d.live.control.ResetBy(ctx, func(context.Context, *live.Machine) error { return nil })
	} else {
		_, err = d.live.control.Reset(ctx, runcontrol.ResetHalt)
	}
	if err != nil {
		return err
	}
	return d.settled()
}

// failed makes the error of a target presentable.
func (a *adapter) failed(d *debuggee, err error) error {
	return failf(errTarget, "%s: %w", d.live.name, err)
}
