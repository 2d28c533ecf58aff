package gdbcommand

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// parseMI reads a GDB/MI command ("Debugging with GDB", GDB/MI Input Syntax).
func parseMI(text string, depth int) (Command, error) {
	name, rest := fields(text[1:])
	a := arguments{verb: "-" + name, text: rest, depth: depth, parse: parse}
	if cli, ok := miSame[name]; ok {
		return parseNamed(cli, withoutThreads(rest), depth)
	}
	if read, ok := miReaders[name]; ok {
		return read(a)
	}
	if slices.Contains(miIgnored, name) {
		return Ignored{Verb: a.verb, Args: rest}, nil
	}
	family, _, _ := strings.Cut(name, "-")
	if !slices.Contains(miFamilies, family) || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-") != "" {
		return nil, reasonError{ErrUnknown, fmt.Sprintf("there is no GDB/MI command %q", shorten(a.verb))}
	}
	return Unsupported{Verb: a.verb, Args: rest, Why: "its answer is for programs that drive gdb"}, nil
}

// withoutThreads drops the options that say which threads a command is for.
func withoutThreads(text string) string {
	for {
		first, rest := fields(text)
		switch first {
		case "--all":
		case "--thread", "--thread-group", "--frame":
			_, rest = fields(rest)
		default:
			return text
		}
		text = rest
	}
}

// miWords splits the parameters of a GDB/MI command: words and C strings.
func miWords(text string) ([]string, error) {
	var out []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		if text[0] != '"' {
			var w string
			w, text = fields(text)
			out = append(out, w)
			continue
		}
		end := quoteEnd(text, 0)
		if end < 0 {
			return nil, errors.New(`a " is not closed`)
		}
		out = append(out, unescape(text[1:end]))
		text = text[end+1:]
	}
	return out, nil
}

// readInterpreterExec reads "console COMMAND" and "mi COMMAND".
func readInterpreterExec(a arguments) (Command, error) {
	words, err := miWords(a.text)
	if err != nil {
		return nil, err
	}
	switch {
	case len(words) != 2:
		return nil, errors.New("interpreter-exec takes an interpreter and a command in quotes")
	case words[0] == "console":
		return a.inner(words[1])
	case strings.HasPrefix(words[0], "mi"):
		return a.inner("-" + strings.TrimPrefix(words[1], "-"))
	}
	return nil, fmt.Errorf("there is no interpreter %q", shorten(words[0]))
}

// readBreakInsert reads "[-t] [-h] [-f] [-d] [-c CONDITION] [-p THREAD] LOCATION".
func readBreakInsert(a arguments) (Command, error) {
	words, err := miWords(a.text)
	if err != nil {
		return nil, err
	}
	var b Break
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		option := words[0]
		words = words[1:]
		switch option {
		case "-t":
			b.Temporary = true
			continue
		case "-h":
			b.Hardware = true
			continue
		case "-f", "-a", "--qualified", "--force-condition":
			continue
		}
		if len(words) == 0 {
			return nil, fmt.Errorf("%q needs a value", shorten(option))
		}
		switch option {
		case "-c":
			b.Condition, err = expression(words[0])
		case "-p":
			b.Thread, err = parseCount(words[0], 1)
		default:
			err = fmt.Errorf("%q is not supported", shorten(option))
		}
		if err != nil {
			return nil, err
		}
		words = words[1:]
	}
	place, condition, err := splitCondition(strings.Join(words, " "))
	if err != nil || condition != "" {
		return nil, errors.New("the condition of -break-insert follows -c")
	}
	b.Location, err = ParseLocation(place)
	return b, err
}

// readBreakWatch reads "[-a|-r] EXPR".
func readBreakWatch(a arguments) (Command, error) {
	words, err := miWords(a.text)
	if err != nil {
		return nil, err
	}
	access := Write
	if len(words) > 0 {
		switch words[0] {
		case "-a":
			access, words = ReadWrite, words[1:]
		case "-r":
			access, words = Read, words[1:]
		}
	}
	a.text = strings.Join(words, " ")
	return watchpoint(access)(a)
}

// unquoting reads parameters that may be C strings as those of a command of the
// console.
func unquoting(verb string, read reader) reader {
	return func(a arguments) (Command, error) {
		words, err := miWords(a.text)
		if err != nil {
			return nil, err
		}
		text := strings.Join(words, " ")
		if strings.ContainsFunc(text, isControl) {
			return nil, errors.New("the line has control characters")
		}
		a.verb, a.text = verb, strings.TrimSpace(text)
		return read(a)
	}
}
