package gdbcommand

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// formatLetters are those of print and x ("Debugging with GDB", Output
// Formats).
const formatLetters = "xduotacfszri"

// cutFormat separates "/LETTERS" from the beginning of text.
func cutFormat(text string) (format, rest string) {
	after, ok := strings.CutPrefix(text, "/")
	if !ok {
		return "", text
	}
	return fields(after)
}

// readValue reads a format and an expression.
func readValue(text string) (Print, error) {
	format, rest := cutFormat(text)
	var p Print
	for i := range len(format) {
		switch c := format[i]; {
		case c == 'r':
			p.Raw = true
		case strings.IndexByte(formatLetters, c) < 0 || p.Format != 0:
			return p, fmt.Errorf("/%s is not a format of print", shorten(format))
		default:
			p.Format = c
		}
	}
	var err error
	p.Expr, err = expression(rest)
	return p, err
}

func readPrint(a arguments) (Command, error) {
	text, err := cutPrintOptions(a.text)
	if err != nil {
		return nil, err
	}
	return readValue(text)
}

func readOutput(a arguments) (Command, error) {
	p, err := readValue(a.text)
	p.Bare = true
	return p, err
}

// readDescribe reads ptype and whatis, the brief one. Their flags are about what
// gdb prints with a type ("Debugging with GDB", Symbols); "o" alone means
// something here.
func readDescribe(brief bool) reader {
	return func(a arguments) (Command, error) {
		flags, rest := cutFormat(a.text)
		if strings.Trim(flags, "rmMtToxd") != "" {
			return nil, fmt.Errorf("/%s is not a flag of %s", shorten(flags), a.verb)
		}
		subject, err := expression(rest)
		return Describe{Subject: subject, Brief: brief, Offsets: !brief && strings.Contains(flags, "o")}, err
	}
}

// printOptions are the options of print, and whether the value of one is a
// number. The others may be followed by on or off.
var printOptions = map[string]bool{
	"-address": false, "-array": false, "-array-indexes": false, "-elements": true, "-max-depth": true,
	"-memory-tag-violations": false, "-nibbles": false, "-null-stop": false, "-object": false, "-pretty": false,
	"-raw-values": false, "-repeats": true, "-static-members": false, "-symbol": false, "-union": false, "-vtbl": false,
}

// cutPrintOptions drops the options of print, which are about layout.
func cutPrintOptions(text string) (string, error) {
	for {
		first, rest := fields(text)
		if first == "--" {
			return rest, nil
		}
		number, ok := printOptions[first]
		if !ok {
			return text, nil
		}
		value, after := fields(rest)
		switch {
		case number && value == "":
			return "", fmt.Errorf("%s needs a number", first)
		case number, value == "on", value == "off":
			rest = after
		}
		text = rest
	}
}

func readExamine(a arguments) (Command, error) {
	format, rest := cutFormat(a.text)
	x := Examine{Count: 1}
	digits := len(format) - len(strings.TrimLeft(format, "-0123456789"))
	if digits > 0 {
		n, err := strconv.Atoi(format[:digits])
		if err != nil || n < math.MinInt32 || n > math.MaxInt32 {
			return nil, fmt.Errorf("/%s does not begin with a count", shorten(format))
		}
		x.Count = n
	}
	for i := digits; i < len(format); i++ {
		switch c := format[i]; {
		case strings.IndexByte("bhwg", c) >= 0:
			x.Size = c
		case c != 'r' && strings.IndexByte(formatLetters, c) >= 0:
			x.Format = c
		default:
			return nil, fmt.Errorf("%q in /%s is neither a format nor a size", c, shorten(format))
		}
	}
	if rest == "" {
		return x, nil
	}
	var err error
	x.Expr, err = expression(rest)
	return x, err
}

