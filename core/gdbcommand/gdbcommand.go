// Package gdbcommand reads the command lines that people write for gdb, in the
// pre-, post- and override commands of a launch configuration and in a debug
// console, and returns what they mean as typed commands. Nothing is executed
// here, and gdb is not needed.
//
// Commands are named as gdb 13 names them: a word is a command's whole name,
// one of its aliases, or a beginning that only one command has ("Debugging
// with GDB", Command Syntax). A line that begins with "-" is a GDB/MI command,
// as in Cortex-Debug's configurations. Every command that gdb has is known:
// those that mean nothing without gdb are [Ignored], those that cannot be done
// are [Unsupported] with a reason. What gdb itself would refuse is an error.
//
// Expressions, such as a condition or the value of an assignment, stay text:
// whoever executes a command has the symbols to evaluate them.
package gdbcommand

import (
	"errors"
	"fmt"
	"strings"
)

// The reasons for which a line is no command, for errors.Is.
var (
	// ErrUnknown: gdb has no command of that name.
	ErrUnknown = errors.New("not a gdb command")
	// ErrAmbiguous: the word is the beginning of several commands.
	ErrAmbiguous = errors.New("ambiguous")
	// ErrSyntax: the arguments are not what the command takes.
	ErrSyntax = errors.New("wrong arguments")
)

// Error says why a line is no command.
type Error struct {
	Line string // the line, shortened when it is long
	Err  error  // ErrUnknown, ErrAmbiguous or ErrSyntax
	Msg  string // what exactly is wrong
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("gdb command %q: %v: %s", e.Line, e.Err, e.Msg) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// MaxLine is the length of the longest line that is read, in bytes.
const MaxLine = 16 << 10

// maxDepth bounds how deeply commands that contain a command may nest.
const maxDepth = 8

// Command is one command, one of the types of this package. String returns it
// as a gdb command line that parses to the same command.
type Command interface {
	fmt.Stringer
	command()
}

// Parse reads one line. Empty lines and comments (a first "#") are [Empty]. An
// error is an [*Error].
func Parse(text string) (Command, error) {
	if len(text) > MaxLine {
		return nil, &Error{shorten(text), ErrSyntax, fmt.Sprintf("the line is longer than %d bytes", MaxLine)}
	}
	cmd, err := parse(text, 0)
	if err != nil {
		var reason reasonError
		if !errors.As(err, &reason) {
			reason = reasonError{ErrSyntax, err.Error()}
		}
		return nil, &Error{shorten(strings.TrimSpace(text)), reason.err, reason.msg}
	}
	return cmd, nil
}

// shorten keeps a line that is shown to people at a length they read.
func shorten(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// reasonError carries a sentinel and its message up to Parse.
type reasonError struct {
	err error
	msg string
}

func (e reasonError) Error() string { return e.msg }

// arguments is what follows a command's name.
type arguments struct {
	verb  string // the full name of the command
	text  string // trimmed
	depth int    // how many commands contain this one

	parse func(text string, depth int) (Command, error) // reads a contained command
}

// none returns cmd when there are no arguments.
func (a arguments) none(cmd Command) (Command, error) {
	if a.text != "" {
		return nil, fmt.Errorf("%s takes no arguments", a.verb)
	}
	return cmd, nil
}

// inner reads the command that text is.
func (a arguments) inner(text string) (Command, error) {
	if a.depth+1 >= maxDepth {
		return nil, errors.New("commands are nested too deeply")
	}
	return a.parse(text, a.depth+1)
}

func parse(text string, depth int) (Command, error) {
	if strings.ContainsFunc(text, isControl) {
		return nil, errors.New("the line has control characters")
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "" || text[0] == '#':
		return Empty{}, nil
	case text[0] == '-':
		return parseMI(text, depth)
	case text[0] == '!':
		return parseNamed("shell", text[1:], depth)
	case text[0] == '|':
		return parseNamed("pipe", text[1:], depth)
	}
	word := leadingWord(text)
	if word == "" {
		return nil, reasonError{ErrUnknown, "a command begins with a name"}
	}
	if cmd, ok := cortexDebugMacro(word, strings.TrimSpace(text[len(word):])); ok {
		return cmd, nil
	}
	name, err := commandNames.resolve(word)
	if err != nil {
		return nil, err
	}
	return parseNamed(name, text[len(word):], depth)
}

// parseNamed reads the arguments of the command with the given full name.
func parseNamed(name, rest string, depth int) (Command, error) {
	a := arguments{verb: name, text: strings.TrimSpace(rest), depth: depth, parse: parse}
	if read, ok := readers[name]; ok {
		return read(a)
	}
	if ignored[name] {
		return Ignored{Verb: name, Args: a.text}, nil
	}
	why, block := whyUnsupported(name)
	return Unsupported{Verb: name, Args: a.text, Why: why, Block: block}, nil
}

// isControl reports whether r has no place in a line. A tab does.
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// leadingWord returns the bytes at the start of text that gdb takes for a
// command's name.
func leadingWord(text string) string {
	n := 0
	for n < len(text) && isNameByte(text[n]) {
		n++
	}
	return text[:n]
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.'
}
