package dap

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/core/gdbcommand"
	"pushmask/core/runcontrol"
	"pushmask/core/session"
)

// selected returns the frame that expressions see.
func (in *interpreter) selected(ctx context.Context) (*session.Frame, error) {
	if in.frame != nil {
		return in.frame, nil
	}
	if in.debuggee.live != nil {
		if err := in.adapter.joinHalted(ctx, in.debuggee); err != nil {
			return nil, err
		}
	}
	in.key = frameKey{thread: in.debuggee.crashedThread()}
	_, f, err := in.debuggee.frameAt(ctx, in.key)
	in.frame = f
	return f, err
}

// evaluate evaluates an expression in the selected frame.
func (in *interpreter) evaluate(ctx context.Context, expr string) (session.Value, error) {
	f, err := in.selected(ctx)
	if err != nil {
		return session.Value{}, err
	}
	return in.debuggee.session.Evaluate(ctx, expr, f)
}

// showing executes commands that print values.
func (in *interpreter) showing(ctx context.Context, cmd gdbcommand.Command) (bool, error) {
	switch cmd := cmd.(type) {
	case gdbcommand.Print:
		return true, in.print(ctx, cmd)
	case gdbcommand.Describe:
		return true, in.describe(ctx, cmd)
	case gdbcommand.Examine:
		return true, in.examine(ctx, cmd)
	case gdbcommand.Printf:
		return true, in.printfCommand(ctx, cmd)
	case gdbcommand.Disassemble:
		return true, in.disassemble(ctx, cmd)
	case gdbcommand.Info:
		return true, in.info(ctx, cmd)
	}
	return false, nil
}

func (in *interpreter) print(ctx context.Context, cmd gdbcommand.Print) error {
	format := ""
	if cmd.Format != 0 {
		format = string(cmd.Format)
	}
	if cmd.Raw {
		format += "r"
	}
	expr := cmd.Expr
	if format != "" {
		expr = "/" + format + " " + expr
	}
	v, err := in.evaluate(ctx, expr)
	if err != nil {
		return err
	}
	in.out.WriteString(v.Text)
	if !cmd.Bare {
		in.out.WriteByte('\n')
	}
	return nil
}

// formatted writes a word by a letter of printf.
func formatted(v session.Value, format byte) string {
	switch format {
	case 'x':
		return fmt.Sprintf("%#x", v.U32)
	case 'd':
		return fmt.Sprintf("%d", int32(v.U32))
	case 'u':
		return fmt.Sprintf("%d", v.U32)
	case 'o':
		return fmt.Sprintf("%#o", v.U32)
	case 'c':
		return fmt.Sprintf("%d %q", int8(v.U32), rune(v.U32&0xff))
	}
	return v.Text
}

// mostExamined bounds what one command prints, in bytes.
const mostExamined = 4096

func (in *interpreter) examine(ctx context.Context, cmd gdbcommand.Examine) error {
	if cmd.Expr == "" || cmd.Count < 0 {
		return errors.New("give an address")
	}
	v, err := in.evaluate(ctx, cmd.Expr)
	if err != nil {
		return err
	}
	count := max(cmd.Count, 1)
	if cmd.Format == 'i' {
		return in.instructions(ctx, core.Addr(v.U32&^1), min(count, 256))
	}
	size := map[byte]int{'b': 1, 'h': 2}[cmd.Size]
	if size == 0 {
		size = 4
	}
	b := make([]byte, min(count*size, mostExamined))
	n, err := in.debuggee.session.Memory().ReadAt(core.Addr(v.U32), b)
	if n == 0 && err != nil {
		return err
	}
	if cmd.Format == 's' {
		text, _, _ := strings.Cut(string(b[:n]), "\x00")
		in.printf("%v: %q\n", core.Addr(v.U32), text)
		return nil
	}
	perLine := 16 / size
	for i := 0; i+size <= n; i += size {
		if i/size%perLine == 0 {
			in.printf("%s%v:", map[bool]string{true: "\n"}[i > 0], core.Addr(v.U32)+core.Addr(i))
		}
		var w uint32
		for j := size - 1; j >= 0; j-- {
			w = w<<8 | uint32(b[i+j])
		}
		if cmd.Format == 'd' || cmd.Format == 'u' {
			in.printf(" %d", w)
		} else {
			in.printf(" 0x%0*x", 2*size, w)
		}
	}
	in.printf("\n")
	return nil
}

