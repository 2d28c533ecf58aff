package gdbcommand

import (
	"slices"
	"strings"
)

// Argument is what the word at the end of a command line may be.
type Argument uint8

// The arguments that are told apart.
const (
	ArgumentNone       Argument = iota // nothing that is known: a path, a number
	ArgumentCommand                    // the name of a command, or the line is an expression
	ArgumentTopic                      // of info
	ArgumentExpression                 // an expression
	ArgumentType                       // the name of a type, or an expression
	ArgumentLocation                   // a function or a line
	ArgumentSymbol                     // the name of a function or of a variable
	ArgumentRegisters                  // names of registers
)

// completed are the arguments of commands that take others than none.
var completed = map[string]Argument{
	"print": ArgumentExpression, "output": ArgumentExpression, "x": ArgumentExpression,
	"watch": ArgumentExpression, "rwatch": ArgumentExpression, "awatch": ArgumentExpression,
	"printf": ArgumentExpression, "disassemble": ArgumentExpression, "condition": ArgumentExpression, "set": ArgumentExpression,
	"ptype": ArgumentType, "whatis": ArgumentType,
	"break": ArgumentLocation, "tbreak": ArgumentLocation, "hbreak": ArgumentLocation, "thbreak": ArgumentLocation,
	"until": ArgumentLocation, "advance": ArgumentLocation, "jump": ArgumentLocation, "clear": ArgumentLocation,
}

// Completing says what the word at the end of a line may be, and where in the
// line, in bytes, the expression, the location or the name that it belongs to
// begins. A line that is no command is an expression.
func Completing(line string) (what Argument, from int) {
	line, from = skipSpace(line, 0)
	if rest, ok := strings.CutPrefix(line, "-exec "); ok {
		line, from = skipSpace(rest, from+len("-exec "))
	}
	word := line[:len(line)-len(strings.TrimLeft(line, nameBytes))]
	rest := line[len(word):]
	switch {
	case rest == "":
		return ArgumentCommand, from
	case word == "" || strings.IndexByte(" \t/", rest[0]) < 0:
		return ArgumentExpression, from
	}
	verb, err := commandNames.resolve(word)
	if err != nil {
		return ArgumentExpression, from
	}
	rest, from = skipSpace(rest, from+len(word))
	return completing(verb, rest, from)
}

// nameBytes are those of the names of commands that people type.
const nameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// completing is Completing for what follows the name of a command.
func completing(verb, rest string, from int) (Argument, int) {
	what := completed[verb]
	switch {
	case verb == "info":
		word := leadingWord(rest)
		if len(word) == len(rest) {
			return ArgumentTopic, from
		}
		topic, err := infoNames.resolve(word)
		if err != nil {
			return ArgumentNone, from
		}
		what = topics[Topic(topic)]
		_, from = skipSpace(rest[len(word):], from+len(word))
		return what, from
	case verb == "set":
		if after, ok := strings.CutPrefix(rest, "var"); ok {
			after = strings.TrimPrefix(after, "iable")
			_, from = skipSpace(after, from+len(rest)-len(after))
		}
	case verb == "printf" || verb == "condition":
		// The expressions follow the format, or the number.
		n := strings.LastIndexByte(rest, ',')
		if verb == "condition" {
			n = strings.IndexByte(rest, ' ')
		}
		if n < 0 {
			return ArgumentNone, from
		}
		return what, from + n + 1
	case what == ArgumentLocation:
		if _, condition, ok := strings.Cut(rest, " if "); ok {
			return ArgumentExpression, from + len(rest) - len(condition)
		}
		if strings.HasPrefix(rest, "*") {
			return ArgumentExpression, from + 1
		}
	case strings.HasPrefix(rest, "/"):
		format := strings.IndexAny(rest, " \t")
		if format < 0 {
			return ArgumentNone, from
		}
		_, from = skipSpace(rest[format:], from+format)
	}
	return what, from
}

// skipSpace returns text without the spaces at its beginning, which is at from.
func skipSpace(text string, from int) (string, int) {
	trimmed := strings.TrimLeft(text, " \t")
	return trimmed, from + len(text) - len(trimmed)
}

// Commands lists the names of the commands that mean something here, sorted.
func Commands() []string {
	list := []string{"help"}
	for name := range readers {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// Topics lists the topics of info that are printed, sorted.
func Topics() []string {
	var list []string
	for t := range topics {
		list = append(list, string(t))
	}
	slices.Sort(list)
	return list
}
