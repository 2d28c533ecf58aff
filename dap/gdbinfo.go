package dap

import (
	"context"
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/core/gdbcommand"
	"pushmask/core/inspect"
	"pushmask/core/runcontrol"
	"pushmask/core/session"
)

// info prints a topic.
func (in *interpreter) info(ctx context.Context, cmd gdbcommand.Info) error {
	d := in.debuggee
	switch cmd.Topic {
	case gdbcommand.InfoRegisters, gdbcommand.InfoAllRegisters:
		return in.registers(ctx, cmd)
	case gdbcommand.InfoThreads:
		if err := d.halted(); err != nil {
			return err
		}
		for _, t := range d.session.Threads() {
			in.printf("%d  %s\n", t.ID, session.ThreadTitle(t))
		}
		return nil
	case gdbcommand.InfoBreakpoints:
		if d.live == nil {
			return errAtRest
		}
		for _, p := range d.live.console {
			in.printf("%d  %s\n", p.id, specText(&p.spec))
		}
		if len(d.live.console) == 0 {
			in.printf("no command has set a breakpoint; those of the editor are in its view\n")
		}
		return nil
	case gdbcommand.InfoLocals, gdbcommand.InfoArgs:
		return in.variables(ctx, cmd.Topic == gdbcommand.InfoArgs)
	case gdbcommand.InfoSymbol:
		return in.infoSymbol(ctx, cmd.Args)
	case gdbcommand.InfoAddress:
		return in.infoAddress(ctx, cmd.Args)
	case gdbcommand.InfoLine:
		return in.infoLine(ctx, cmd.Args)
	case gdbcommand.InfoScope:
		return in.infoScope(ctx, cmd.Args)
	case gdbcommand.InfoFiles:
		in.infoFiles()
		return nil
	case gdbcommand.InfoTypes:
		return in.declarations(inspect.DeclaredTypes, cmd.Args)
	case gdbcommand.InfoFunctions:
		return in.declarations(inspect.DeclaredFunctions, cmd.Args)
	case gdbcommand.InfoVariables:
		return in.declarations(inspect.DeclaredVariables, cmd.Args)
	case gdbcommand.InfoFrame:
		f, err := in.selected(ctx)
		if err == nil {
			in.printf("%s\nfound by %s\n", frameText(f), f.Core.Trust)
		}
		return err
	}
	return fmt.Errorf("info %s is in the editor's views", cmd.Topic)
}

// variables prints the arguments or the other variables of the selected frame.
func (in *interpreter) variables(ctx context.Context, arguments bool) error {
	sess := in.debuggee.session
	frame, err := in.inspected(ctx)
	if err != nil {
		return err
	}
	none := true
	for _, v := range sess.Inspect().Locals(frame) {
		if v.Parameter == arguments {
			none = false
			in.printf("%s = %s\n", v.Name, v.Value.Text())
		}
	}
	if none {
		in.printf("none\n")
	}
	return nil
}

func specText(s *runcontrol.Spec) string {
	switch s.Kind {
	case runcontrol.FunctionBreakpoint:
		return s.FunctionName()
	case runcontrol.SourceBreakpoint:
		place := fmt.Sprintf("%s:%d", baseName(s.Path), s.Line)
		if s.Image != "" {
			place = s.Image + "!" + place
		}
		return place
	case runcontrol.DataBreakpoint:
		return fmt.Sprintf("%s at %v", plural(s.Size, "byte"), s.Addr)
	}
	return s.Addr.String()
}

// registers prints the named registers of the selected frame, or all of a group.
func (in *interpreter) registers(ctx context.Context, cmd gdbcommand.Info) error {
	f, err := in.selected(ctx)
	if err != nil {
		return err
	}
	regs := registerGroups[containerCore].regs
	if cmd.Topic == gdbcommand.InfoAllRegisters {
		regs = registerRange(0, core.S31)
	}
	if names := strings.Fields(cmd.Args); len(names) > 0 {
		regs = nil
		for _, n := range names {
			r, ok := core.LookupReg(strings.TrimPrefix(n, "$"))
			if !ok {
				return fmt.Errorf("there is no register %s", n)
			}
			regs = append(regs, r)
		}
	}
	for _, r := range regs {
		if v, ok := f.Core.Regs.Get(r); ok {
			in.printf("%-9s 0x%08x  %d\n", registerName(r, in.debuggee.session.Profile()), v, int32(v))
		}
	}
	return nil
}
