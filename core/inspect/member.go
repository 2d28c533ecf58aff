package inspect

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"strings"

	"pushmask/elfsym/expr"
	"pushmask/elfsym/types"
)

// layout returns the members of a record that underlying returned; without any
// where it is none.
func (t *Type) layout() (*types.Layout, error) {
	if t.dwarf == nil || !t.isRecord() {
		return &types.Layout{}, fmt.Errorf("%s has no members", t.Name())
	}
	return t.dwarf.Layout()
}

// maxMembersDepth bounds the nesting of base classes and anonymous members that
// a name is looked up in.
const maxMembersDepth = 32

// maxSearch bounds the members that one name is compared with: anonymous members
// of damaged DWARF may contain each other.
const maxSearch = 1 << 16

// Member returns a member of a record by its name, those of anonymous members
// and base classes too; "Base::x" is the x of a base class. Of a Rust
// enumeration the members of the variant that is there are members.
func (v *Value) Member(name string) (*Value, error) {
	v = v.referred()
	if v.err != nil {
		return nil, v.err
	}
	t := v.Type.underlying()
	if !t.isRecord() {
		return nil, fmt.Errorf("a value of type %s has no members", v.Type.Name())
	}
	if outer, last, ok := cutLast(name); ok {
		if b := v.baseNamed(outer); b != nil {
			v, name = b, last
		}
	}
	s := memberSearch{name: name, budget: maxSearch}
	if found := s.find(v, 0); found != nil {
		return found, nil
	}
	if _, err := t.layout(); err != nil {
		return nil, fmt.Errorf("no member %q is known: %w", name, errIncomplete)
	}
	return nil, fmt.Errorf("%s has no member %q", v.Type.Name(), name)
}

// baseNamed returns the part of an object that is a base class, nil for none.
func (v *Value) baseNamed(name string) *Value {
	l, _ := v.Type.underlying().layout()
	for i := range l.Members {
		if m := &l.Members[i]; m.Base && (m.Type.Name() == name || strings.HasSuffix(m.Type.Name(), "::"+name)) {
			return v.member(m)
		}
	}
	return nil
}

// memberSearch looks for a member by its name.
type memberSearch struct {
	name   string
	budget int
}

// find returns the member of v, nil for none: own ones before those of base
// classes.
func (s *memberSearch) find(v *Value, depth int) *Value {
	l, _ := v.Type.underlying().layout()
	if depth > maxMembersDepth {
		return nil
	}
	for _, inherited := range []bool{false, true} {
		for i := range l.Members {
			m := &l.Members[i]
			if s.budget--; s.budget < 0 {
				return nil
			}
			switch {
			case !inherited && m.Name == s.name && !m.Base:
				return v.member(m)
			case m.Base == inherited && m.Name == "":
				if found := s.find(v.member(m), depth+1); found != nil {
					return found
				}
			}
		}
		for i := range l.Statics {
			if l.Statics[i].Name == s.name { // it hides those of base classes
				return v.ctx.static(v.Type.underlying(), &l.Statics[i])
			}
		}
	}
	return s.variant(v, l, depth)
}

// variant looks for a member of the variants that are there.
func (s *memberSearch) variant(v *Value, l *types.Layout, depth int) *Value {
	for i := range l.Variants {
		if d := l.Variants[i].Discriminant; d != nil && d.Name != "" && d.Name == s.name {
			return v.member(d)
		}
		active, err := v.active(&l.Variants[i])
		if err != nil || active == nil {
			continue
		}
		for j := range active.Members {
			if m := &active.Members[j]; m.Name == s.name {
				return v.member(m)
			}
		}
		for j := range active.Members {
			if found := s.find(v.member(&active.Members[j]), depth+1); found != nil && s.budget > 0 {
				return found
			}
		}
	}
	return nil
}

// member returns a member of v.
func (v *Value) member(m *types.Member) *Value {
	t := wrap(m.Type)
	if m.Expr != nil {
		return v.computedMember(t, m)
	}
	p := v.part(t, m.Offset).settled()
	if m.BitSize > 0 {
		p.bitOffset, p.bitSize = m.BitOffset, m.BitSize
		if p.known != nil || p.err != nil {
			p = v.fieldPart(t, m)
		}
	}
	return p
}

// fieldPart is a bit field of an object of which not all bits are there.
func (v *Value) fieldPart(t *Type, m *types.Member) *Value {
	p := &Value{Type: t, ctx: v.ctx, err: v.err, raw: v.raw, bitOffset: m.BitOffset, bitSize: m.BitSize}
	if v.err == nil && m.Offset <= uint32(len(v.data)) {
		p.data, p.place = v.data[m.Offset:], v.place
		if v.known != nil {
			p.known = v.known[m.Offset:]
		}
	} else if v.err == nil {
		p.err = expr.ErrOptimizedOut
	}
	return p
}

// computedMember is a member whose place an expression computes: a virtual base.
func (v *Value) computedMember(t *Type, m *types.Member) *Value {
	if v.err != nil || !v.inMemory {
		return v.ctx.failed(t, errors.Join(v.err, errNoPlace))
	}
	e := v.ctx.decls.Expr(m.Expr, m.Entry, uint32(v.ctx.frame.Lookup))
	where, err := expr.LocateMember(e, v.ctx.machine, v.addr)
	if err != nil {
		return v.ctx.failed(t, v.ctx.machine.explain(err))
	}
	return v.ctx.at(t, where)
}

// active returns the variant that is there, nil for none.
func (v *Value) active(p *types.VariantPart) (*types.Variant, error) {
	if p.Discriminant == nil {
		return p.Select(0), nil
	}
	n, err := v.member(p.Discriminant).bits()
	if err != nil {
		return nil, err
	}
	return p.Select(n), nil
}

// static is the value of a static member.
func (c *context) static(of *Type, m *types.Static) *Value {
	t := wrap(m.Type)
	name := m.Name
	if owner := of.qualifiedName(); owner != "" {
		name = owner + "::" + m.Name
	}
	for _, found := range c.decls.Globals(name) {
		return c.variable(found)
	}
	if n, ok := m.Entry.Int(dwarf.AttrConstValue); ok {
		size, _ := t.Size()
		return c.computed(t, littleBytes(uint64(n), min(size, 8)))
	}
	return c.failed(t, expr.ErrOptimizedOut)
}

// staticMember returns a static member by name, nil for none.
func (c *context) staticMember(t *Type, name string) *Value {
	l, _ := t.layout()
	for i := range l.Statics {
		if l.Statics[i].Name == name {
			return c.static(t, &l.Statics[i])
		}
	}
	return nil
}

// qualifiedName is the name of a type of the program without "struct".
func (t *Type) qualifiedName() string {
	if t.dwarf == nil {
		return t.name
	}
	return t.dwarf.Entry.QualifiedName()
}
