package gdbcommand

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// unescape resolves the escapes of C in text. Unknown ones keep their letter.
func unescape(text string) string {
	const letters, values = "abefnrtv", "\a\b\x1b\f\n\r\t\v"
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 >= len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		if at := strings.IndexByte(letters, text[i]); at >= 0 {
			b.WriteByte(values[at])
			continue
		}
		n := 0
		for n < 3 && i+n < len(text) && text[i+n] >= '0' && text[i+n] <= '7' {
			n++
		}
		v, err := strconv.ParseUint(text[i:i+n], 8, 8)
		if err != nil {
			b.WriteByte(text[i])
			continue
		}
		b.WriteByte(byte(v))
		i += n - 1
	}
	return b.String()
}

// escape writes text so that unescape reads it, and it stays on one line.
func escape(text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\\' || c == '"':
			b.Write([]byte{'\\', c})
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func quoteC(text string) string { return `"` + escape(text) + `"` }

// escapeEcho writes a text for echo, which would drop spaces at its ends.
func escapeEcho(text string) string {
	out := escape(text)
	if strings.HasPrefix(out, " ") {
		out = `\040` + out[1:]
	}
	if strings.HasSuffix(out, " ") {
		out = out[:len(out)-1] + `\040`
	}
	return out
}

func readEcho(a arguments) (Command, error) { return Echo{unescape(a.text)}, nil }

func readPrintf(a arguments) (Command, error) {
	if !strings.HasPrefix(a.text, `"`) {
		return nil, errors.New("printf needs a format in double quotes")
	}
	end := quoteEnd(a.text, 0)
	if end < 0 {
		return nil, errors.New(`a " is not closed`)
	}
	p := Printf{Format: unescape(a.text[1:end])}
	rest := strings.TrimSpace(a.text[end+1:])
	if rest == "" {
		return p, nil
	}
	args, ok := strings.CutPrefix(rest, ",")
	if !ok {
		return nil, errors.New("a comma is missing after the format")
	}
	start := 0
	err := scanTop(args, func(i int) bool {
		if args[i] == ',' {
			p.Args = append(p.Args, strings.TrimSpace(args[start:i]))
			start = i + 1
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	p.Args = append(p.Args, strings.TrimSpace(args[start:]))
	for _, arg := range p.Args {
		if arg == "" {
			return nil, errors.New("an expression is missing")
		}
	}
	return p, nil
}
