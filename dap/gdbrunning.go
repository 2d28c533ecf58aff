package dap

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pushmask/core"
	"pushmask/core/gdbcommand"
	"pushmask/core/runcontrol"
)

// running executes commands that let the target run.
func (in *interpreter) running(ctx context.Context, cmd gdbcommand.Command) (bool, error) {
	switch cmd := cmd.(type) {
	case gdbcommand.Continue:
		return true, in.goOn(ctx, runcontrol.Motion{})
	case gdbcommand.Interrupt:
		if in.debuggee.live.run != nil {
			in.debuggee.live.control.Pause()
		}
		return true, nil
	case gdbcommand.Step:
		if cmd.Count > 1 {
			return true, errors.New("repeat the command instead of giving a count")
		}
		m := runcontrol.Motion{Kind: runcontrol.MotionStepIn, Granularity: runcontrol.Statement}
		if cmd.Over {
			m.Kind = runcontrol.MotionNext
		}
		if cmd.Instruction {
			m.Granularity = runcontrol.Instruction
		}
		return true, in.goOn(ctx, m)
	case gdbcommand.Finish:
		return true, in.goOn(ctx, runcontrol.Motion{Kind: runcontrol.MotionStepOut})
	case gdbcommand.Until:
		return true, in.goOn(ctx, runcontrol.Motion{Kind: runcontrol.MotionNext})
	case gdbcommand.RunTo:
		at, err := in.place(ctx, cmd.Location)
		if err != nil {
			return true, err
		}
		return true, in.goOn(ctx, runcontrol.Motion{Kind: runcontrol.MotionRunTo, Addr: at})
	case gdbcommand.Jump:
		at, err := in.place(ctx, cmd.Location)
		if err != nil {
			return true, err
		}
		if _, err := in.debuggee.live.control.SetPC(ctx, 0, at); err != nil {
			return true, err
		}
		return true, in.goOn(ctx, runcontrol.Motion{})
	}
	return false, nil
}

// goOn lets the target run, at the user's word at once and in the lists of a
// configuration when the client has set its breakpoints.
func (in *interpreter) goOn(ctx context.Context, m runcontrol.Motion) error {
	a, d := in.adapter, in.debuggee
	if in.scripted {
		if m.Kind != runcontrol.MotionContinue {
			return errors.New("it has no effect before the session has begun: set \"runToEntryPoint\", or a breakpoint and \"continue\"")
		}
		d.live.goOn = true
		return nil
	}
	if err := d.halted(); err != nil {
		return err
	}
	return a.goOn(d, m)
}

// place returns the address of a location.
func (in *interpreter) place(ctx context.Context, l gdbcommand.Location) (core.Addr, error) {
	specs, err := in.specs(ctx, gdbcommand.Break{Location: l})
	if err != nil {
		return 0, err
	}
	s := specs[0]
	switch s.Kind {
	case runcontrol.InstructionBreakpoint:
		return s.Addr, nil
	case runcontrol.SourceBreakpoint:
		return in.linePlace(ctx, &s)
	}
	name := s.Function
	if s.Image != "" {
		name = "'" + s.Image + "'::" + name
	}
	v, err := in.evaluate(ctx, "&"+name)
	return core.Addr(v.U32 &^ 1), err
}

// linePlace returns the address of a line: of several images that have it, in the
// one that the selected frame is in.
func (in *interpreter) linePlace(ctx context.Context, s *runcontrol.Spec) (core.Addr, error) {
	set := in.debuggee.program.Images()
	list := in.debuggee.lineAddresses(s.Path, s.Line)
	if s.Image != "" {
		m, _ := set.Named(s.Image)
		list = slices.DeleteFunc(list, func(a core.Addr) bool { return set.At(uint32(a)) != m })
	}
	if len(list) == 0 {
		return 0, fmt.Errorf("there is no code at line %d of %s", s.Line, s.Path)
	}
	f, err := in.selected(ctx)
	if err != nil {
		return 0, err
	}
	here := set.At(uint32(f.Core.Lookup))
	if i := slices.IndexFunc(list, func(a core.Addr) bool { return set.At(uint32(a)) == here }); i > 0 {
		return list[i], nil
	}
	return list[0], nil
}

// consoleGroup holds the breakpoints that were set by commands.
const consoleGroup = "console"

