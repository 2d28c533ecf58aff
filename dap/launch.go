package dap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-dap"

	"pushmask/core/session"
)

func (a *adapter) launch(ctx context.Context, req *dap.LaunchRequest) (*dap.LaunchResponse, error) {
	if err := a.begin(ctx, "launch", req.Arguments); err != nil {
		return nil, err
	}
	return &dap.LaunchResponse{}, nil
}

// attach does what launch does: a dump is neither started nor joined.
func (a *adapter) attach(ctx context.Context, req *dap.AttachRequest) (*dap.AttachResponse, error) {
	if err := a.begin(ctx, "attach", req.Arguments); err != nil {
		return nil, err
	}
	return &dap.AttachResponse{}, nil
}

// begin opens the crash or the target and, once the request is answered, asks the client
// for its breakpoints (event initialized); the client ends that with
// configurationDone.
func (a *adapter) begin(ctx context.Context, request string, arguments json.RawMessage) error {
	if a.debuggee != nil {
		return failf(errOutOfOrder, "a crash is open already: send restart to open it again")
	}
	config, err := parseConfig(request, arguments)
	if err != nil {
		return shown(err)
	}
	if err := a.openDebuggee(ctx, config); err != nil {
		return shown(err)
	}
	a.correctCapabilities()
	a.tellModules(nil)
	a.later("initialized", &dap.InitializedEvent{})
	return nil
}

// restart opens the crash again, with the configuration it may bring. When
// that fails, what was open stays open.
func (a *adapter) restart(ctx context.Context, req *dap.RestartRequest) (*dap.RestartResponse, error) {
	config := a.config
	var args struct{ Arguments json.RawMessage }
	if len(req.Arguments) > 0 {
		if err := json.Unmarshal(req.Arguments, &args); err != nil {
			return nil, failf(errMalformed, `"restart": arguments is not an object: %w`, err)
		}
	}
	if len(args.Arguments) > 0 && string(args.Arguments) != "null" {
		var err error
		if config, err = parseConfig(a.config.request, args.Arguments); err != nil {
			return nil, shown(err)
		}
	}
	if a.debuggee.live != nil {
		return &dap.RestartResponse{}, shown(a.resetAll(ctx))
	}
	before := a.allModules()
	if err := a.openDebuggee(ctx, config); err != nil {
		return nil, shown(err)
	}
	a.tellModules(before)
	a.stopped(ctx, a.debuggee.crashedThread(), false)
	return &dap.RestartResponse{}, nil
}

// openDebuggee opens the crash that config names in place of what is open.
func (a *adapter) openDebuggee(ctx context.Context, config launchConfig) error {
	if config.coreFile == "" {
		return a.openLive(ctx, config)
	}
	sc := config.sessionConfig()
	sc.Progress = a.progress.setStep
	program, sess, err := a.open(ctx, sc, config.coreFile, config.dumpOptions())
	if err != nil {
		return config.openFailure(err)
	}
	a.endSession(leaveDefault)
	a.config = config
	a.debuggee = newDebuggee(0, config.images, program, sess.Program())
	a.debuggee.session = sess
	a.phase = phaseOpen
	a.greet(ctx, config)
	return nil
}

// greet tells in the Debug Console what was opened and what is wrong with it.
func (a *adapter) greet(ctx context.Context, config launchConfig) {
	d := a.debuggee
	cause := d.session.Cause(ctx, d.crashedThread())
	a.console("console", "%s: %s, %s", filepath.Base(config.coreFile), d.session.Format(), plural(len(d.session.Threads()), "thread"))
	if cause.Description != "" {
		a.console("console", "%s: %s", cause.Name, cause.Description)
	}
	for _, note := range cause.Notes {
		a.console("console", "%s", note)
	}
	if config.isUnused(config.executable) {
		a.console("important", "warning: %q is not read: \"symbolFiles\" is given in its place, add it to that list", filepath.Base(config.executable))
	}
	a.tellDoubts(d)
	a.listCrashes()
	a.tellDescription(&config)
	a.tellUnknown(config)
}

// tellDoubts tells what speaks against the program being that of the crash or of
// the target, each once.
func (a *adapter) tellDoubts(d *debuggee) {
	list := d.session.Warnings()
	if d.live != nil {
		list = append(slices.Clone(list), d.live.control.Warnings()...)
	}
	for _, w := range list {
		if !d.warned[w] {
			a.console("important", "warning: %s", w)
			d.warned[w] = true
		}
	}
}

// tellUnknown names the attributes that nobody knows.
func (a *adapter) tellUnknown(config launchConfig) {
	if len(config.unknown) > 0 {
		a.console("console", "ignored unknown attributes of the launch configuration: %s", strings.Join(config.unknown, ", "))
	}
}

// listCrashes lists the crashes of a dump that holds several, the newest ones
// of many.
func (a *adapter) listCrashes() {
	const most = 20
	all, selected := a.debuggee.session.Crashes()
	if len(all) < 2 {
		return
	}
	a.console("console", `"crash" in the launch configuration opens another crash of the file:`)
	for _, c := range all[max(0, len(all)-most):] {
		mark := ""
		if c.Number == selected {
			mark = " (open)"
		}
		a.console("console", "%d%s: %s", c.Number, mark, session.CrashText(&c))
	}
}

// warnOfImage tells in the Debug Console of damage in the image, once for each
// part: parts are read when they are needed.
func (a *adapter) warnOfImage() {
	for _, d := range a.debuggees() {
		a.warnOf(d)
	}
}

func (a *adapter) warnOf(d *debuggee) {
	for _, w := range d.program.Warnings() {
		if !d.warned[w] {
			a.console("important", "warning: %s", w)
			d.warned[w] = true
		}
	}
	if note := d.program.DescriptionNote(); note != "" && !d.described {
		a.console("important", "warning: %s", note)
		d.described = true
	}
}

// openCrash is the opener of every session.
func openCrash(ctx context.Context, cfg session.Config, dump string, opt session.DumpOptions) (*session.Program, *session.Session, error) {
	program, err := session.OpenProgram(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	sess, err := program.OpenDump(ctx, dump, opt)
	if err == nil {
		err = ctx.Err() // cancelled meanwhile: nobody wants it any more
		if err != nil {
			sess.Close()
		}
	}
	if err != nil {
		program.Close()
		return nil, nil, err
	}
	return program, sess, nil
}

// shown marks an error for the user's eyes.
func shown(err error) error {
	if e, ok := errors.AsType[*requestError](err); ok {
		e.show = true
	}
	return err
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
