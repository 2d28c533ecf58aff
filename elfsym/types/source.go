package types

import (
	"debug/dwarf"
	"fmt"
	"strings"

	"pushmask/elfsym/die"
)

// maxSource bounds the text of one type, in bytes.
const maxSource = 1 << 20

// maxSourceParts bounds the types that one definition names.
const maxSourceParts = 1 << 16

// Source returns the definition of a type as its language writes it: members of
// structures with their types, constants of enumerations. Aliases of the type
// itself are followed, those of members are named. Of what t is made of, as by a
// pointer, the innermost is written in full: "struct point {...} *".
func (t *Type) Source() string { return t.source(nil) }

// source writes t with offsets where o is set.
func (t *Type) source(o *offsets) string {
	left := maxSourceParts
	b := &body{show: 1, offsets: o, size: new(int), left: &left}
	return t.declare("", nesting{left: &left, body: b})
}

// body writes types in full.
type body struct {
	show  int // how many more levels are written in full; types without a name one more
	level int // of indentation, in spaces
	// offsets is set where offsets and sizes are written before members.
	offsets *offsets
	size    *int // bytes that were written
	left    *int // types that may be named
}

// expands reports whether t is written in full.
func (b *body) expands(t *Type) bool {
	if b == nil || *b.size > maxSource || b.level > maxLevel || !t.IsRecord() && t.Kind != Enum {
		return false
	}
	return b.show > 0 || b.show == 0 && t.Definition().TagName() == ""
}

// follows reports whether aliases are followed.
func (b *body) follows() bool { return b != nil && b.show > 0 }

// member is the body for the type of a member.
func (b *body) member(m *Member) *body {
	in := *b
	in.level += indentation
	in.show--
	if b.offsets != nil {
		in.offsets = &offsets{b.offsets.base + m.Offset}
		if m.Type.IsRecord() {
			in.show = b.show
		}
	}
	return &in
}

// indentation is that of members; maxLevel bounds the structures in each other.
const (
	indentation = 4
	maxLevel    = 32 * indentation
)

func (b *body) write(t *Type) string {
	t = t.Definition()
	text := ""
	switch {
	case t.Kind == Enum:
		text = b.enum(t)
	case t.language() == die.Rust:
		text = b.rust(t)
	default:
		text = b.record(t)
	}
	*b.size += len(text)
	return text
}

func (b *body) indent() string { return strings.Repeat(" ", b.level) }

// heading is how the definition of a type begins.
func heading(t *Type) string {
	word := tagWord[t.Kind]
	if name := t.TagName(); name == "" {
		return word + " "
	} else if !t.language().IsCPlusPlus() {
		return word + " " + name + " "
	}
	return word + " " + t.Entry.QualifiedName() + " "
}

// enum writes the constants, with their values where they do not follow those
// before.
func (b *body) enum(t *Type) string {
	var out strings.Builder
	if t.IsEnumClass() {
		out.WriteString(strings.Replace(heading(t), "enum ", "enum class ", 1))
	} else {
		out.WriteString(heading(t))
	}
	if t.HasElem() && t.language().IsCPlusPlus() {
		out.WriteString(": " + t.Elem().Underlying().Name() + " ")
	}
	out.WriteByte('{')
	next := int64(0)
	for i, e := range t.Enumerators() {
		if i > 0 {
			out.WriteString(", ")
		}
		out.WriteString(e.Name)
		if e.Value != next {
			fmt.Fprintf(&out, " = %d", e.Value)
		}
		if next = e.Value + 1; *b.size+out.Len() > maxSource {
			break
		}
	}
	return out.String() + "}"
}

// record writes the members of a structure, class or union.
func (b *body) record(t *Type) string {
	l, err := t.Layout()
	w := &recordWriter{body: b, of: t, access: t.defaultAccess()}
	w.WriteString(heading(t))
	w.bases(l)
	w.WriteString("{\n")
	if w.members(l); err != nil {
		w.line(b.level+indentation, "<incomplete type>")
	}
	w.prefix()
	if b.offsets != nil && b.level == 0 {
		w.WriteString("  ") // below "type"
	}
	w.WriteString(b.indent() + "}")
	return w.String()
}

