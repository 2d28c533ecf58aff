package dap

import (
	"context"

	"pushmask/core/gdbcommand"
	"pushmask/core/inspect"
)

// worksAtRest are the names of the commands that shows reports, and help.
var worksAtRest = map[string]bool{
	"print": true, "output": true, "x": true, "ptype": true, "whatis": true, "info": true, "backtrace": true,
	"disassemble": true, "printf": true, "echo": true, "help": true,
	"frame": true, "select-frame": true, "up": true, "down": true, "up-silently": true, "down-silently": true, "thread": true,
	"add-symbol-file": true, "remove-symbol-file": true, "file": true, "exec-file": true, "symbol-file": true,
}

// shows reports whether a command only prints what is there, or is about the ELFs
// that explain it: it needs nothing that runs.
func shows(cmd gdbcommand.Command) bool {
	switch cmd.(type) {
	case gdbcommand.Print, gdbcommand.Describe, gdbcommand.Examine, gdbcommand.Info, gdbcommand.Backtrace, gdbcommand.Disassemble,
		gdbcommand.Printf, gdbcommand.Echo, gdbcommand.Empty, gdbcommand.Frame, gdbcommand.Thread,
		gdbcommand.AddSymbolFile, gdbcommand.RemoveSymbolFile, gdbcommand.File:
		return true
	}
	return false
}

// describe prints a type, as ptype and whatis do.
func (in *interpreter) describe(ctx context.Context, cmd gdbcommand.Describe) error {
	f, err := in.inspected(ctx)
	if err != nil {
		return err
	}
	t, isName, err := in.debuggee.session.Inspect().TypeOf(f, cmd.Subject)
	if err != nil {
		return err
	}
	text := t.Definition(cmd.Offsets)
	if cmd.Brief {
		name := t.Name()
		if alias, ok := t.Alias(); ok && isName {
			name = alias
		}
		text = "type = " + name
	}
	in.printf("%s\n", text)
	return nil
}

// inspected returns the selected frame as expressions see it.
func (in *interpreter) inspected(ctx context.Context) (*inspect.Frame, error) {
	f, err := in.selected(ctx)
	if err != nil {
		return nil, err
	}
	return in.debuggee.session.InspectFrame(ctx, f)
}
