package inspect

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/elfsym/types"
)

// Limits of the text of a value.
const (
	maxShown   = 400 // bytes, from where on "..." stands for the rest
	maxMembers = 24
	maxNested  = 4
)

// Text returns the value in the form that its format asks for: numbers with
// their hexadecimal form, characters with their code, names of constants and
// symbols, text, and a preview of what has parts. What is not there says why, in
// angle brackets; a note that the value has follows it.
func (v *Value) Text() string {
	w := &writer{format: v.format}
	w.value(v, 0)
	if note := v.Note(); note != "" && !v.format.plain {
		w.WriteString(" " + note)
	}
	return w.String()
}

// writer writes one value.
type writer struct {
	strings.Builder
	format Format
}

func (w *writer) full() bool { return w.Len() >= maxShown }

// missing writes why a value is not there.
func (w *writer) missing(v *Value, err error) {
	fmt.Fprintf(w, "<%s>", reason(err, v.ctx.frame))
}

func (w *writer) value(v *Value, depth int) {
	if v.err != nil {
		w.missing(v, v.err)
		return
	}
	t := v.Type.underlying()
	if !v.raw {
		if view := v.view(); view != nil {
			w.view(view, depth)
			return
		}
	}
	switch {
	case t.isReference():
		w.reference(v, depth)
	case t.kind == types.Array:
		w.array(v, t, depth)
	case t.isRecord():
		w.record(v, t, depth)
	case t.kind == types.Function:
		fmt.Fprintf(w, "%s <%s>", addressText(v.addr), v.functionName())
	case t.kind == types.Void:
		w.WriteString("void")
	default:
		w.scalar(v, t, depth)
	}
}

func (v *Value) functionName() string {
	if v.symbol != "" {
		return v.symbol
	}
	return strings.Trim(v.ctx.program.name(v.addr), " <>")
}

// reference writes what a reference refers to, unless a read there may change
// something.
func (w *writer) reference(v *Value, depth int) {
	if depth >= maxNested {
		w.WriteString("...")
		return
	}
	w.value(v.quietly().referred(), depth+1)
}

// scalar writes what is one number.
func (w *writer) scalar(v *Value, t *Type, depth int) {
	if v.pointer != nil {
		w.synthetic(v, depth)
		return
	}
	if t.isComplex() {
		w.complex(v)
		return
	}
	if t.isFixed() && (w.format.Letter == 0 || w.format.Letter == 'f') {
		w.fixed(v, t)
		return
	}
	if t.isMethodPointer() {
		w.method(v, t)
		return
	}
	if t.isWide() && v.bitSize == 0 {
		w.wide(v, t)
		return
	}
	n, err := v.bits()
	if err != nil {
		w.missing(v, err)
		return
	}
	if w.format.Letter != 0 && w.format.Letter != 's' {
		if s, ok := w.format.number(v, t); ok {
			w.WriteString(s)
			return
		}
	}
	switch {
	case t.isUnit():
		w.WriteString(t.Name())
	case v.symbol != "":
		fmt.Fprintf(w, "%s <%s>", addressText(uint32(n)), v.symbol)
	case t.word || v.hasRegister && !t.isFloat():
		w.WriteString(addressText(uint32(n)) + v.ctx.program.name(uint32(n)))
	case t.isPointer():
		w.pointer(v, t, uint32(n), depth)
	case t.kind == types.Enum:
		w.WriteString(enumText(t, v.extended(n, t)))
	case t.isFloat():
		f, err := decodeFloat(n, t.floatFormat())
		if err != nil {
			w.missing(v, err)
			return
		}
		w.WriteString(floatText(f, t.floatFormat()))
	case t.kind == types.MemberPointer:
		w.WriteString(memberPointerText(t, uint32(n)))
	case t.kind == types.Unspecified:
		w.WriteString("nullptr")
	default:
		w.integer(v.extended(n, t), t, v.Type.isNamedChar(), depth)
	}
}

// wide writes an integer of more than 64 bits.
func (w *writer) wide(v *Value, t *Type) {
	b, err := v.whole()
	if err != nil {
		w.missing(v, err)
		return
	}
	b = t.ordered(b)
	if verb := wideVerbs[w.format.Letter]; verb != "" {
		fmt.Fprintf(w, verb, wideNumber(b, w.format.Letter == 'd'))
		return
	}
	w.WriteString(wideNumber(b, t.isSigned()).String())
}

// wideVerbs are the formats of integers for package fmt.
var wideVerbs = map[byte]string{'x': "%#x", 'o': "0%o", 't': "%#b", 'd': "%d", 'u': "%d"}

// fixed writes a fixed-point number.
func (w *writer) fixed(v *Value, t *Type) {
	x, err := v.rational(t)
	if err != nil {
		w.missing(v, err)
		return
	}
	w.WriteString(fixedText(x))
}

// extended extends the bits of v by its type.
func (v *Value) extended(n uint64, t *Type) uint64 {
	size, _ := t.Size()
	width := size * 8
	if v.bitSize > 0 {
		width = uint32(v.bitSize)
	}
	return extend(n, width, t.isSigned())
}

func (w *writer) integer(n uint64, t *Type, isNamedChar bool, depth int) {
	size, _ := t.Size()
	switch {
	case t.encoding == types.Boolean && n <= 1:
		w.WriteString(strconv.FormatBool(n == 1))
		return
	case isNamedChar || t.isChar() && t.encoding != types.SignedChar:
		fmt.Fprintf(w, "%d %s", n, charText(n, t))
		return
	case t.isChar():
		fmt.Fprintf(w, "%d %s", int64(n), charText(n&0xff, t))
		return
	}
	text := strconv.FormatUint(n, 10)
	if t.isSigned() {
		text = strconv.FormatInt(int64(n), 10)
	}
	w.WriteString(text)
	if depth == 0 && !w.format.plain {
		fmt.Fprintf(w, " (0x%x)", extend(n, size*8, false))
	}
}

