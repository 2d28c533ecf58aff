package gdbcommand

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

func readLoad(a arguments) (Command, error) {
	words, err := splitWords(a.text)
	if err != nil {
		return nil, err
	}
	switch len(words) {
	case 0:
		return Load{}, nil
	case 1:
		return Load{File: words[0].text}, nil
	case 2:
		offset, err := parseOffset(words[1].text)
		if words[0].text == "" {
			return Load{}, errors.New("the name of the file is empty")
		}
		return Load{words[0].text, offset}, err
	}
	return nil, errors.New("load takes a file and an offset; a path with spaces needs quotes")
}

func readRestore(a arguments) (Command, error) {
	words, err := splitWords(a.text)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 || words[0].text == "" {
		return nil, errors.New("restore needs a file")
	}
	r := Restore{File: words[0].text}
	words = words[1:]
	if len(words) > 0 && words[0].text == "binary" {
		r.Binary, words = true, words[1:]
	}
	switch len(words) {
	case 0:
		return r, nil
	case 1:
		if strings.ContainsAny(words[0].text, " \t\"'\\") || words[0].text == "" {
			return nil, errors.New("the offset of restore is one word")
		}
		r.Offset = words[0].text
		return r, nil
	}
	return nil, errors.New("a part of a file cannot be restored")
}

// choosing reads the arguments of file, exec-file and symbol-file.
func choosing(kind File) reader {
	return func(a arguments) (Command, error) {
		words, err := splitWords(a.text)
		if err != nil {
			return nil, err
		}
		f := kind
		rest, err := symbolOptions(words, func(offset int64) { f.Offset = offset })
		switch {
		case err != nil:
			return nil, err
		case f.Offset != 0 && (f.Exec || len(rest) == 0):
			return nil, errors.New("only symbols of a file have an offset")
		case len(rest) > 1:
			return nil, fmt.Errorf("%s takes one file; a path with spaces needs quotes", a.verb)
		case len(rest) == 1:
			f.Path = rest[0].text
		}
		return f, nil
	}
}

// symbolOptions removes -readnow, -readnever and -o OFFSET.
func symbolOptions(words []word, offset func(int64)) ([]word, error) {
	var rest []word
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w.quoted:
			rest = append(rest, w)
		case w.text == "-readnow" || w.text == "-readnever":
		case w.text == "-o":
			if i++; i >= len(words) {
				return nil, errors.New("-o needs an offset")
			}
			n, err := parseOffset(words[i].text)
			if err != nil {
				return nil, err
			}
			offset(n)
		default:
			rest = append(rest, w)
		}
	}
	return rest, nil
}

func readAddSymbolFile(a arguments) (Command, error) {
	words, err := splitWords(a.text)
	if err != nil {
		return nil, err
	}
	var f AddSymbolFile
	words, err = symbolOptions(words, func(n int64) { f.Offset = n })
	if err != nil {
		return nil, err
	}
	var plain []string
	for len(words) > 0 {
		w := words[0]
		switch {
		case !w.quoted && w.text == "-s":
			if len(words) < 3 {
				return nil, errors.New("-s needs a section and its address")
			}
			address, err := parseUint(words[2].text)
			if err != nil {
				return nil, fmt.Errorf("section %s: %w", shorten(words[1].text), err)
			}
			f.Sections = append(f.Sections, Section{words[1].text, address})
			words = words[3:]
			continue
		case !w.quoted && strings.HasPrefix(w.text, "-"):
			return nil, fmt.Errorf("%q is not an option of add-symbol-file", shorten(w.text))
		}
		plain = append(plain, w.text)
		words = words[1:]
	}
	if len(plain) == 0 || plain[0] == "" || len(plain) > 2 {
		return nil, errors.New("add-symbol-file takes a file and the address of its .text")
	}
	f.Path = plain[0]
	if len(plain) == 2 {
		f.HasText = true
		f.Text, err = parseUint(plain[1])
	}
	return f, err
}

func readRemoveSymbolFile(a arguments) (Command, error) {
	words, err := splitWords(a.text)
	switch {
	case err != nil:
		return nil, err
	case len(words) == 1 && words[0].text != "" && (words[0].quoted || words[0].text[0] != '-'):
		return RemoveSymbolFile{Path: words[0].text}, nil
	case len(words) == 2 && words[0].text == "-a" && !words[0].quoted:
		address, err := parseUint(words[1].text)
		return RemoveSymbolFile{Address: address}, err
	}
	return nil, errors.New("remove-symbol-file takes a file, or -a and an address in it")
}

// readDirectory reads folders, separated by spaces and by ":" or ";" as paths
// are on Unix and on Windows.
func readDirectory(a arguments) (Command, error) {
	words, err := splitWords(a.text)
	if err != nil {
		return nil, err
	}
	var d Directory
	for _, w := range words {
		for _, p := range splitPaths(w.text) {
			if !slices.Contains(d.Paths, p) {
				d.Paths = append(d.Paths, p)
			}
		}
	}
	return d, nil
}

// splitPaths splits at ":" and ";". The colon of a drive does not separate.
func splitPaths(list string) []string {
	var out []string
	start := 0
	for i := range len(list) + 1 {
		if i < len(list) && (list[i] != ':' && list[i] != ';' || isDrive(list[start:], i-start)) {
			continue
		}
		if i > start {
			out = append(out, list[start:i])
		}
		start = i + 1
	}
	return out
}

func readTarget(a arguments) (Command, error) {
	kind, address := fields(a.text)
	switch kind {
	case "remote", "extended-remote":
	case "":
		return nil, errors.New("target needs a kind and an address")
	default:
		return Unsupported{Verb: "target", Args: a.text, Why: "only GDB stubs (remote, extended-remote) are supported"}, nil
	}
	if address == "" || strings.HasPrefix(address, "|") {
		return nil, errors.New("target " + kind + " needs host:port or a serial device")
	}
	return Connect{address, kind == "extended-remote"}, nil
}

func readAttach(a arguments) (Command, error) {
	n, err := parseCount(strings.TrimSuffix(a.text, "&"), 0)
	return Attach{n}, err
}

func readMonitor(a arguments) (Command, error) {
	if a.text == "" {
		return nil, errors.New("monitor needs a command of the GDB server")
	}
	return Monitor{a.text}, nil
}
