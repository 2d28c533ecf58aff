package dap

import (
	"context"
	"errors"
	"strings"

	"pushmask/core"
	"pushmask/core/gdbcommand"
)

// atRestHelp is what "help" prints in the Debug Console of a crash.
const atRestHelp = `An expression prints its value: $sp, *0x20000000, main, counter + 4.
print/FMT EXPR, x/FMT ADDRESS, output EXPR, printf "FORMAT", EXPR...
ptype, ptype/o, whatis        the type of an expression, or a type
info locals, args, registers, frame, threads
info symbol ADDRESS, info address NAME, info line PLACE, info scope PLACE
info types, functions, variables REGEX
info files, add-symbol-file FILE [-o OFFSET], remove-symbol-file, symbol-file: the ELFs
backtrace, disassemble
"-exec" before a command is accepted.
`

// errAtRest refuses what needs a machine that runs.
var errAtRest = errors.New("the session shows a crash: nothing runs and nothing can be changed")

// replHelp is what "help" prints in the Debug Console of a live session.
const replHelp = `An expression prints its value: $sp, *0x20000000, main, counter + 4.
monitor TEXT (or mon)         a command of the GDB server, as "monitor reset halt"
break, tbreak, watch, delete  breakpoints: FUNCTION, FILE:LINE or *ADDRESS, perhaps "if EXPRESSION"
continue, step, next, stepi, nexti, finish, advance, jump, interrupt
print, x, output, ptype, ptype/o, whatis, backtrace, disassemble
info registers, locals, args, symbol, address, line, scope, types, functions, variables
set var NAME = VALUE, set $r0 = VALUE, set *(uint32_t*)ADDRESS = VALUE
info files, add-symbol-file FILE [-o OFFSET], remove-symbol-file, symbol-file: the ELFs
load, run, start, detach, kill
"-exec" before a command is accepted.
`

// command runs a line of the Debug Console that is a command of gdb; false where
// it is none, so that it is an expression.
func (a *adapter) command(ctx context.Context, d *debuggee, key frameKey, line string) (string, bool, error) {
	explicit := false
	if rest, ok := strings.CutPrefix(line, "-exec "); ok {
		line, explicit = strings.TrimSpace(rest), true
	}
	if line == "help" {
		return d.help(), true, nil
	}
	cmd, err := gdbcommand.Parse(line)
	if err != nil {
		if explicit || looksLikeCommand(line) && errors.Is(err, gdbcommand.ErrSyntax) {
			return "", true, failf(errEvaluate, "%w", err)
		}
		return "", false, nil
	}
	atRest := d.live == nil && !shows(cmd)
	if !explicit && !looksLikeCommand(line) && (atRest || d.names(line)) {
		return "", false, nil // a variable that is called like a command
	}
	if atRest {
		return "", true, failf(errEvaluate, "%s: %w", line, errAtRest)
	}
	in := &interpreter{adapter: a, debuggee: d, key: key}
	if key != (frameKey{}) && d.halted() == nil {
		if _, in.frame, err = d.frameAt(ctx, key); err != nil {
			return "", true, err
		}
	}
	if !explicit && !looksLikeCommand(line) && shows(cmd) && in.hasValue(ctx, line) {
		return "", false, nil
	}
	if err := in.execute(ctx, cmd); err != nil {
		if ctx.Err() != nil || isRequestError(err) {
			return "", true, err
		}
		return "", true, failf(errEvaluate, "%s: %w", line, err)
	}
	return strings.TrimRight(in.out.String(), "\n"), true, nil
}

func (d *debuggee) help() string {
	if d.live == nil {
		return atRestHelp
	}
	return replHelp
}

// hasValue reports whether a line that may be a command is an expression with a
// value: x and i are variables where the frame has some of these names.
func (in *interpreter) hasValue(ctx context.Context, line string) bool {
	f, err := in.inspected(ctx)
	if err != nil {
		return false
	}
	_, _, err = in.debuggee.session.Inspect().TypeOf(f, line)
	return err == nil
}

// looksLikeCommand reports whether a line cannot be an expression: two words
// with nothing but a space between them.
func looksLikeCommand(line string) bool {
	_, rest, found := strings.Cut(line, " ")
	return found && rest != "" && !strings.ContainsRune("+-*/&|<>=.[", rune(strings.TrimSpace(rest)[0]))
}

// names reports whether a word names something in the program.
func (d *debuggee) names(word string) bool {
	if _, ok := core.LookupReg(word); ok {
		return true
	}
	img := d.program.Images()
	return len(img.Lookup(word)) > 0
}
