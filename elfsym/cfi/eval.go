package cfi

import (
	"errors"
	"fmt"

	"pushmask/internal/cursor"
)

// State is the frame that an expression looks at: its registers and memory.
type State interface {
	// Reg returns a register's value in the frame, false when it is unknown.
	Reg(r Register) (uint32, bool)
	// Read returns the little-endian word at addr.
	Read(addr uint32) (uint32, error)
}

// ErrUnknownRegister tells that an expression needs a register whose value is
// not known in the frame.
var ErrUnknownRegister = errors.New("value of register is unknown")

// maxStack bounds the stack of an expression, in values.
const maxStack = 64

// DWARF operations (DWARF 5, section 7.7.1).
const (
	exprAddr         = 0x03
	exprDeref        = 0x06
	exprConst1u      = 0x08
	exprConst1s      = 0x09
	exprConst2u      = 0x0a
	exprConst2s      = 0x0b
	exprConst4u      = 0x0c
	exprConst4s      = 0x0d
	exprConstu       = 0x10
	exprConsts       = 0x11
	exprDup          = 0x12
	exprDrop         = 0x13
	exprOver         = 0x14
	exprSwap         = 0x16
	exprAnd          = 0x1a
	exprMinus        = 0x1c
	exprMul          = 0x1e
	exprNeg          = 0x1f
	exprNot          = 0x20
	exprOr           = 0x21
	exprPlus         = 0x22
	exprPlusUconst   = 0x23
	exprShl          = 0x24
	exprShr          = 0x25
	exprXor          = 0x27
	exprLit0         = 0x30
	exprLit31        = 0x4f
	exprBreg0        = 0x70
	exprBreg31       = 0x8f
	exprBregx        = 0x92
	exprNop          = 0x96
	exprCallFrameCFA = 0x9c
)

// binaryOps take the second value of the stack and the top.
var binaryOps = map[uint8]func(a, b uint32) uint32{
	exprAnd:   func(a, b uint32) uint32 { return a & b },
	exprMinus: func(a, b uint32) uint32 { return a - b },
	exprMul:   func(a, b uint32) uint32 { return a * b },
	exprOr:    func(a, b uint32) uint32 { return a | b },
	exprPlus:  func(a, b uint32) uint32 { return a + b },
	exprShl:   func(a, b uint32) uint32 { return a << b },
	exprShr:   func(a, b uint32) uint32 { return a >> b },
	exprXor:   func(a, b uint32) uint32 { return a ^ b },
}

// Eval runs an expression of a rule and returns the top of the stack at its
// end. For rules of registers pass the CFA, which lies on the stack at the
// start (DWARF 5, section 6.4.2.3); for a CFA pass nothing. There are no
// loops: operations that branch, and those that frame rules have no use for,
// are refused, so that the time is proportional to the expression's length.
func Eval(expr []byte, s State, cfa ...uint32) (uint32, error) {
	e := evaluator{c: cursor.New("expression", expr), state: s, cfa: cfa, stack: append([]uint32(nil), cfa...)}
	for e.c.Len() > 0 {
		e.step()
		if e.err != nil {
			return 0, fmt.Errorf("evaluate frame expression: %w", e.err)
		}
	}
	v := e.pop()
	if err := e.c.Err(); err != nil {
		return 0, fmt.Errorf("evaluate frame expression: %w", err)
	}
	return v, nil
}

// evaluator is the stack machine of DWARF expressions (DWARF 5, section 2.5).
type evaluator struct {
	c     *cursor.Cursor
	state State
	cfa   []uint32
	stack []uint32
	err   error // of state
}

func (e *evaluator) push(v uint32) {
	if len(e.stack) >= maxStack {
		e.c.Fail("too many values on the stack")
		return
	}
	e.stack = append(e.stack, v)
}

func (e *evaluator) pop() uint32 {
	n := len(e.stack)
	if n == 0 {
		e.c.Fail("the stack is empty")
		return 0
	}
	v := e.stack[n-1]
	e.stack = e.stack[:n-1]
	return v
}

func (e *evaluator) step() {
	op := e.c.U8()
	switch {
	case op >= exprLit0 && op <= exprLit31:
		e.push(uint32(op - exprLit0))
	case op >= exprBreg0 && op <= exprBreg31:
		e.register(Register(op - exprBreg0))
	case op == exprBregx:
		e.register(readRegister(e.c))
	case binaryOps[op] != nil:
		b, a := e.pop(), e.pop()
		e.push(binaryOps[op](a, b))
	case op == exprDeref:
		e.read(e.pop())
	case op == exprCallFrameCFA && len(e.cfa) > 0:
		e.push(e.cfa[0])
	case op == exprNop:
	default:
		if !e.constant(op) && !e.unary(op) {
			e.c.Fail(fmt.Sprintf("operation %#02x is not for frame rules", op))
		}
	}
}

// constant executes the operations that push their operand.
func (e *evaluator) constant(op uint8) bool {
	switch op {
	case exprAddr, exprConst4u, exprConst4s:
		e.push(e.c.U32())
	case exprConst1u:
		e.push(uint32(e.c.U8()))
	case exprConst1s:
		e.push(uint32(int8(e.c.U8())))
	case exprConst2u:
		e.push(uint32(e.c.U16()))
	case exprConst2s:
		e.push(uint32(int16(e.c.U16())))
	case exprConstu:
		e.push(uint32(e.c.ULEB()))
	case exprConsts:
		e.push(uint32(e.c.SLEB()))
	default:
		return false
	}
	return true
}

// unary executes the operations on the top of the stack.
func (e *evaluator) unary(op uint8) bool {
	switch op {
	case exprDup:
		v := e.pop()
		e.push(v)
		e.push(v)
	case exprDrop:
		e.pop()
	case exprOver:
		b, a := e.pop(), e.pop()
		e.push(a)
		e.push(b)
		e.push(a)
	case exprSwap:
		b, a := e.pop(), e.pop()
		e.push(b)
		e.push(a)
	case exprNeg:
		e.push(-e.pop())
	case exprNot:
		e.push(^e.pop())
	case exprPlusUconst:
		e.push(e.pop() + uint32(e.c.ULEB()))
	default:
		return false
	}
	return true
}

func (e *evaluator) register(r Register) {
	offset := e.c.SLEB()
	v, ok := e.state.Reg(r)
	if !ok {
		if e.err == nil && e.c.Err() == nil {
			e.err = fmt.Errorf("%v: %w", r, ErrUnknownRegister)
		}
		return
	}
	e.push(v + uint32(offset))
}

func (e *evaluator) read(addr uint32) {
	if e.c.Err() != nil {
		return
	}
	v, err := e.state.Read(addr)
	if err != nil {
		e.err = err
		return
	}
	e.push(v)
}
