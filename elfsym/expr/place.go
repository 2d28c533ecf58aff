package expr

// placeOp executes the operations that read the machine or say where the
// object is.
func (m *machine) placeOp(op uint8) bool {
	switch op {
	case opRegx:
		m.place = &Piece{Kind: Register, Register: m.registerOperand()}
	case opBregx:
		n := m.registerOperand()
		m.registerPlus(n, m.c.SLEB())
	case opFbreg:
		m.frameBasePlus(m.c.SLEB())
	case opCallFrameCFA:
		m.cfa()
	case opDeref:
		m.memory(m.pop(), addrSize, BaseType{})
	case opDerefSize:
		size := m.c.U8()
		m.memory(m.pop(), size, BaseType{})
	case opPushObjectAddress:
		if !m.hasObject {
			m.fail(ErrNoContext)
			return true
		}
		m.push(generic(uint64(m.object)))
	case opImplicitValue:
		m.place = &Piece{Kind: Value, Data: m.c.Bytes(int(min(m.c.ULEB(), 1<<31-1)))}
	case opStackValue:
		v := m.pop()
		m.place = &Piece{Kind: Value, Data: v.bytes()}
	case opImplicitPointer:
		m.implicitPointer()
	case opPiece:
		m.piece(8*min(m.c.ULEB(), 1<<32), 0)
	case opBitPiece:
		size := min(m.c.ULEB(), 1<<35)
		m.piece(size, min(m.c.ULEB(), 1<<35))
	default:
		return false
	}
	return true
}

// bytes returns v in the order of memory, in 8 bytes where it is a constant.
func (v value) bytes() []byte {
	n, bits := int(v.typ.size()), v.bits
	if v.constant {
		n, bits = 8, v.wide
	}
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(bits >> (8 * i))
	}
	return out
}

// implicitPointer reads DW_OP_implicit_pointer: an offset in .debug_info and
// one within what it points to.
func (m *machine) implicitPointer() {
	target := m.sectionOffset()
	m.place = &Piece{Kind: ImplicitPointer, Target: target, Offset: m.c.SLEB()}
}

// sectionOffset reads an offset of .debug_info.
func (m *machine) sectionOffset() uint64 {
	if m.expr.Wide {
		return m.c.U64()
	}
	return uint64(m.c.U32())
}

// piece ends a part of the object that is size bits long.
func (m *machine) piece(size, offset uint64) {
	p := Piece{Kind: OptimizedOut}
	switch {
	case m.place != nil:
		p, m.place = *m.place, nil
	case len(m.stack) > 0:
		p = Piece{Kind: Memory, Addr: uint32(m.pop().bits)}
	}
	p.BitSize, p.BitOffset = size, offset
	if len(m.pieces) >= maxPieces {
		m.malformed("more than %d pieces", maxPieces)
		return
	}
	m.pieces = append(m.pieces, p)
}

func (m *machine) cfa() {
	v, ok := m.frame.CFA()
	if !ok {
		m.fail(ErrNoCFA)
		return
	}
	m.push(generic(uint64(v)))
}

// frameBasePlus pushes the value of DW_AT_frame_base and an offset.
func (m *machine) frameBasePlus(offset int64) {
	ctx, ok := m.context()
	if !ok {
		return
	}
	base, ok := ctx.FrameBase()
	if !ok {
		m.fail(ErrNoContext)
		return
	}
	if v, ok := m.nested(base); ok {
		m.push(generic(v + uint64(offset)))
	}
}

// nested evaluates another expression to a number or an address.
func (m *machine) nested(e Expr) (uint64, bool) {
	if m.calls >= maxCalls {
		m.malformed("expressions need each other in a circle")
		return 0, false
	}
	inner := &machine{expr: e, frame: m.frame, steps: m.steps, calls: m.calls + 1}
	if err := inner.run(e.Code); err != nil {
		m.fail(err)
		return 0, false
	}
	v, err := inner.number()
	if err != nil {
		m.fail(err)
		return 0, false
	}
	return v, true
}