func readInfo(a arguments) (Command, error) {
	word := leadingWord(a.text)
	if word == "" {
		return nil, errors.New("info needs a topic")
	}
	name, err := infoNames.resolve(word)
	if err != nil {
		return nil, err
	}
	rest := strings.TrimSpace(a.text[len(word):])
	switch name {
	case "stack":
		a.text = rest
		return readBacktrace(a)
	case "watchpoints":
		name = string(InfoBreakpoints)
	case "sharedlibrary", "target":
		name = string(InfoFiles)
	}
	if _, ok := topics[Topic(name)]; ok {
		return Info{Topic(name), rest}, nil
	}
	return Unsupported{Verb: "info " + name, Args: rest, Why: "there is nothing to print for it"}, nil
}

func readDisassemble(a arguments) (Command, error) {
	format, rest := cutFormat(a.text)
	if strings.Trim(format, "mrsb") != "" {
		return nil, fmt.Errorf("/%s is not a modifier of disassemble", shorten(format))
	}
	if rest == "" {
		return Disassemble{Modifiers: format}, nil
	}
	expr, err := expression(rest)
	return Disassemble{format, expr}, err
}

func readBacktrace(a arguments) (Command, error) {
	var b Backtrace
	for _, f := range strings.Fields(a.text) {
		switch n, err := strconv.Atoi(f); {
		case f == "full" || f == "-full":
			b.Full = true
		case f == "no-filters" || f == "-no-filters" || f == "hide" || f == "-hide":
		case err != nil || n < math.MinInt32 || n > math.MaxInt32:
			return nil, fmt.Errorf("%q is not a number of frames", shorten(f))
		default:
			b.Count = n
		}
	}
	return b, nil
}

func readThread(a arguments) (Command, error) {
	first, rest := fields(a.text)
	switch first {
	case "":
		return Thread{}, nil
	case "apply":
		return threadApply(a, rest)
	case "name", "find":
		return Ignored{Verb: "thread", Args: a.text}, nil
	}
	id, err := parseCount(strings.TrimPrefix(a.text, "1."), 1) // 1. is the first inferior
	return Thread{id}, err
}

// threadApply reads "all COMMAND" or "LIST COMMAND".
func threadApply(a arguments, text string) (Command, error) {
	first, rest := fields(text)
	var ids []int
	if first != "all" {
		for first != "" && isDigit(first[0]) {
			list, err := numbers(first)
			if err != nil {
				return nil, err
			}
			ids = append(ids, list...)
			first, rest = fields(rest)
		}
		if ids == nil {
			return nil, errors.New("thread apply needs all or thread numbers")
		}
		rest = joined(first, rest)
	}
	for {
		flag, after := fields(rest)
		if flag != "-q" && flag != "-s" && flag != "-c" && flag != "-ascending" {
			break
		}
		rest = after
	}
	cmd, err := a.inner(rest)
	if err != nil {
		return nil, err
	}
	if (cmd == Empty{}) {
		return nil, errors.New("thread apply needs a command")
	}
	return ThreadApply{ids, cmd}, nil
}

func readFrame(a arguments) (Command, error) {
	text := a.text
	first, rest := fields(text)
	switch first {
	case "":
		return Frame{Relative: true}, nil
	case "level":
		text = rest
	case "function", "address", "view", "apply":
		return Unsupported{Verb: "frame", Args: text, Why: "frames are selected by their level"}, nil
	}
	n, err := parseCount(text, 0)
	return Frame{Level: n}, err
}

// moving reads the optional count of up and down.
func moving(sign int) reader {
	return func(a arguments) (Command, error) {
		if a.text == "" {
			return Frame{sign, true}, nil
		}
		n, err := parseCount(a.text, 0)
		return Frame{sign * n, true}, err
	}
}

// readShell knows the one command of a shell that configurations need:
// Cortex-Debug itself has "shell sleep 0.1" after it powers a target.
func readShell(a arguments) (Command, error) {
	name, seconds := fields(a.text)
	const longest = 600 // seconds
	if s, err := strconv.ParseFloat(seconds, 64); name == "sleep" && err == nil && s >= 0 && s <= longest {
		return Sleep{time.Duration(s * float64(time.Second)).Round(time.Millisecond)}, nil
	}
	why, block := whyUnsupported(a.verb)
	return Unsupported{Verb: a.verb, Args: a.text, Why: why, Block: block}, nil
}
