package types

import (
	"debug/dwarf"
	"slices"
	"strconv"
	"strings"

	"pushmask/elfsym/die"
)

// maxNameDepth bounds the nesting of declarators in a name.
const maxNameDepth = 32

// maxNameLen bounds a name: those of templates may refer to each other.
const maxNameLen = 1 << 14

// maxNameParts bounds the types that a name is made of: functions whose parameters
// are functions have names of any length.
const maxNameParts = 1 << 10

// nesting is how deep a name is nested, and how many more types it may be made of.
type nesting struct {
	depth int
	left  *int
	body  *body // writes the innermost type in full; nil where its name is enough
}

func (n nesting) next() nesting {
	n.depth++
	return n
}

// plain is next for what is named only.
func (n nesting) plain() nesting {
	n.body = nil
	return n.next()
}

// Name returns the type as its language writes it: "const char *", "int [4][3]",
// "struct foo", "void (*)(int)", "core::option::Option<u32>". Types without a
// name are "struct {...}", as gdb writes them.
func (t *Type) Name() string {
	t.once.name.Do(func() { t.name = t.declare("", nesting{left: new(maxNameParts)}) })
	return t.name
}

// Declare writes the declaration of a name that has the type: "int grid[4][3]",
// "int (*handler)(void)".
func (t *Type) Declare(name string) string {
	if t.language() == die.Rust {
		return name + ": " + t.Name()
	}
	return t.declare(name, nesting{left: new(maxNameParts)})
}

// declare writes a declaration of something with the declarator d.
func (t *Type) declare(d string, in nesting) string {
	if *in.left--; *in.left < 0 || in.depth > maxNameDepth || len(d) > maxNameLen {
		return join("...", d)
	}
	if name := t.TagName(); t.language() == die.Rust && t.Kind != Void && !in.body.expands(t) {
		return t.rust(name, in)
	}
	switch t.Kind {
	case Typedef:
		if in.body.follows() {
			return t.Elem().declare(d, in.next())
		}
	case Const, Volatile, Restrict, Atomic:
		return t.qualified(d, in)
	case Pointer:
		return t.pointer("*", d, in)
	case Reference:
		return t.pointer("&", d, in)
	case RvalueReference:
		return t.pointer("&&", d, in)
	case MemberPointer:
		return t.pointer(t.Containing().declare("", in.plain())+"::*", d, in)
	case Array:
		return t.array(d, in)
	case Function:
		return t.Elem().declare(d+t.paramList(in), in.next())
	}
	if in.body.expands(t) {
		return join(in.body.write(t), d)
	}
	return join(t.simple(), d)
}

func join(name, d string) string {
	if d == "" {
		return name
	}
	return name + " " + d
}

func (t *Type) language() die.Language {
	if t.Entry.Unit == nil {
		return 0
	}
	return t.Entry.Unit.Language()
}

// simple names a type that is not made of others.
func (t *Type) simple() string {
	name := t.TagName()
	if name == "" && t.Entry.Has(dwarf.AttrSignature) {
		t = t.Definition()
		name = t.TagName()
	}
	cplusplus := t.language().IsCPlusPlus()
	if t.Kind == Base && (cplusplus || t.language().IsC()) {
		name = integerName(name)
	}
	if name != "" && cplusplus && t.Kind != Base {
		name = t.Entry.QualifiedName()
	}
	word, isTagged := tagWord[t.Kind]
	switch {
	case isTagged && name == "":
		return word + " {...}"
	case isTagged && !cplusplus:
		return word + " " + name
	case t.Kind == Void:
		return "void"
	case name == "":
		return "<unknown type>"
	}
	return name
}

var tagWord = map[Kind]string{Struct: "struct", Class: "class", Union: "union", Enum: "enum"}

var qualifierWord = map[Kind]string{Const: "const", Volatile: "volatile", Restrict: "restrict", Atomic: "_Atomic"}

// qualifiers returns the kinds of qualifiers of t as a bit set, and what they
// qualify. Those of an array are also those of its elements.
func (t *Type) qualifiers() (set uint32, inner *Type) {
	inner = t
	for range maxHops {
		if qualifierWord[inner.Kind] == "" {
			break
		}
		set |= 1 << inner.Kind
		inner = inner.Elem()
	}
	return set, inner
}

