package inspect

import (
	"fmt"

	"pushmask/elfsym/types"
)

// isMethodPointer reports whether t points to a member function.
func (t *Type) isMethodPointer() bool {
	return t.kind == types.MemberPointer && t.Elem().underlying().kind == types.Function
}

// class is what a member pointer is to a member of.
func (t *Type) class() *Type { return wrap(t.dwarf.Containing()).underlying() }

// noMember is the null pointer to a data member (Itanium C++ ABI 2.3.1).
const noMember = 1<<32 - 1

// memberPointerText writes a pointer to a data member, which is an offset.
func memberPointerText(t *Type, offset uint32) string {
	if offset == noMember {
		return "nullptr"
	}
	if name, ok := memberAt(t.class(), offset, t.Elem().underlying().Name(), 0); ok {
		return "&" + name
	}
	return fmt.Sprintf("offset %d", offset)
}

// memberAt returns the qualified name of the member of a type at an offset in a class,
// those of base classes too.
func memberAt(class *Type, offset uint32, typ string, depth int) (string, bool) {
	l, _ := class.layout()
	if depth > maxMembersDepth {
		return "", false
	}
	for i := range l.Members {
		m := &l.Members[i]
		switch {
		case m.Expr != nil || m.BitSize != 0 || offset < m.Offset:
		case m.Base:
			if name, ok := memberAt(wrap(m.Type).underlying(), offset-m.Offset, typ, depth+1); ok {
				return name, true
			}
		case offset == m.Offset && m.Name != "" && wrap(m.Type).underlying().Name() == typ:
			return class.qualifiedName() + "::" + m.Name, true
		}
	}
	return "", false
}

// method writes a pointer to a member function: the function, or the number of a
// virtual one times 4, and then how far "this" is moved times 2, with 1 added
// for virtual functions (C++ ABI for the Arm Architecture, 3.2.1: bit 0 of
// addresses is taken by Thumb).
func (w *writer) method(v *Value, t *Type) {
	b, err := v.whole()
	if err == nil && len(b) < 2*pointerSize {
		err = errIncomplete
	}
	if err != nil {
		w.missing(v, err)
		return
	}
	function, adjust := uint32(little(b[:pointerSize])), int32(little(b[pointerSize:2*pointerSize]))
	moved := adjust >> 1
	switch isVirtual := adjust&1 != 0; {
	case isVirtual && function%pointerSize == 0:
		name, ok := t.class().baseAt(moved, 0).virtualName(function / pointerSize)
		if !ok {
			name = fmt.Sprintf("table offset %d", function)
		}
		w.WriteString("&virtual " + name)
	case !isVirtual && function == 0:
		w.WriteString("nullptr")
		return
	default:
		w.WriteString(addressText(function) + v.ctx.program.name(function))
	}
	if moved != 0 {
		fmt.Fprintf(w, ", this adjustment %d", moved)
	}
}

// baseAt returns the base class that lies at an offset in a class, the class itself
// for none.
func (t *Type) baseAt(offset int32, depth int) *Type {
	l, _ := t.layout()
	if offset <= 0 || depth > maxMembersDepth {
		return t
	}
	for i := range l.Members {
		m := &l.Members[i]
		base := wrap(m.Type).underlying()
		size, _ := base.Size()
		if at := int64(offset) - int64(m.Offset); m.Base && m.Expr == nil && at >= 0 && (at == 0 || at < int64(size)) {
			return base.baseAt(int32(at), depth+1)
		}
	}
	return t
}

// virtualName returns the qualified name of the nth virtual function of a class.
func (t *Type) virtualName(n uint32) (string, bool) {
	if t.dwarf == nil {
		return "", false
	}
	return t.dwarf.VirtualFunction(n)
}