// members writes what a record has.
func (w *recordWriter) members(l *Layout) {
	if w.of.IsDeclaration() {
		return
	}
	end, before := &extent{}, w.Len()
	for i := range l.Members {
		m := &l.Members[i]
		if w.Len()+*w.size > maxSource {
			w.line(w.level+indentation, "...")
			break
		}
		switch {
		case m.Base && w.offsets != nil:
			w.baseOffset(m, end)
		case m.Base, m.Artificial && w.offsets == nil:
		default:
			w.data(m, end)
		}
	}
	if w.offsets == nil {
		w.declarations(l)
	}
	if w.Len() == before && len(l.Members) == 0 {
		w.line(w.level+indentation, "<no data fields>")
	}
	if w.offsets != nil {
		w.total(w.of, end)
	}
}

// recordWriter writes one structure, class or union.
type recordWriter struct {
	strings.Builder
	*body
	of     *Type
	access Access
}

// bases writes the base classes.
func (w *recordWriter) bases(l *Layout) {
	mark := ": "
	for i := range l.Members {
		m := &l.Members[i]
		if !m.Base {
			continue
		}
		w.WriteString(mark + accessWord[m.Access] + " ")
		if m.Virtual {
			w.WriteString("virtual ")
		}
		w.WriteString(m.Type.Name())
		mark = ", "
	}
	if mark != ": " {
		w.WriteByte(' ')
	}
}

var accessWord = map[Access]string{Public: "public", Protected: "protected", Private: "private"}

// label writes the access of what follows where it differs.
func (w *recordWriter) label(a Access) {
	if a != w.access && w.offsets == nil {
		w.access = a
		w.line(w.level+indentation/2, accessWord[a]+":")
	}
}

// line writes a line that has no offset.
func (w *recordWriter) line(level int, text string) {
	w.prefix()
	w.WriteString(strings.Repeat(" ", level) + text + "\n")
}

// prefix leaves the columns of offsets free.
func (w *recordWriter) prefix() {
	if w.offsets != nil {
		w.WriteString(strings.Repeat(" ", offsetColumns))
	}
}

// data writes a data member.
func (w *recordWriter) data(m *Member, end *extent) {
	w.label(m.Access)
	if w.offsets != nil {
		w.offset(m, end)
	}
	in := nesting{left: w.left, body: w.member(m)}
	text := m.Type.declare(m.Name, in)
	if m.BitSize > 0 {
		text += fmt.Sprintf(" : %d", m.BitSize)
	}
	w.WriteString(strings.Repeat(" ", w.level+indentation) + text + ";\n")
}

// declarations writes what takes no place in an object: static members, methods,
// types.
func (w *recordWriter) declarations(l *Layout) {
	for i := range l.Statics {
		s := &l.Statics[i]
		w.label(w.of.access(s.Entry))
		w.line(w.level+indentation, "static "+s.Type.declare(s.Name, nesting{left: w.left})+";")
	}
	for e, err := range w.of.Entry.Children() {
		if err != nil || w.Len()+*w.size > maxSource {
			return
		}
		if e.Tag == dwarf.TagSubprogram && !e.Flag(dwarf.AttrArtificial) {
			w.label(w.of.access(e))
			w.line(w.level+indentation, w.method(e)+";")
		}
	}
	for e, err := range w.of.Entry.Children() {
		if err != nil || w.Len()+*w.size > maxSource {
			return
		}
		if e.Tag == dwarf.TagTypedef {
			alias := w.of.reader.At(e.Offset)
			w.label(w.of.access(e))
			w.line(w.level+indentation, "typedef "+alias.Elem().declare(e.Name(), nesting{left: w.left})+";")
		}
	}
}

// method writes the declaration of a method.
func (w *recordWriter) method(e die.Entry) string {
	f := w.of.reader.At(e.Offset)
	text, suffix := "", ""
	params, _ := f.Params()
	switch {
	case len(params) == 0 || !params[0].Artificial:
		text = "static "
	case params[0].Type.Unqualified().Elem().Kind == Const:
		suffix = " const"
	}
	if n, ok := e.Uint(dwarf.AttrVirtuality); ok && n != 0 {
		text = "virtual "
	}
	name, _, _ := strings.Cut(w.of.TagName(), "<")
	in := nesting{left: w.left}
	if declared := e.Name() + f.declaredParams(in); e.Name() == name || strings.HasPrefix(e.Name(), "~") {
		text += declared
	} else {
		text += f.Elem().declare(declared, in)
	}
	return text + suffix
}

// access is the access of what is declared in t.
func (t *Type) access(e die.Entry) Access {
	if n, ok := e.Uint(dwarf.AttrAccessibility); ok && n >= 1 && n <= 3 {
		return Access(n)
	}
	return t.defaultAccess()
}
