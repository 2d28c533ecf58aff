package macro

import (
	"slices"
	"strings"
)

// Definition is what a #define says.
type Definition struct {
	Name string
	// Params are the parameters of a macro that is like a function. The last one
	// of a variadic macro is what "..." is called in the body, "__VA_ARGS__" or a
	// name of its own.
	Params     []string
	IsFunction bool
	IsVariadic bool
	Body       string
	Line       int // 1-based in its file, 0 for what the compiler defines
}

// String returns the definition as the source has it after #define.
func (d *Definition) String() string {
	head := d.Name
	if d.IsFunction {
		params := slices.Clone(d.Params)
		if d.IsVariadic {
			last := len(params) - 1
			params[last] = strings.TrimPrefix(params[last], "__VA_ARGS__") + "..."
		}
		head += "(" + strings.Join(params, ", ") + ")"
	}
	return strings.TrimSpace(head + " " + d.Body)
}

// maxParams bounds the parameters of a macro; C asks for 127 (C17, 5.2.4.1).
const maxParams = 1 << 10

// define reads a definition as DWARF has it: "NAME BODY", or "NAME(P,Q) BODY"
// with nothing between the name and the parenthesis (DWARF 5, 6.3.2.1). It is
// false where text is none.
func define(text string, line int) (*Definition, bool) {
	n := nameLen(text)
	if n == 0 {
		return nil, false
	}
	d := &Definition{Name: text[:n], Line: line}
	rest := text[n:]
	if strings.HasPrefix(rest, "(") {
		list, body, ok := strings.Cut(rest[1:], ")")
		if !ok || !d.setParams(list) {
			return nil, false
		}
		d.IsFunction, rest = true, body
	}
	d.Body = strings.TrimSpace(rest)
	return d, true
}

// setParams reads the parameters between the parentheses.
func (d *Definition) setParams(list string) bool {
	if strings.TrimSpace(list) == "" {
		return true
	}
	if strings.Count(list, ",") >= maxParams {
		return false
	}
	for p := range strings.SplitSeq(list, ",") {
		p = strings.TrimSpace(p)
		if d.IsVariadic {
			return false // "..." is the last
		}
		if name, ok := strings.CutSuffix(p, "..."); ok {
			d.IsVariadic = true
			if p = strings.TrimSpace(name); p == "" {
				p = "__VA_ARGS__"
			}
		}
		if nameLen(p) != len(p) || p == "" {
			return false
		}
		d.Params = append(d.Params, p)
	}
	return true
}

// nameLen is the length of the identifier at the start of s.
func nameLen(s string) int {
	n := 0
	for n < len(s) && (isNameByte(s[n]) || n > 0 && s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return n
}

// isNameByte reports whether an identifier may begin with c. Compilers accept "$"
// and letters of all scripts, which are bytes above 0x7f in UTF-8.
func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
