package gdbcommand

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Location is a place in a program as gdb's linespecs name it ("Debugging with
// GDB", Linespec Locations). The zero value is where the program stands.
type Location struct {
	Image    string // the one ELF that it is in, "" for all; gdb has no word for it
	File     string // "" for the current file
	Line     int    // from 1, 0 for none; with Relative a distance
	Relative bool   // Line counts from the current line
	Function string // name as the user wrote it, perhaps with parameters
	Label    string // in Function
	Address  string // expression, for "*ADDRESS"; alone
}

// String returns the linespec.
func (l Location) String() string {
	file := ""
	if l.Image != "" {
		file = "'" + l.Image + "'::"
	}
	if l.File != "" {
		file += quoteFile(l.File) + ":"
	}
	switch {
	case l.Address != "":
		return "*" + l.Address
	case l.Relative:
		return fmt.Sprintf("%+d", l.Line)
	case l.Line != 0:
		return file + strconv.Itoa(l.Line)
	case l.Label != "":
		return file + l.Function + ":" + l.Label
	}
	return file + l.Function
}

// quoteFile writes a file name so that it ends at its colon.
func quoteFile(name string) string {
	switch {
	case strings.ContainsRune(name, '"'):
		return "'" + name + "'"
	case strings.ContainsAny(name, " \t'()[]{}") || !strings.ContainsAny(name, `./\`) || strings.ContainsAny(name[:1], "+-*"):
		return `"` + name + `"`
	}
	return name
}

// ParseLocation reads a linespec. What cannot be written as a linespec again,
// such as the line of a function that "-function F -line N" names, is refused.
func ParseLocation(text string) (Location, error) {
	l, err := readLocation(text)
	if err != nil {
		return Location{}, err
	}
	p, errAgain := splitPlace(l.String())
	if again, err := readLocation(p.where); err != nil || errAgain != nil || again != l || p.condition != "" || p.thread != "" {
		return Location{}, fmt.Errorf("%q is not a location", shorten(text))
	}
	return l, nil
}

func readLocation(text string) (Location, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return Location{}, nil
	case text[0] == '*':
		expr, err := expression(text[1:])
		return Location{Address: expr}, err
	case text[0] == '+' || text[0] == '-' && len(text) > 1 && isDigit(text[1]):
		n, err := parseCount(text[1:], 0)
		if text[0] == '-' {
			n = -n
		}
		return Location{Line: n, Relative: true}, err
	case text[0] == '-':
		return explicitLocation(text)
	}
	if image, rest, ok := SplitImage(text); ok {
		return inImage(image, rest)
	}
	switch {
	case isDigit(text[0]):
		n, err := parseCount(text, 1)
		return Location{Line: n}, err
	case text[0] == '"' || text[0] == '\'':
		return quotedLocation(text)
	}
	colon := lastColon(text)
	if colon < 0 {
		return Location{Function: text}, nil
	}
	left, right := strings.TrimSpace(text[:colon]), strings.TrimSpace(text[colon+1:])
	if left == "" || right == "" {
		return Location{}, fmt.Errorf("%q is not a location", shorten(text))
	}
	return inFile(left, right, strings.ContainsAny(left, `./\`))
}

// SplitImage separates a name that is qualified by an ELF, as pushmask shows those
// of others than the main one, "boot.elf!main", or as expressions name what is in
// a file, "'boot.elf'::main"; ok is false for other names.
func SplitImage(text string) (image, rest string, ok bool) {
	if end := strings.Index(text, "'::"); end > 1 && text[0] == '\'' && strings.IndexByte(text[1:end], '\'') < 0 {
		image, rest = text[1:end], text[end+3:]
	} else if image, rest, ok = strings.Cut(text, "!"); !ok || strings.ContainsAny(image, "<>(){}'\"") || strings.HasSuffix(image, "operator") {
		return "", "", false
	}
	image, rest = strings.TrimSpace(image), strings.TrimSpace(rest)
	return image, rest, image != "" && rest != ""
}

// inImage reads a location in an image: a function, or a line of a file.
func inImage(image, text string) (Location, error) {
	if strings.ContainsRune(image, '\'') {
		return Location{}, errors.New("the name of an ELF has a quote")
	}
	l, err := readLocation(text)
	if err == nil && (l.Image != "" || l.Address != "" || l.Relative || l.File == "" && l.Function == "") {
		err = fmt.Errorf("%q is neither a function nor a line of a file", shorten(text))
	}
	l.Image = image
	return l, err
}

// quotedLocation reads a location that begins with a quoted name, of a file or
// a function.
func quotedLocation(text string) (Location, error) {
	end := strings.IndexByte(text[1:], text[0])
	if end < 0 {
		return Location{}, fmt.Errorf("a %c is not closed", text[0])
	}
	name, rest := text[1:1+end], strings.TrimSpace(text[2+end:])
	right, ok := strings.CutPrefix(rest, ":")
	switch {
	case name == "":
		return Location{}, errors.New("a name is empty")
	case rest == "":
		return readLocation(name)
	case !ok || strings.TrimSpace(right) == "" || right[0] == ':':
		return Location{}, fmt.Errorf("%q is not a location", shorten(text))
	case strings.ContainsRune(name, '"') && strings.ContainsRune(name, '\''):
		return Location{}, errors.New("a file name has quotes of both kinds")
	}
	return inFile(name, strings.TrimSpace(right), true)
}

// inFile reads what follows a colon: a line or a function of a file, or a
// label of a function.
func inFile(left, right string, file bool) (Location, error) {
	switch {
	case isDigit(right[0]):
		n, err := parseCount(right, 1)
		return Location{File: left, Line: n}, err
	case strings.ContainsAny(right, "\"'*"):
		return Location{}, fmt.Errorf("%q is neither a line nor a function", shorten(right))
	case file:
		return Location{File: left, Function: right}, nil
	}
	return Location{Function: left, Label: right}, nil
}

// explicitLocation reads "-source FILE -line N -function F -label L".
func explicitLocation(text string) (Location, error) {
	words, err := splitWords(text)
	if err != nil {
		return Location{}, err
	}
	var l Location
	for i := 0; i < len(words); i++ {
		option := words[i].text
		if option == "-qualified" {
			continue
		}
		if i++; i >= len(words) || words[i].text == "" {
			return l, fmt.Errorf("%q needs a value", shorten(option))
		}
		value := words[i].text
		switch option {
		case "-source":
			l.File = value
		case "-function":
			l.Function = value
		case "-label":
			l.Label = value
		case "-line":
			if l.Line, err = parseCount(value, 1); err != nil {
				return l, err
			}
		default:
			return l, fmt.Errorf("%q is not an option of a location", shorten(option))
		}
	}
	return l, nil
}

// lastColon returns the offset of the last colon of text that is none of "::"
// and stands outside of brackets, -1 when there is none.
func lastColon(text string) int {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch c := text[i]; {
		case strings.IndexByte(")]}>", c) >= 0:
			depth++
		case strings.IndexByte("([{<", c) >= 0:
			depth--
		case c == ':' && i > 0 && text[i-1] == ':':
			i--
		case c == ':' && depth <= 0 && !isDrive(text, i):
			return i
		}
	}
	return -1
}

// isDrive reports whether the colon at i is the one of "C:\...".
func isDrive(text string, i int) bool {
	return i == 1 && i+1 < len(text) && (text[2] == '\\' || text[2] == '/')
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
