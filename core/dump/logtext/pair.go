package logtext

import "strings"

// Pair is a number with the name before it.
type Pair struct {
	// Name is what stands between the number before and the separator: "R0",
	// "s[ 0]", "Faulting instruction address (r15/pc)".
	Name string
	// Digits is the number as it is printed: "0x08001234", "8001234", "4048".
	Digits string
}

// Hex returns the number, read as a hexadecimal one.
func (p Pair) Hex() uint32 {
	v, _ := Hex(p.Digits)
	return v
}

// Word returns the last word of the name, without the brackets around it:
// "pc" of "address (pc)" and of "user pc".
func (p Pair) Word() string {
	w := p.Name[strings.LastIndexAny(p.Name, " \t")+1:]
	return strings.Trim(w, "()[]<>*,;|")
}

// Pairs returns the pairs of a line: names, ':' or '=', and numbers that are
// hexadecimal or could be, with nothing behind that belongs to them. A name
// whose value is no number is passed over.
func Pairs(text string) []Pair {
	var out []Pair
	name := 0
	for i := 0; i < len(text); i++ {
		if text[i] != ':' && text[i] != '=' {
			continue
		}
		at := i + 1
		for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
			at++
		}
		n, _ := number(text[at:])
		if n == 0 {
			name = i + 1
			continue
		}
		if s := strings.Trim(text[name:i], " \t,;|"); s != "" {
			out = append(out, Pair{Name: s, Digits: text[at : at+n]})
		}
		name = at + n
		i = name - 1
	}
	return out
}
