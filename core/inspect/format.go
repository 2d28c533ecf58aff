package inspect

import (
	"fmt"
	"strconv"
	"strings"

	"pushmask/elfsym/types"
)

// Format is how a value is written instead of its natural form.
type Format struct {
	// Letter is one of gdb's: x d u o t (binary) c s f a; 0 is the natural form.
	Letter byte
	// Count, when not 0, takes the value for the first of so many.
	Count uint32
	Raw   bool // as it is laid out, not as what it means
	plain bool // for programs that read it: see [Value.Plain]
}

// cutFormat splits a format off an expression: "x,x", "p,[4]", "/x p", "v,r".
// The binary base is "t" for gdb's users and "b" for others.
func cutFormat(text string) (body string, f Format, err error) {
	trimmed := strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(trimmed, "/"); ok {
		letters, expr, _ := strings.Cut(rest, " ")
		for _, c := range letters {
			if !f.set(c) {
				return "", f, &ExprError{Expr: text, Off: strings.IndexRune(text, '/'), Msg: "unknown format " + strconv.Quote("/"+letters)}
			}
		}
		return expr, f, nil
	}
	comma := lastComma(text)
	if comma < 0 {
		return text, f, nil
	}
	suffix := strings.TrimSpace(text[comma+1:])
	if n, ok := strings.CutPrefix(suffix, "["); ok && strings.HasSuffix(n, "]") {
		count, err := strconv.ParseUint(strings.TrimSuffix(n, "]"), 0, 31)
		if err != nil || count == 0 {
			return "", f, &ExprError{Expr: text, Off: comma + 1, Msg: "the number of elements has to be a positive number"}
		}
		f.Count = uint32(count)
		return text[:comma], f, nil
	}
	if len(suffix) == 1 && f.set(rune(suffix[0])) {
		return text[:comma], f, nil
	}
	return text, Format{}, nil
}

func (f *Format) set(c rune) bool {
	switch {
	case c == 'b':
		f.Letter = 't'
	case c == 'r':
		f.Raw = true
	case strings.ContainsRune("xduotcsfa", c):
		f.Letter = byte(c)
	default:
		return false
	}
	return true
}

// lastComma is the last comma outside of quotes and brackets, -1 for none.
func lastComma(s string) int {
	at, level := -1, 0
	var quote byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.IndexByte("([{", c) >= 0:
			level++
		case strings.IndexByte(")]}", c) >= 0:
			level--
		case c == ',' && level == 0:
			at = i
		}
	}
	return at
}

// Hex returns v as it is written in hexadecimal, with its parts, unless its
// expression asks for a format.
func (v *Value) Hex() *Value {
	if v.format.Letter != 0 {
		return v
	}
	out := *v
	out.format.Letter = 'x'
	return &out
}

// Plain returns v as it is written for programs that take texts apart, with its
// parts: numbers without the hexadecimal form behind them, and arrays behind the
// number of their elements, "[2] {7, 8}", and no note.
func (v *Value) Plain() *Value {
	out := *v
	out.format.plain = true
	return &out
}

// inherit gives the parts of a value its format.
func (v *Value) inherit(list []Child) []Child {
	for i := range list {
		format := &list[i].Value.format
		format.plain = v.format.plain
		if v.format.Letter != 0 {
			format.Letter = v.format.Letter
		}
	}
	return list
}

// apply makes the value that a format asks for.
func (f Format) apply(v *Value) (*Value, error) {
	out := *v
	if f.Count > 0 {
		base := v.decayed()
		if t := base.Type.underlying(); !t.isPointer() {
			return nil, &ExprError{Expr: v.Expr, Msg: "a number of elements needs an array or a pointer"}
		}
		first, err := v.ctx.dereference(base)
		if err != nil {
			return nil, &ExprError{Expr: v.Expr, Msg: reason(err, v.ctx.frame), Err: unreadable(err)}
		}
		out = *v.ctx.memory(arrayOf(first.Type, f.Count), first.addr)
		out.Expr = "*" + postfix(base.exprOr(v.Expr)) + "@" + strconv.FormatUint(uint64(f.Count), 10)
	}
	out.raw = out.raw || f.Raw
	out.format = f
	out.format.plain = v.format.plain
	return &out, nil
}

func (v *Value) exprOr(s string) string {
	if v.Expr != "" {
		return v.Expr
	}
	return s
}

// number writes an integer in the base of a format; false where the format is
// not one of numbers.
func (f Format) number(v *Value, t *Type) (string, bool) {
	n, err := v.bits()
	size, _ := t.Size()
	if err != nil || size > 8 {
		return "", false
	}
	width := size * 8
	if v.bitSize > 0 {
		width = uint32(v.bitSize)
	}
	n = extend(n, width, false)
	switch f.Letter {
	case 'x':
		return fmt.Sprintf("0x%x", n), true
	case 'o':
		return fmt.Sprintf("0%o", n), true
	case 't':
		return fmt.Sprintf("0b%b", n), true
	case 'd':
		return strconv.FormatInt(int64(extend(n, width, true)), 10), true
	case 'u':
		return strconv.FormatUint(n, 10), true
	case 'c':
		return fmt.Sprintf("%d %s", int8(n), charText(n&0xff, typeChar)), true
	case 'a':
		return addressText(uint32(n)) + v.ctx.program.name(uint32(n)), true
	case 'f':
		if size == 2 || size == 4 || size == 8 {
			format := formatOfSize(size)
			if t.isFloat() {
				format = t.floatFormat()
			}
			x, _ := decodeFloat(n, format)
			return floatText(x, format), true
		}
	}
	return "", false
}

func addressText(n uint32) string { return fmt.Sprintf("0x%08x", n) }

// enumText writes the name of a constant, flags joined by "|", or the number.
func enumText(t *Type, n uint64) string {
	size, _ := t.Size()
	width := min(size, 8) * 8
	list := t.dwarf.Enumerators()
	prefix := ""
	if t.dwarf.IsEnumClass() || t.isRust() {
		prefix = t.qualifiedName() + "::"
	}
	for _, e := range list {
		if extend(uint64(e.Value), width, false) == extend(n, width, false) {
			return prefix + e.Name
		}
	}
	if n != 0 && isFlags(list, width) {
		var words []string
		rest := extend(n, width, false)
		for _, e := range list {
			if bits := extend(uint64(e.Value), width, false); bits != 0 && rest&bits == bits {
				words = append(words, prefix+e.Name)
				rest &^= bits
			}
		}
		if rest != 0 && len(words) > 0 {
			words = append(words, fmt.Sprintf("0x%x", rest))
		}
		if len(words) > 0 {
			return strings.Join(words, " | ")
		}
	}
	if t.isSigned() {
		return strconv.FormatInt(int64(extend(n, width, true)), 10)
	}
	return strconv.FormatUint(n, 10)
}

// isFlags reports whether the constants of an enumeration are bits that do not
// overlap, as gdb tells flags.
func isFlags(list []types.Enumerator, width uint32) bool {
	var all uint64
	for _, e := range list {
		bits := extend(uint64(e.Value), width, false)
		if all&bits != 0 || e.Value < 0 {
			return false
		}
		all |= bits
	}
	return all != 0
}