// instructions prints instructions from an address on.
func (in *interpreter) instructions(ctx context.Context, at core.Addr, count int) error {
	lines, err := in.debuggee.session.Disassemble(ctx, at, 0, count)
	for _, x := range lines {
		in.printf("%v  %-11s  %s\n", x.Addr, hexBytes(x.Bytes), placeText(x))
	}
	return err
}

func (in *interpreter) disassemble(ctx context.Context, cmd gdbcommand.Disassemble) error {
	expr, _, isRange := strings.Cut(cmd.Range, ",")
	if expr == "" {
		expr = "$pc"
	}
	v, err := in.evaluate(ctx, expr)
	if err != nil {
		return err
	}
	if isRange {
		return in.instructions(ctx, core.Addr(v.U32&^1), 16)
	}
	l, err := in.debuggee.listing(ctx, core.Addr(v.U32&^1))
	if err == nil {
		in.out.WriteString(l.text)
	}
	return err
}

// printfCommand prints values by a format of C: what a verb asks for is taken
// from its letter alone.
func (in *interpreter) printfCommand(ctx context.Context, cmd gdbcommand.Printf) error {
	args := cmd.Args
	for rest := cmd.Format; rest != ""; {
		before, after, found := strings.Cut(rest, "%")
		in.out.WriteString(before)
		if !found {
			return nil
		}
		verb := strings.IndexFunc(after, func(r rune) bool { return r == '%' || r >= 'a' && r <= 'z' && r != 'l' && r != 'h' || r == 'X' })
		if verb < 0 {
			return errors.New("the format ends within a %")
		}
		rest = after[verb+1:]
		if after[verb] == '%' {
			in.out.WriteByte('%')
			continue
		}
		if len(args) == 0 {
			return errors.New("there are fewer values than the format has")
		}
		v, err := in.evaluate(ctx, args[0])
		if err != nil {
			return err
		}
		args = args[1:]
		in.out.WriteString(strings.TrimPrefix(formatted(v, after[verb]|0x20), map[bool]string{true: "0x"}[after[verb]|0x20 == 'x']))
	}
	return nil
}

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
		v, err := in.evaluate(ctx, cmd.Args)
		if err == nil {
			in.printf("%s\n", v.Text)
		}
		return err
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
		return s.Function
	case runcontrol.SourceBreakpoint:
		return fmt.Sprintf("%s:%d", baseName(s.Path), s.Line)
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

// stack executes commands about the stack.
func (in *interpreter) stack(ctx context.Context, cmd gdbcommand.Command) (bool, error) {
	switch cmd := cmd.(type) {
	case gdbcommand.Backtrace:
		return true, in.backtrace(ctx, cmd)
	case gdbcommand.Thread, gdbcommand.Frame, gdbcommand.ThreadApply:
		return true, errors.New("select threads and frames in the Call Stack view")
	}
	return false, nil
}

func (in *interpreter) backtrace(ctx context.Context, cmd gdbcommand.Backtrace) error {
	if _, err := in.selected(ctx); err != nil {
		return err
	}
	stack, err := in.debuggee.stack(in.key.thread)
	if err != nil {
		return err
	}
	frames, err := stack.Frames(ctx, 0, max(cmd.Count, 0))
	if err != nil {
		return err
	}
	for i := range frames {
		in.printf("#%-3d %s\n", i, frameText(&frames[i]))
	}
	if stop := stack.Stop(); cmd.Count == 0 {
		in.printf("%s\n", stop.Kind)
	}
	return nil
}

// frameText is a frame in one line.
func frameText(f *session.Frame) string {
	text := f.Label()
	if f.Kind != session.KindException {
		text = f.Core.PC.String() + " " + text
	}
	if f.Line > 0 {
		text += fmt.Sprintf(" at %s:%d", baseName(f.File), f.Line)
	}
	return text
}