// qualifierWords writes a set of qualifiers in a fixed order.
func qualifierWords(set uint32) string {
	var words []string
	for _, k := range []Kind{Atomic, Const, Volatile, Restrict} {
		if set>>k&1 != 0 {
			words = append(words, qualifierWord[k])
		}
	}
	return strings.Join(words, " ")
}

// qualified writes qualifiers before names and after the star of pointers.
func (t *Type) qualified(d string, in nesting) string {
	set, inner := t.qualifiers()
	switch inner.Kind {
	case Pointer, Reference, RvalueReference, MemberPointer:
		words := qualifierWords(set)
		if !strings.HasPrefix(d, "[") { // gdb writes "const char * const[2]"
			words = join(words, d)
		} else {
			words += d
		}
		return inner.declare(" "+words, in.next())
	case Array:
		elem := inner
		for i := 0; i < maxHops && elem.Kind == Array; i++ {
			elem = elem.Elem()
		}
		own, _ := elem.qualifiers()
		if set &^= own; set == 0 {
			return inner.declare(d, in.next())
		}
	}
	return qualifierWords(set) + " " + inner.declare(d, in.next())
}

func (t *Type) pointer(mark, d string, in nesting) string {
	d = mark + d
	if k := t.Elem().Unqualified().Kind; k == Array && !t.Elem().Unqualified().IsVector() || k == Function {
		d = "(" + d + ")"
	}
	return t.Elem().declare(d, in.next())
}

func (t *Type) array(d string, in nesting) string {
	if t.IsVector() {
		n := "0"
		if dims := t.Dims(); dims[0].Known {
			n = strconv.Itoa(int(dims[0].Count))
		}
		return t.Elem().declare(d+"__attribute__ ((vector_size("+n+")))", in.next())
	}
	for _, dim := range t.Dims() {
		switch {
		case dim.Known:
			d += "[" + strconv.Itoa(int(dim.Count)) + "]"
		case dim.Bound != nil:
			d += "[variable length]"
		default:
			d += "[]"
		}
	}
	return t.Elem().declare(d, in.next())
}

// paramList writes the parameters of a function. C tells functions without
// parameters from those that do not say which they have.
func (t *Type) paramList(in nesting) string {
	params, variadic := t.Params()
	return t.listed(params, variadic, in)
}

// declaredParams is paramList for a method as it is declared: without what the
// compiler adds, as "this".
func (t *Type) declaredParams(in nesting) string {
	params, variadic := t.Params()
	params = slices.DeleteFunc(slices.Clone(params), func(p Param) bool { return p.Artificial })
	return t.listed(params, variadic, in)
}

func (t *Type) listed(params []Param, variadic bool, in nesting) string {
	var words []string
	size := 0
	for _, p := range params {
		w := p.Type.declare("", in.plain())
		if size += len(w); size > maxNameLen {
			words = append(words, "...")
			break
		}
		words = append(words, w)
	}
	prototyped := t.Entry.Flag(dwarf.AttrPrototyped) || t.language().IsCPlusPlus()
	switch {
	case variadic && (len(params) > 0 || prototyped):
		words = append(words, "...")
	case len(params) == 0 && prototyped && !variadic:
		words = []string{"void"}
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// rust names a type of Rust; rustc names most of them itself.
func (t *Type) rust(name string, in nesting) string {
	switch {
	case t.Kind == Array:
		elem := t.Elem().declare("", in.next())
		for _, dim := range t.Dims() {
			n := "_"
			if dim.Known {
				n = strconv.Itoa(int(dim.Count))
			}
			elem = "[" + elem + "; " + n + "]"
		}
		return elem
	case name != "" && (t.IsRecord() || t.Kind == Enum || t.Kind == Typedef):
		return t.Entry.QualifiedName()
	case name != "":
		return name
	case t.Kind == Pointer:
		return "*mut " + t.Elem().declare("", in.next())
	case t.Kind == Function:
		return t.rustFunction(in)
	}
	return t.simple()
}

func (t *Type) rustFunction(in nesting) string {
	list := t.paramList(in)
	if list == "(void)" {
		list = "()"
	}
	if !t.HasElem() {
		return "fn" + list
	}
	return "fn" + list + " -> " + t.Elem().declare("", in.next())
}
