package expr

import "fmt"

// step executes one operation. After an operation that says where the object
// is, only pieces may follow.
func (m *machine) step() {
	op := m.c.U8()
	if s, ok := standard[op]; ok {
		op = s
	}
	if m.place != nil && op != opPiece && op != opBitPiece && op != opNop && op != opGNUUninit {
		m.malformed("operation %#02x after the place of the object", op)
		return
	}
	switch {
	case op >= opLit0 && op <= opLit31:
		m.push(constant(uint64(op - opLit0)))
	case op >= opReg0 && op <= opReg31:
		m.place = &Piece{Kind: Register, Register: uint32(op - opReg0)}
	case op >= opBreg0 && op <= opBreg31:
		m.registerPlus(uint32(op-opBreg0), m.c.SLEB())
	case op == opNop || op == opGNUUninit:
	case m.constant(op) || m.stackOp(op) || m.arithmetic(op) || m.placeOp(op) || m.typed(op) || m.reference(op):
	default:
		m.fail(fmt.Errorf("%w: %#02x", ErrUnsupported, op))
	}
}

// constant executes the operations that push an operand.
func (m *machine) constant(op uint8) bool {
	switch op {
	case opAddr:
		m.push(generic(uint64(m.c.U32() + m.bias())))
	case opConst1u:
		m.push(constant(uint64(m.c.U8())))
	case opConst1s:
		m.push(constant(uint64(int8(m.c.U8()))))
	case opConst2u:
		m.push(constant(uint64(m.c.U16())))
	case opConst2s:
		m.push(constant(uint64(int16(m.c.U16()))))
	case opConst4u:
		m.push(constant(uint64(m.c.U32())))
	case opConst4s:
		m.push(constant(uint64(int32(m.c.U32()))))
	case opConst8u, opConst8s:
		m.push(constant(m.c.U64()))
	case opConstu:
		m.push(constant(m.c.ULEB()))
	case opConsts:
		m.push(constant(uint64(m.c.SLEB())))
	case opAddrx:
		m.addressx(m.bias())
	case opConstx:
		m.addressx(0)
	default:
		return false
	}
	return true
}

func (m *machine) bias() uint32 {
	if m.expr.Context == nil {
		return 0
	}
	return m.expr.Context.Bias()
}

func (m *machine) addressx(bias uint32) {
	index := m.c.ULEB()
	ctx, ok := m.context()
	if !ok {
		return
	}
	a, ok := ctx.Address(index)
	if !ok {
		m.fail(fmt.Errorf("%w: address %d of .debug_addr", ErrNoContext, index))
		return
	}
	m.push(generic(uint64(a + bias)))
}

// stackOp executes the operations that move values of the stack, and branches.
func (m *machine) stackOp(op uint8) bool {
	switch op {
	case opDup:
		m.pick(0)
	case opOver:
		m.pick(1)
	case opPick:
		m.pick(int(m.c.U8()))
	case opDrop:
		m.pop()
	case opSwap:
		b, a := m.pop(), m.pop()
		m.push(b)
		m.push(a)
	case opRot:
		c, b, a := m.pop(), m.pop(), m.pop()
		m.push(c)
		m.push(a)
		m.push(b)
	case opSkip:
		m.branch(int16(m.c.U16()))
	case opBra:
		to := int16(m.c.U16())
		if m.pop().bits != 0 {
			m.branch(to)
		}
	default:
		return false
	}
	return true
}

func (m *machine) pick(n int) {
	if n >= len(m.stack) {
		m.malformed("value %d of a stack of %d", n, len(m.stack))
		return
	}
	m.push(m.stack[len(m.stack)-1-n])
}

func (m *machine) branch(by int16) { m.c.Seek(m.c.Off() + int(by)) }

// arithmetic executes the operations that replace values by their result.
func (m *machine) arithmetic(op uint8) bool {
	switch op {
	case opAbs, opNeg, opNot:
		m.result(unary(op, m.pop()))
	case opPlusUconst:
		v := m.pop()
		m.result(binary(opPlus, v, v.typ.of(m.c.ULEB())))
	case opAnd, opDiv, opMinus, opMod, opMul, opOr, opPlus, opShl, opShr, opShra, opXor,
		opEq, opGe, opGt, opLe, opLt, opNe:
		b, a := m.pop(), m.pop()
		m.result(binary(op, a, b))
	default:
		return false
	}
	return true
}

func (m *machine) result(v value, err error) {
	if err != nil {
		m.fail(err)
		return
	}
	m.push(v)
}

// registerPlus pushes the value of a register and an offset.
func (m *machine) registerPlus(n uint32, offset int64) {
	if v, ok := m.register(n); ok {
		m.push(generic(v + uint64(offset)))
	}
}

func (m *machine) register(n uint32) (uint64, bool) {
	if m.c.Err() != nil {
		return 0, false
	}
	v, ok := m.frame.Register(n)
	if !ok {
		m.fail(unknownRegister(n))
	}
	return v, ok
}

// registerOperand reads the number of a register.
func (m *machine) registerOperand() uint32 { return uint32(min(m.c.ULEB(), 1<<32-1)) }

// memory pushes size bytes of memory as a value of type t.
func (m *machine) memory(addr value, size uint8, t BaseType) {
	if size == 0 || size > t.size() {
		m.malformed("%d bytes of memory for a value of %d", size, t.size())
		return
	}
	var b [8]byte
	if m.c.Err() != nil || m.err != nil {
		return
	}
	if err := m.frame.Read(uint32(addr.bits), b[:size]); err != nil {
		m.fail(err)
		return
	}
	m.push(t.of(little(b[:size])))
}
