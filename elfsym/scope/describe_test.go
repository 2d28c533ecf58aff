package scope_test

import (
	"debug/dwarf"
	"fmt"
	"sort"
	"strings"

	"pushmask/elfsym/die"
	"pushmask/elfsym/scope"
	"pushmask/elfsym/types"
)

// describer writes what testdata/describe.py writes, from DWARF.
type describer struct {
	program *scope.Program
	lines   []string
	types   map[string][]string // by name
	units   map[*die.Unit]bool
}

func describe(p *scope.Program, pcs []uint32) []string {
	d := &describer{program: p, types: make(map[string][]string), units: make(map[*die.Unit]bool)}
	for _, pc := range pcs {
		d.locals(pc)
	}
	for u := range d.units {
		d.globals(u)
	}
	var tags []string
	for tag := range d.types {
		tags = append(tags, tag)
	}
	sort.Strings(tags)
	for _, tag := range tags {
		for _, line := range d.types[tag] {
			d.lines = append(d.lines, "type "+tag+" | "+line)
		}
	}
	return d.lines
}

func (d *describer) locals(pc uint32) {
	scopes := d.program.At(pc)
	if len(scopes) > 0 {
		d.units[scopes[0].Entry.Unit] = true
	}
	var vars []*scope.Variable
	for _, s := range scopes {
		vars = append(vars, s.Variables...)
		if s.Kind == scope.Block {
			continue
		}
		name, _, _ := strings.Cut(s.Name, "(")
		for _, v := range vars {
			if v.Name == "" {
				continue
			}
			d.addType(v.Type, 0)
			word := "var"
			if v.Parameter {
				word = "arg"
			}
			gone := ""
			if !v.Entry.Inherited(dwarf.AttrLocation).Exists() && !v.Entry.Inherited(dwarf.AttrConstValue).Exists() {
				gone = " gone"
			}
			d.lines = append(d.lines, fmt.Sprintf("%#x %s %s %s : %s [%s] line %d%s",
				pc, name, word, v.QualifiedName(), typeName(v.Type), size(v.Type), v.Declared.Line, gone))
		}
		vars = nil
		if s.Kind == scope.Function && name != "" {
			d.lines = append(d.lines, fmt.Sprintf("%#x in %s", pc, name))
		}
	}
}

func (d *describer) globals(u *die.Unit) {
	for _, v := range d.program.UnitVariables(u) {
		d.addType(v.Type, 0)
		address := "-"
		if a, ok := v.StaticAddress(); ok {
			address = fmt.Sprintf("%#x", a)
		}
		d.lines = append(d.lines, fmt.Sprintf("global %s : %s [%s] %s", v.QualifiedName(), typeName(v.Type), size(v.Type), address))
	}
}

func size(t *types.Type) string {
	n, ok := t.Size()
	if !ok {
		if dims := t.Underlying().Dims(); len(dims) > 0 && !dims[0].Known && dims[0].Bound == nil {
			return "0"
		}
		return "-"
	}
	return fmt.Sprint(n)
}

func (d *describer) addType(t *types.Type, depth int) {
	t = t.Underlying()
	if depth > 40 {
		return
	}
	switch t.Kind {
	case types.Pointer, types.Reference, types.RvalueReference, types.Array:
		d.addType(t.Elem(), depth+1)
		return
	case types.Struct, types.Class, types.Union, types.Enum:
	default:
		return
	}
	t = t.Definition()
	tag := t.Entry.QualifiedName()
	if tag == "" || d.types[tag] != nil || t.IsDeclaration() {
		return
	}
	d.types[tag] = []string{size(t)}
	add := func(format string, args ...any) { d.types[tag] = append(d.types[tag], fmt.Sprintf(format, args...)) }
	if len(layoutVariants(t)) > 0 {
		d.types[tag] = []string{}
		return
	}
	if t.Kind == types.Enum {
		for _, e := range t.Enumerators() {
			add("%s = %d", e.Name, e.Value)
		}
		return
	}
	l, err := t.Layout()
	if err != nil {
		add("%v", err)
	}
	for _, m := range l.Members {
		name, pos := m.Name, fmt.Sprint(uint64(m.Offset)*8+uint64(m.BitOffset))
		switch {
		case m.Base:
			name = "<base>"
		case m.Artificial:
			name = "<artificial>"
		}
		if m.Expr != nil {
			pos = "-"
		}
		add("%s %s:%d : %s", name, pos, m.BitSize, typeName(m.Type))
		d.addType(m.Type, depth+1)
	}
	for _, s := range l.Statics {
		add("static %s : %s", s.Name, typeName(s.Type))
		d.addType(s.Type, depth+1)
	}
}

// typeName is the name of a type as gdb writes it, which calls all pointers of
// Rust "*mut".
func typeName(t *types.Type) string {
	if t.Entry.Unit == nil || t.Entry.Unit.Language() != die.Rust {
		return t.Name()
	}
	switch t.Kind {
	case types.Pointer:
		if t.Elem().Kind == types.Function {
			return "*mut fn"
		}
		return "*mut " + typeName(t.Elem())
	case types.Array:
		return "[" + typeName(t.Elem()) + "; " + fmt.Sprint(t.Dims()[0].Count) + "]"
	}
	return t.Name()
}

func layoutVariants(t *types.Type) []types.VariantPart {
	l, err := t.Layout()
	if err != nil {
		return nil
	}
	return l.Variants
}
