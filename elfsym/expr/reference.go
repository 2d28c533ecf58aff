package expr

import "fmt"

// reference executes the operations that refer to other entries or to the
// caller's frame, and refuses those of other kinds of memory.
func (m *machine) reference(op uint8) bool {
	switch op {
	case opEntryValue:
		m.entryValue()
	case opCall2:
		m.call(uint64(m.c.U16()), false)
	case opCall4:
		m.call(uint64(m.c.U32()), false)
	case opCallRef:
		m.call(m.sectionOffset(), true)
	case opGNUParameterRef:
		m.parameter(uint64(m.c.U32()))
	case opGNUVariableValue:
		m.variable(m.sectionOffset())
	case opFormTLSAddress:
		m.fail(ErrThreadLocal)
	case opXderef, opXderefSize, opXderefType:
		m.fail(fmt.Errorf("%w: address spaces", ErrUnsupported))
	default:
		return false
	}
	return true
}

// entryValue pushes what an expression was at the function's entry.
func (m *machine) entryValue() {
	code := m.c.Bytes(int(min(m.c.ULEB(), 1<<31-1)))
	if m.c.Err() != nil {
		return
	}
	v, err := m.frame.EntryValue(code)
	if err != nil {
		m.fail(err)
		return
	}
	m.push(generic(v))
}

// parameter pushes the argument for a parameter (DW_OP_GNU_parameter_ref); the
// offset counts from the start of the unit.
func (m *machine) parameter(off uint64) {
	ctx, ok := m.context()
	if !ok || m.c.Err() != nil {
		return
	}
	v, err := m.frame.Parameter(ctx.UnitStart() + off)
	if err != nil {
		m.fail(err)
		return
	}
	m.push(generic(v))
}

// call executes DW_AT_location of another entry on the same stack (DWARF 5,
// 2.5.1.5). An entry without one changes nothing.
func (m *machine) call(off uint64, global bool) {
	e, ok := m.procedure(off, global)
	if !ok {
		return
	}
	if m.calls >= maxCalls {
		m.malformed("expressions call each other in a circle")
		return
	}
	m.calls++
	own := m.expr
	m.expr = e
	m.run(e.Code)
	m.expr = own
	m.calls--
}

func (m *machine) procedure(off uint64, global bool) (Expr, bool) {
	ctx, ok := m.context()
	if !ok || m.c.Err() != nil {
		return Expr{}, false
	}
	e, err := ctx.Procedure(off, global)
	if err != nil {
		m.fail(err)
		return Expr{}, false
	}
	return e, true
}

// variable pushes the value of a variable of at most the size of an address
// (DW_OP_GNU_variable_value, by gcc for the bounds of arrays; the offset is of
// .debug_info).
func (m *machine) variable(off uint64) {
	e, ok := m.procedure(off, true)
	if !ok {
		return
	}
	if m.calls >= maxCalls {
		m.malformed("variables need each other in a circle")
		return
	}
	inner := &machine{expr: e, frame: m.frame, steps: m.steps, calls: m.calls + 1}
	if err := inner.run(e.Code); err != nil {
		m.fail(err)
		return
	}
	b, err := inner.location().Read(m.frame, addrSize)
	if err != nil {
		m.fail(err)
		return
	}
	if !b.Complete() {
		m.fail(ErrOptimizedOut)
		return
	}
	m.push(generic(little(b.Data)))
}
