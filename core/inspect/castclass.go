package inspect

import (
	"errors"
	"fmt"
	"strings"

	"pushmask/elfsym"
)

// castObject converts the address of an object of class from to that of its part
// of class to, or to that of the object of class to which it is a part of. Classes
// that are not related share the address, as in a cast of C.
func (c *context) castObject(addr uint32, from, to *Type) (uint32, error) {
	if part, ok := c.memory(from, addr).base(to, 0); ok {
		return part.addr, part.err
	}
	offset, virtual, ok := to.offsetOf(from, 0)
	switch {
	case !ok:
		return addr, nil
	case !virtual:
		return addr - offset, nil
	}
	part, err := c.partOfWhole(addr, to)
	if err == nil && part == nil {
		err = fmt.Errorf("%s is a virtual base class of %s, and the object is no %[2]s", from.Name(), to.Name())
	}
	if err != nil {
		return 0, err
	}
	return part.addr, part.err
}

// offsetOf returns where objects of t have their part of a base class, and whether
// that depends on the object: the base, or one around it, is virtual.
func (t *Type) offsetOf(base *Type, depth int) (offset uint32, virtual, ok bool) {
	if depth > maxMembersDepth {
		return 0, false, false
	}
	l, _ := t.layout()
	for i := range l.Members {
		m := &l.Members[i]
		if !m.Base {
			continue
		}
		part := wrap(m.Type).underlying()
		within, outer := uint32(0), false
		if part.Name() != base.Name() {
			if within, outer, ok = part.offsetOf(base, depth+1); !ok {
				continue
			}
		}
		return m.Offset + within, outer || m.Virtual || m.Expr != nil, true
	}
	return 0, false, false
}

// castDynamic converts the address of an object as dynamic_cast does: what the
// object is part of counts. It is 0 where that has no part of class to.
func (c *context) castDynamic(addr uint32, from, to *Type) (uint32, error) {
	if part, ok := c.memory(from, addr).base(to, 0); ok || from.Name() == to.Name() {
		if !ok {
			return addr, nil
		}
		return part.addr, part.err
	}
	part, err := c.partOfWhole(addr, to)
	if err != nil || part == nil {
		return 0, err
	}
	return part.addr, part.err
}

// partOfWhole returns the part of class t of the object that a polymorphic one is
// part of, nil where there is none.
func (c *context) partOfWhole(addr uint32, t *Type) (*Value, error) {
	whole, err := c.wholeObject(addr)
	if err != nil || whole.Type.underlying().Name() == t.Name() {
		return whole, err
	}
	part, _ := whole.base(t, 0)
	return part, nil
}

// wholeObject returns the object that a polymorphic one is part of: its first word
// points into a table of virtual functions, two words before it is the distance to
// the whole object (Itanium C++ ABI 2.5.2), and the symbol says of which class.
func (c *context) wholeObject(addr uint32) (*Value, error) {
	table, err := c.word(addr)
	if err != nil {
		return nil, err
	}
	symbol, _ := c.program.images.SymbolAt(table)
	name, ok := strings.CutPrefix(elfsym.Demangle(symbol.Name), "vtable for ")
	if !ok {
		return nil, errNoClass
	}
	t := c.findType(name, "")
	if t == nil || !t.underlying().isRecord() {
		return nil, errNoClass
	}
	top, err := c.word(table - 2*pointerSize)
	return c.memory(t, addr+top), err
}

// errNoClass is the reason why an object's other parts are not found.
var errNoClass = errors.New("which class the object is of is not known")

// castReference converts x to a reference to t: the object stays where it is, or
// is a part of where it was.
func (c *context) castReference(x *Value, t *Type) (*Value, error) {
	x = x.referred()
	if x.err != nil {
		return nil, x.err
	}
	from, to := x.Type.underlying(), t.underlying()
	if !x.inMemory || !from.isRecord() || !to.isRecord() {
		return x.reinterpret(t)
	}
	addr, err := c.castObject(x.addr, from, to)
	if err != nil {
		return nil, err
	}
	return x.part(t, addr-x.addr), nil
}

// dynamicCast evaluates dynamic_cast of a pointer or a reference.
func (c *context) dynamicCast(x *Value, t *Type) (*Value, error) {
	to := t.underlying()
	pointer := to.isPointer()
	if pointer {
		var err error
		if x, err = c.dereference(x); err != nil {
			return nil, err
		}
	}
	x = x.referred()
	from := x.Type.underlying()
	to = to.Elem()
	switch {
	case x.err != nil:
		return nil, x.err
	case !x.inMemory || !from.isRecord() || !to.underlying().isRecord():
		return nil, errors.New("dynamic_cast takes objects of classes")
	case pointer && x.addr == 0:
		return c.pointer(to, 0), nil
	}
	addr, err := c.castDynamic(x.addr, from, to.underlying())
	switch {
	case err != nil:
		return nil, err
	case pointer:
		return c.pointer(to, addr), nil
	case addr == 0:
		return nil, fmt.Errorf("the object has no part of class %s", to.Name())
	}
	return x.part(to, addr-x.addr), nil
}
