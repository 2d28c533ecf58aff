package gdbcommand

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// readSet reads "set": a setting, or an assignment. As in gdb a first word
// that names a setting is one; unlike in gdb "set p = 3" and "set p[0] = 3"
// are assignments although "p" abbreviates a setting, since a setting is
// followed by neither.
func readSet(a arguments) (Command, error) {
	word := leadingWord(a.text)
	tail := a.text[len(word):]
	isSetting := word != "" && (tail == "" || strings.IndexByte(" \t/", tail[0]) >= 0)
	if !isSetting || startsAssignment(tail) {
		return assignment(a.text)
	}
	name, err := settingNames.resolve(word)
	switch {
	case err != nil && word == a.text:
		return nil, err
	case err != nil:
		return assignment(a.text)
	}
	rest := strings.TrimSpace(tail)
	switch name {
	case "variable":
		return assignment(rest)
	case "substitute-path":
		return substitutePath(rest)
	case "directories":
		return readDirectory(arguments{verb: "directory", text: rest})
	case "remote":
		return remoteSetting(rest)
	}
	if why, ok := unsupportedSettings[name]; ok {
		return Unsupported{Verb: "set " + name, Args: rest, Why: why}, nil
	}
	return Ignored{Verb: "set " + name, Args: rest}, nil
}

// startsAssignment reports whether text begins with an assignment operator.
func startsAssignment(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" {
		return false
	}
	op, _ := assignmentAt(text, 0)
	return op != ""
}

// remoteSetting reads the settings of the remote target. The limits of the
// hardware mean something to everyone who sets breakpoints.
func remoteSetting(text string) (Command, error) {
	name, value := fields(text)
	watch := name == "hardware-watchpoint-limit"
	if !watch && name != "hardware-breakpoint-limit" {
		return Ignored{Verb: "set remote", Args: text}, nil
	}
	if value == "unlimited" || value == "-1" {
		return HardwareLimit{watch, -1}, nil
	}
	n, err := parseCount(value, 0)
	return HardwareLimit{watch, n}, err
}

func substitutePath(text string) (Command, error) {
	words, err := splitWords(text)
	if err != nil {
		return nil, err
	}
	if len(words) != 2 || words[0].text == "" {
		return nil, errors.New("set substitute-path takes two paths")
	}
	return SubstitutePath{words[0].text, words[1].text}, nil
}

// assignmentAt returns the assignment operator at i and how long it is, "" when
// there is none. The length of a comparison is returned too, so that it can be
// skipped.
func assignmentAt(text string, i int) (op string, length int) {
	for _, skip := range []string{"==", "!=", "<<=", ">>=", "<=", ">="} {
		if strings.HasPrefix(text[i:], skip) {
			if len(skip) == 3 {
				return skip, 3
			}
			return "", 2
		}
	}
	for _, op := range []string{"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="} {
		if strings.HasPrefix(text[i:], op) {
			return op, len(op)
		}
	}
	return "", 1
}

// assignment reads "TARGET = VALUE" and the operators of C that combine.
func assignment(text string) (Command, error) {
	at, op, next := -1, "", 0
	err := scanTop(text, func(i int) bool {
		if i < next {
			return true
		}
		found, length := assignmentAt(text, i)
		next = i + length
		if found != "" {
			at, op = i, found
		}
		return found == ""
	})
	if err != nil {
		return nil, err
	}
	if at < 0 {
		return nil, fmt.Errorf("%q is neither a setting of gdb nor an assignment", shorten(text))
	}
	target, errT := expression(text[:at])
	value, errV := expression(text[at+len(op):])
	if err := errors.Join(errT, errV); err != nil {
		return nil, errors.New("an assignment needs a target and a value with matching brackets")
	}
	if op != "=" {
		value = target + " " + strings.TrimSuffix(op, "=") + " (" + value + ")"
	}
	return assign(target, value), nil
}

// assign chooses the command that sets target.
func assign(target, value string) Command {
	if name, ok := strings.CutPrefix(target, "$"); ok && isIdentifier(name) {
		return SetRegister{name, value}
	}
	if typ, address, ok := dereference(target); ok {
		if typ = unqualified(typ); sizes[typ] != 0 {
			return SetMemory{typ, sizes[typ], address, value}
		}
	}
	return SetVar{target, value}
}

func isIdentifier(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// dereference takes apart the ways to name memory by an address and a type:
// "*(TYPE *)ADDRESS", gdb's "{TYPE}ADDRESS", and "*NUMBER", which for gdb is
// an int.
func dereference(target string) (typ, address string, ok bool) {
	if rest, isBrace := strings.CutPrefix(target, "{"); isBrace {
		typ, address, ok = strings.Cut(rest, "}")
		return strings.TrimSpace(typ), strings.TrimSpace(address), ok && strings.TrimSpace(address) != ""
	}
	rest, isStar := strings.CutPrefix(target, "*")
	rest = strings.TrimSpace(rest)
	if !isStar || rest == "" {
		return "", "", false
	}
	if _, err := parseUint(rest); err == nil {
		return "int", rest, true
	}
	inner, isCast := strings.CutPrefix(rest, "(")
	typ, address, closed := strings.Cut(inner, ")")
	typ, isPointer := strings.CutSuffix(strings.TrimSpace(typ), "*")
	address = strings.TrimSpace(address)
	return strings.TrimSpace(typ), address, isCast && closed && isPointer && address != ""
}

// unqualified writes a type name with single spaces and without qualifiers.
func unqualified(typ string) string {
	words := strings.Fields(typ)
	words = slices.DeleteFunc(words, func(w string) bool { return w == "volatile" || w == "const" })
	return strings.Join(words, " ")
}

// sizes are the sizes of C's integer types, and of stdint.h, in bytes (Procedure
// Call Standard for the Arm Architecture, 8.1.1 Arithmetic Types).
var sizes = map[string]int{
	"char": 1, "signed char": 1, "unsigned char": 1, "int8_t": 1, "uint8_t": 1,
	"short": 2, "short int": 2, "unsigned short": 2, "unsigned short int": 2, "short unsigned int": 2,
	"int16_t": 2, "uint16_t": 2,
	"int": 4, "signed int": 4, "unsigned": 4, "unsigned int": 4, "int32_t": 4, "uint32_t": 4,
	"long": 4, "long int": 4, "unsigned long": 4, "unsigned long int": 4, "long unsigned int": 4,
	"long long": 8, "long long int": 8, "unsigned long long": 8, "unsigned long long int": 8,
	"long long unsigned int": 8, "int64_t": 8, "uint64_t": 8,
}