// points executes commands about breakpoints.
func (in *interpreter) points(ctx context.Context, cmd gdbcommand.Command) (bool, error) {
	l := in.debuggee.live
	switch cmd := cmd.(type) {
	case gdbcommand.Break:
		specs, err := in.specs(ctx, cmd)
		if err != nil {
			return true, err
		}
		return true, in.addPoints(ctx, specs)
	case gdbcommand.Watch:
		spec, err := in.watched(ctx, cmd)
		if err != nil {
			return true, err
		}
		return true, in.addPoints(ctx, []runcontrol.Spec{spec})
	case gdbcommand.Delete:
		kept := l.console[:0:0]
		for _, p := range l.console {
			if len(cmd.Numbers) > 0 && !slices.Contains(cmd.Numbers, p.id) {
				kept = append(kept, p)
			}
		}
		return true, in.setPoints(ctx, kept)
	case gdbcommand.Condition:
		changed := slices.Clone(l.console)
		for i := range changed {
			if changed[i].id == cmd.Number {
				changed[i].spec.Condition = cmd.Expr
				return true, in.setPoints(ctx, changed)
			}
		}
		return true, fmt.Errorf("there is no breakpoint %d that a command has set", cmd.Number)
	case gdbcommand.Clear, gdbcommand.Enable:
		return true, errors.New("delete the breakpoint instead, or use the editor")
	case gdbcommand.HardwareLimit:
		return true, errors.New(`set "hardwareBreakpoints" or "hardwareWatchpoints" in the launch configuration instead`)
	}
	return false, nil
}

// consolePoint is a breakpoint that a command has set.
type consolePoint struct {
	id   int
	spec runcontrol.Spec
}

// addPoints adds breakpoints to those that commands have set.
func (in *interpreter) addPoints(ctx context.Context, specs []runcontrol.Spec) error {
	list := slices.Clone(in.debuggee.live.console)
	for _, s := range specs {
		list = append(list, consolePoint{spec: s})
	}
	return in.setPoints(ctx, list)
}

// setPoints replaces the breakpoints that commands have set, and prints those
// that are new.
func (in *interpreter) setPoints(ctx context.Context, list []consolePoint) error {
	d := in.debuggee
	if err := in.adapter.joinHalted(ctx, d); err != nil {
		return err
	}
	specs := make([]runcontrol.Spec, len(list))
	for i := range list {
		specs[i] = list[i].spec
	}
	placed, err := d.live.control.SetBreakpoints(ctx, consoleGroup, specs)
	if err != nil {
		return err
	}
	for i := range placed {
		if p := &placed[i]; list[i].id == 0 {
			in.printf("breakpoint %d%s\n", p.ID, placedText(p))
		}
		list[i].id = placed[i].ID
	}
	d.live.console = list
	return nil
}

// placedText says where a breakpoint is.
func placedText(p *runcontrol.Placed) string {
	text := ""
	for i, a := range p.Addrs {
		text += map[bool]string{true: " at ", false: ", "}[i == 0] + a.String()
	}
	if p.Path != "" {
		text += fmt.Sprintf(", %s:%d", baseName(p.Path), p.Line)
	}
	if p.Message != "" {
		text += ": " + p.Message
	}
	return text
}

// specs says what a location stands for: a file that several paths end with is
// all of them.
func (in *interpreter) specs(ctx context.Context, cmd gdbcommand.Break) ([]runcontrol.Spec, error) {
	l := cmd.Location
	spec := runcontrol.Spec{Image: l.Image, Condition: cmd.Condition, Temporary: cmd.Temporary, Hardware: cmd.Hardware}
	switch {
	case cmd.Thread != 0:
		return nil, errors.New("breakpoints for one thread are not supported")
	case l.Label != "" || l.Relative:
		return nil, errors.New("give a function, FILE:LINE or *ADDRESS")
	case l.Address != "":
		v, err := in.evaluate(ctx, l.Address)
		spec.Kind, spec.Addr = runcontrol.InstructionBreakpoint, core.Addr(v.U32&^1)
		return []runcontrol.Spec{spec}, err
	case l.Function != "":
		spec.Kind, spec.Function, spec.File = runcontrol.FunctionBreakpoint, l.Function, l.File
		return []runcontrol.Spec{spec}, nil
	case l.Line != 0:
		return in.lineSpecs(ctx, spec, l)
	}
	v, err := in.evaluate(ctx, "$pc")
	spec.Kind, spec.Addr = runcontrol.InstructionBreakpoint, core.Addr(v.U32)
	return []runcontrol.Spec{spec}, err
}

func (in *interpreter) lineSpecs(ctx context.Context, spec runcontrol.Spec, l gdbcommand.Location) ([]runcontrol.Spec, error) {
	spec.Kind, spec.Line = runcontrol.SourceBreakpoint, l.Line
	if l.File == "" {
		f, err := in.selected(ctx)
		if err != nil {
			return nil, err
		}
		spec.Path = f.File
		return []runcontrol.Spec{spec}, nil
	}
	var specs []runcontrol.Spec
	for _, s := range in.debuggee.program.Sources() {
		if pathEndsWith(s.Path, l.File) || pathEndsWith(s.Recorded, l.File) {
			spec.Path = s.Path
			specs = append(specs, spec)
		}
	}
	if len(specs) == 0 {
		return nil, fmt.Errorf("the program has no source file %s", l.File)
	}
	return specs, nil
}
