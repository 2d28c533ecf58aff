package dap

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pushmask/core/gdbcommand"
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

func (in *interpreter) disassemble(ctx context.Context, cmd gdbcommand.Disassemble) error {
	expr, _, isRange := strings.Cut(cmd.Range, ",")
	if expr == "" {
		expr = "$pc"
	}
	at, err := in.address(ctx, expr)
	if err != nil {
		return err
	}
	if isRange {
		return in.instructions(ctx, at&^1, 16)
	}
	l, err := in.debuggee.listing(ctx, at&^1)
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
