package dap

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/gdbcommand"
)

// replHelp is what "help" prints in the Debug Console of a live session.
const replHelp = `An expression prints its value: $sp, *0x20000000, main, counter + 4.
monitor TEXT (or mon)         a command of the GDB server, as "monitor reset halt"
break, tbreak, watch, delete  breakpoints: FUNCTION, FILE:LINE or *ADDRESS, perhaps "if EXPRESSION"
continue, step, next, stepi, nexti, finish, advance, jump, interrupt
print, x, info registers, info locals, backtrace, disassemble
set var NAME = VALUE, set $r0 = VALUE, set *(uint32_t*)ADDRESS = VALUE
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
		return replHelp, true, nil
	}
	cmd, err := gdbcommand.Parse(line)
	if err != nil {
		if explicit || looksLikeCommand(line) && errors.Is(err, gdbcommand.ErrSyntax) {
			return "", true, failf(errEvaluate, "%w", err)
		}
		return "", false, nil
	}
	if !explicit && !looksLikeCommand(line) && d.names(line) {
		return "", false, nil // a variable that is called like a command
	}
	in := &interpreter{adapter: a, debuggee: d, key: key}
	if key != (frameKey{}) && d.halted() == nil {
		if _, in.frame, err = d.frameAt(ctx, key); err != nil {
			return "", true, err
		}
	}
	if err := in.execute(ctx, cmd); err != nil {
		if ctx.Err() != nil || isRequestError(err) {
			return "", true, err
		}
		return "", true, failf(errEvaluate, "%s: %w", line, err)
	}
	return strings.TrimRight(in.out.String(), "\n"), true, nil
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

// completionLimit bounds the answer to a completions request.
const completionLimit = 100

func (a *adapter) completions(_ context.Context, req *dap.CompletionsRequest) (*dap.CompletionsResponse, error) {
	args := req.Arguments
	text := []rune(args.Text)
	text = text[:min(max(a.client.ownColumn(args.Column)-1, 0), len(text))]
	start := len(text)
	for start > 0 && isWordRune(text[start-1]) {
		start--
	}
	word := string(text[start:])
	resp := &dap.CompletionsResponse{Body: dap.CompletionsResponseBody{Targets: []dap.CompletionItem{}}}
	add := func(name, kind string) {
		if len(resp.Body.Targets) < completionLimit && strings.HasPrefix(name, word) && name != word {
			resp.Body.Targets = append(resp.Body.Targets, dap.CompletionItem{
				Label: name, Type: dap.CompletionItemType(kind), Start: start, Length: len(text) - start,
			})
		}
	}
	if word == "" {
		return resp, nil
	}
	for _, r := range registerRange(core.R0, core.S31) {
		add("$"+r.String(), "variable")
	}
	if start == 0 && a.isLive() {
		for _, verb := range replVerbs {
			add(verb, "keyword")
		}
	}
	a.symbolCompletions(word, add)
	return resp, nil
}

// replVerbs are the commands that are worth completing.
var replVerbs = []string{
	"advance", "backtrace", "break", "continue", "delete", "disassemble", "finish", "help", "info", "interrupt",
	"jump", "load", "monitor", "next", "nexti", "print", "step", "stepi", "tbreak", "watch",
}

// symbolCompletions offers functions and variables.
func (a *adapter) symbolCompletions(word string, add func(name, kind string)) {
	p := a.focused().program
	for _, name := range p.FunctionNames(word) {
		add(name, "function")
	}
	for _, name := range p.VariableNames(word) {
		add(name, "variable")
	}
}

// isWordRune reports whether r belongs to a name or a register.
func isWordRune(r rune) bool {
	return r == '_' || r == '$' || r == ':' || unicode.IsLetter(r) || unicode.IsDigit(r)
}
