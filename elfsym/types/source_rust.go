package types

import (
	"fmt"
	"strings"
)

// rust writes a type of Rust: a structure, a tuple, a union, an enumeration with
// its variants.
func (b *body) rust(t *Type) string {
	l, err := t.Layout()
	word := "struct"
	switch {
	case t.Kind == Union:
		word = "union"
	case len(l.Variants) > 0:
		word = "enum"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s ", word, t.Entry.QualifiedName())
	if err != nil {
		return out.String() + "{ <incomplete type> }"
	}
	if len(l.Variants) == 0 {
		return out.String() + b.rustFields(l.Members, "\n"+strings.Repeat(" ", b.level+indentation), "\n"+b.indent())
	}
	out.WriteString("{\n")
	for i := range l.Variants {
		for j := range l.Variants[i].Variants {
			if out.Len()+*b.size > maxSource {
				break
			}
			b.rustVariant(&out, &l.Variants[i].Variants[j])
		}
	}
	return out.String() + b.indent() + "}"
}

// rustVariant writes an alternative, whose data is one structure of its name.
func (b *body) rustVariant(out *strings.Builder, v *Variant) {
	out.WriteString(strings.Repeat(" ", b.level+indentation))
	for i := range v.Members {
		m := &v.Members[i]
		out.WriteString(m.Name)
		if l, err := m.Type.Underlying().Layout(); err == nil && len(l.Members) > 0 {
			out.WriteString(b.rustFields(l.Members, " ", " "))
		}
	}
	out.WriteString(",\n")
}

// rustFields writes members in braces, each after a separator, or those of a
// tuple in parentheses.
func (b *body) rustFields(list []Member, before, after string) string {
	if len(list) == 0 {
		return "{}"
	}
	isTuple := list[0].Name == "__0"
	var words []string
	size := 0
	for i := range list {
		m := &list[i]
		word := m.Type.declare("", nesting{left: b.left})
		if !isTuple {
			word = before + m.Name + ": " + word
		}
		words = append(words, word)
		if size += len(word); size+*b.size > maxSource {
			break
		}
	}
	if isTuple {
		return "(" + strings.Join(words, ", ") + ")"
	}
	return "{" + strings.Join(words, ",") + after + "}"
}
