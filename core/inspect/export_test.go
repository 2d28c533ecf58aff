package inspect

import (
	"errors"
	"strconv"

	"pushmask/core"
	"pushmask/elfsym/types"
)

// Leaf is a scalar of a value, for comparison with another debugger.
type Leaf struct{ Path, Type, Value string }

// Limits of a comparison; testdata/values.py has the same.
const (
	leafDepth    = 6
	leafElements = 12
	leafLimit    = 400
)

// Leaves returns the scalars of a value.
func Leaves(v *Value) []Leaf {
	var out []Leaf
	leaves(v, "", 0, &out)
	return out
}

func leaves(v *Value, path string, depth int, out *[]Leaf) {
	if depth > leafDepth || len(*out) >= leafLimit {
		return
	}
	add := func(value string) { *out = append(*out, Leaf{path, v.Type.Name(), value}) }
	t := v.Type.underlying()
	switch {
	case t.isRecord():
		l, _ := t.layout()
		for i := range l.Members {
			m := &l.Members[i]
			name := m.Name
			if m.Base {
				name = "<" + m.Type.Name() + ">"
			}
			leaves(v.member(m), path+"."+name, depth+1, out)
		}
		for i := range l.Variants {
			active, err := v.active(&l.Variants[i])
			if err != nil {
				add(leafError(err))
			} else if active != nil {
				for j := range active.Members {
					m := &active.Members[j]
					leaves(v.member(m), path+"."+m.Name, depth+1, out)
				}
			}
		}
	case t.kind == types.Array:
		n, _ := t.count()
		for i := range min(n, leafElements) {
			if e, ok := v.element(i); ok {
				leaves(e, path+"["+strconv.FormatInt(int64(i)+t.dims[0].Lower, 10)+"]", depth+1, out)
			}
		}
	case v.err != nil:
		add(leafError(v.err))
	case t.isComplex():
		re, im := v.complexParts()
		leaves(re, path+".real", depth+1, out)
		leaves(im, path+".imag", depth+1, out)
	case t.isFixed() || t.isMethodPointer() || t.isWide():
		add(v.Text())
	case t.kind == types.Function:
		add("<kind> 7")
	case v.pointer != nil:
		add("<synthetic pointer>")
	default:
		add(leafValue(v, t))
	}
}

// leafValue is the text of a number.
func leafValue(v *Value, t *Type) string {
	n, err := v.bits()
	if err != nil {
		return leafError(err)
	}
	switch {
	case t.isFloat():
		f, err := decodeFloat(n, t.floatFormat())
		if err != nil {
			return leafError(err)
		}
		return strconv.FormatFloat(f, 'g', -1, 64)
	case t.kind == types.MemberPointer:
		return strconv.FormatInt(int64(int32(n)), 10)
	case t.isSigned():
		return strconv.FormatInt(int64(v.extended(n, t)), 10)
	}
	return strconv.FormatUint(v.extended(n, t), 10)
}

func leafError(err error) string {
	if lost, ok := errors.AsType[*RegisterError](err); ok {
		return "<lost " + lost.Register + ">"
	}
	if errors.Is(err, core.ErrNoMemory) {
		return "<memory>"
	}
	return "<" + reason(err, nil) + ">"
}

// ExpandMacros replaces the macros in an expression.
func (p *Program) ExpandMacros(f *Frame, text string) string {
	return expand(p.context(f).macroScope(), text, true).text
}