// pointer writes an address with the text or the symbol that is there.
func (w *writer) pointer(v *Value, t *Type, n uint32, depth int) {
	w.WriteString(addressText(n))
	if !isString(t) || n == 0 || depth >= maxNested {
		w.WriteString(v.ctx.program.name(n))
		return
	}
	s := v.quietly().readString(maxString)
	_, isDevice := errors.AsType[*core.DeviceError](s.err)
	switch {
	case s.err == nil || s.text != "":
		w.WriteString(" " + s.quote())
	case isDevice:
		w.WriteString(v.ctx.program.name(n))
	default:
		w.WriteString(" ")
		w.missing(v, s.err)
	}
}

// synthetic writes a pointer that was optimized out to something that is known.
func (w *writer) synthetic(v *Value, depth int) {
	to, err := v.ctx.dereference(v)
	if err != nil || depth >= maxNested {
		w.WriteString("<synthetic pointer>")
		return
	}
	w.WriteString("<synthetic pointer> to ")
	w.value(to, depth+1)
}

func (w *writer) complex(v *Value) {
	re, im := v.complexParts()
	w.value(re, 1)
	w.WriteString(" + ")
	w.value(im, 1)
	w.WriteString("i")
}

// array writes text, or the first elements.
func (w *writer) array(v *Value, t *Type, depth int) {
	n, known := t.count()
	if !known && t.isVariable() {
		w.WriteString("<the length was optimized out>")
		return
	}
	if isString(t) && (w.format.Letter == 0 || w.format.Letter == 's') || w.format.Letter == 's' && isBytes(t) {
		s := v.readString(maxString)
		if s.err == nil || s.text != "" {
			w.WriteString(s.quote())
		}
		if s.err != nil {
			w.missing(v, s.err)
		}
		return
	}
	if known && depth == 0 && w.format.plain {
		fmt.Fprintf(w, "[%d] ", n)
	}
	w.elements(n, depth, func(i uint32) *Value { e, _ := v.element(i); return e })
}

// isBytes reports whether the elements of an array are bytes.
func isBytes(t *Type) bool {
	size, _ := t.Elem().Size()
	return t.kind == types.Array && size == 1
}

// elements writes a list in braces.
func (w *writer) elements(n uint32, depth int, at func(uint32) *Value) {
	if depth >= maxNested {
		w.WriteString("{...}")
		return
	}
	w.list("{}", n, depth, at)
}

// list writes values between brackets, up to one that at does not have.
func (w *writer) list(brackets string, n uint32, depth int, at func(uint32) *Value) {
	w.WriteByte(brackets[0])
	for i := range n {
		if i > 0 {
			w.WriteString(", ")
		}
		var e *Value
		if !w.full() && i < maxMembers {
			e = at(i)
		}
		if e == nil {
			w.WriteString("...")
			break
		}
		w.value(e, depth+1)
	}
	w.WriteByte(brackets[1])
}

// record writes the members of a structure.
func (w *writer) record(v *Value, t *Type, depth int) {
	if depth >= maxNested {
		w.WriteString("{...}")
		return
	}
	l, err := t.layout()
	if err != nil && len(l.Members) == 0 {
		w.WriteString("<incomplete type>")
		return
	}
	if len(l.Variants) > 0 {
		w.variants(v, t, l, depth)
		return
	}
	if isTuple(l) {
		w.tuple(v, l.Members, depth)
		return
	}
	w.WriteString("{")
	w.members(v, l.Members, depth)
	w.WriteString("}")
}

// isTuple reports whether the members are those of a tuple of Rust.
func isTuple(l *types.Layout) bool {
	for i := range l.Members {
		if l.Members[i].Name != "__"+strconv.Itoa(i) {
			return false
		}
	}
	return len(l.Members) > 0
}

func (w *writer) tuple(v *Value, members []types.Member, depth int) {
	w.list("()", uint32(len(members)), depth, func(i uint32) *Value { return v.member(&members[i]) })
}

func (w *writer) members(v *Value, members []types.Member, depth int) {
	shown := 0
	for i := range members {
		m := &members[i]
		if m.Base && isEmpty(m.Type) {
			continue
		}
		if shown > 0 {
			w.WriteString(", ")
		}
		if w.full() || shown == maxMembers {
			w.WriteString("...")
			return
		}
		shown++
		switch {
		case m.Base:
			fmt.Fprintf(w, "<%s> = ", m.Type.Name())
		case m.Name != "":
			w.WriteString(m.Name + " = ")
		}
		w.value(v.member(m), depth+1)
	}
}

// isEmpty reports whether a base class has nothing that could be shown.
func isEmpty(t *types.Type) bool {
	l, err := t.Underlying().Layout()
	return err == nil && len(l.Members) == 0 && len(l.Variants) == 0
}

// variants writes the variant of a Rust enumeration that is there: Some(5).
func (w *writer) variants(v *Value, t *Type, l *types.Layout, depth int) {
	for i := range l.Variants {
		active, err := v.active(&l.Variants[i])
		switch {
		case err != nil:
			w.missing(v, err)
			return
		case active == nil || len(active.Members) == 0:
			w.WriteString("<no variant>")
			return
		}
		m := &active.Members[0]
		w.WriteString(m.Name)
		part := v.member(m)
		inner, _ := part.Type.underlying().layout()
		switch {
		case len(inner.Members) == 0 && len(inner.Variants) == 0:
		case isTuple(inner):
			w.tuple(part, inner.Members, depth+1)
		default:
			w.WriteString(" ")
			w.value(part, depth+1)
		}
	}
}
