package expr

import "fmt"

// typed executes the operations on values of base types (DWARF 5, 2.5.1.6).
func (m *machine) typed(op uint8) bool {
	switch op {
	case opConstType:
		t, ok := m.baseType()
		b := m.c.Bytes(int(m.c.U8()))
		if ok && len(b) > 8 {
			m.fail(fmt.Errorf("%w: a constant of %d bytes", ErrUnsupported, len(b)))
			return true
		}
		m.push(t.of(little(b)))
	case opRegvalType:
		n := m.registerOperand()
		t, ok := m.baseType()
		if !ok {
			return true
		}
		if v, ok := m.registers(n, t.size()); ok {
			m.push(t.of(v))
		}
	case opDerefType:
		size := m.c.U8()
		if t, ok := m.baseType(); ok {
			m.memory(m.pop(), size, t)
		}
	case opConvert:
		if t, ok := m.targetType(); ok {
			m.push(m.pop().convert(t))
		}
	case opReinterpret:
		m.reinterpret()
	default:
		return false
	}
	return true
}

// registers is the value of size bytes in register n and, where that is smaller, in
// the next one: gcc names a D register by the number of its first S register.
func (m *machine) registers(n uint32, size uint8) (uint64, bool) {
	v, ok := m.register(n)
	own := registerSize(n)
	if !ok || int(size) <= own {
		return v, ok
	}
	high, ok := m.register(n + 1)
	return high<<(8*own) | v, ok
}

// targetType reads the type to convert to; offset 0 is the generic type.
func (m *machine) targetType() (BaseType, bool) {
	off := m.c.ULEB()
	if off == 0 {
		return BaseType{}, m.c.Err() == nil
	}
	return m.typeAt(off)
}

// reinterpret makes the bits of a value those of another type.
func (m *machine) reinterpret() {
	t, ok := m.targetType()
	if !ok {
		return
	}
	v := m.pop()
	if v.typ.size() != t.size() {
		m.malformed("%d bytes taken as %d", v.typ.size(), t.size())
		return
	}
	m.push(t.of(v.bits))
}

func (m *machine) baseType() (BaseType, bool) { return m.typeAt(m.c.ULEB()) }

func (m *machine) typeAt(off uint64) (BaseType, bool) {
	ctx, ok := m.context()
	if !ok || m.c.Err() != nil {
		return BaseType{}, false
	}
	t, ok := ctx.BaseType(off)
	switch {
	case !ok:
		m.fail(fmt.Errorf("%w: base type at %#x", ErrNoContext, off))
	case !t.usable():
		m.fail(fmt.Errorf("%w: values of %d bytes", ErrUnsupported, t.Size))
		ok = false
	}
	return t, ok
}
