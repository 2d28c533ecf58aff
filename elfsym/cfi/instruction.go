package cfi

import (
	"fmt"
	"math"
)

// step executes one instruction. Errors stick in the cursor.
func (m *machine) step() {
	m.executed++
	op := m.c.U8()
	switch operand := op & opOperand; op & opPrimary {
	case opAdvanceLoc:
		m.advance(uint32(operand))
	case opOffset:
		m.state.set(Register(operand), Rule{Kind: Offset, Offset: m.unsignedFactored()})
	case opRestore:
		m.restore(Register(operand))
	default:
		m.stepExtended(op)
	}
}

func (m *machine) stepExtended(op uint8) {
	switch op {
	case opNop:
	case opSetLoc, opAdvanceLoc1, opAdvanceLoc2, opAdvanceLoc4:
		m.moveLocation(op)
	case opRememberState:
		if len(m.remembered) >= maxRemembered {
			m.c.Fail("too many remembered states")
			return
		}
		m.remembered = append(m.remembered, m.state.share())
	case opRestoreState:
		n := len(m.remembered)
		if n == 0 {
			m.c.Fail("no state is remembered")
			return
		}
		m.state, m.remembered = m.remembered[n-1], m.remembered[:n-1]
	case opDefCFA, opDefCFASF, opDefCFARegister, opDefCFAOffset, opDefCFAOffsetSF, opDefCFAExpression:
		m.defineCFA(op)
	case opGNUArgsSize: // bytes of arguments pushed, for landing pads
		m.c.ULEB()
	default:
		m.stepRule(op)
	}
}

func (m *machine) moveLocation(op uint8) {
	switch op {
	case opSetLoc:
		to := uint64(m.cie.readPointer(m.c, m.cie.encoding) &^ 1)
		if to < m.loc {
			m.c.Fail(fmt.Sprintf("location moves back from %#08x to %#08x", m.loc, to))
			return
		}
		m.loc = to
	case opAdvanceLoc1:
		m.advance(uint32(m.c.U8()))
	case opAdvanceLoc2:
		m.advance(uint32(m.c.U16()))
	case opAdvanceLoc4:
		m.advance(m.c.U32())
	}
}

// advance moves on by delta code units. It saturates: the row ends with the
// function.
func (m *machine) advance(delta uint32) {
	m.loc = min(m.loc+uint64(delta)*uint64(m.cie.CodeAlign), math.MaxUint32)
}

// defineCFA executes the instructions of DWARF 5, section 6.4.2.2.
func (m *machine) defineCFA(op uint8) {
	s := &m.state
	if (op == opDefCFARegister || op == opDefCFAOffset || op == opDefCFAOffsetSF) && (!s.hasCFA || s.cfa.Expr != nil) {
		m.c.Fail("the CFA is not register and offset")
		return
	}
	switch op {
	case opDefCFA:
		s.cfa = CFA{Reg: readRegister(m.c), Offset: m.unsigned()}
	case opDefCFASF:
		s.cfa = CFA{Reg: readRegister(m.c), Offset: m.signedFactored()}
	case opDefCFARegister:
		s.cfa.Reg = readRegister(m.c)
	case opDefCFAOffset:
		s.cfa.Offset = m.unsigned()
	case opDefCFAOffsetSF:
		s.cfa.Offset = m.signedFactored()
	case opDefCFAExpression:
		s.cfa = CFA{Expr: m.expression()}
	}
	s.hasCFA = true
}

// stepRule executes the instructions of DWARF 5, sections 6.4.2.3, that set the
// rule of the register that is their first operand.
func (m *machine) stepRule(op uint8) {
	at := m.c.Off() - 1
	reg := readRegister(m.c)
	var rule Rule
	switch op {
	case opOffsetExtended:
		rule = Rule{Kind: Offset, Offset: m.unsignedFactored()}
	case opOffsetExtendedSF:
		rule = Rule{Kind: Offset, Offset: m.signedFactored()}
	case opGNUNegativeOffsetExtended:
		rule = Rule{Kind: Offset, Offset: m.fit(-int64(m.unsignedFactored()))}
	case opValOffset:
		rule = Rule{Kind: ValOffset, Offset: m.unsignedFactored()}
	case opValOffsetSF:
		rule = Rule{Kind: ValOffset, Offset: m.signedFactored()}
	case opUndefined:
		rule = Rule{Kind: Undefined}
	case opSameValue:
		rule = Rule{Kind: SameValue}
	case opRegister:
		rule = Rule{Kind: InRegister, Reg: readRegister(m.c)}
	case opExpression:
		rule = Rule{Kind: Expression, Expr: m.expression()}
	case opValExpression:
		rule = Rule{Kind: ValExpression, Expr: m.expression()}
	case opRestoreExtended:
		m.restore(reg)
		return
	default:
		m.c.Fail(fmt.Sprintf("call frame instruction %#02x at %#x is unknown", op, at))
		return
	}
	m.state.set(reg, rule)
}

// restore gives the register the rule that it has after the CIE.
func (m *machine) restore(reg Register) {
	if i, ok := searchRule(m.cie.initial.regs, reg); ok {
		m.state.set(reg, m.cie.initial.regs[i].Rule)
		return
	}
	m.state.unset(reg)
}

// unsigned reads an offset in bytes.
func (m *machine) unsigned() int32 { return m.fit(int64(min(m.c.ULEB(), math.MaxInt64))) }

// unsignedFactored reads an offset in data units.
func (m *machine) unsignedFactored() int32 {
	return m.fit(int64(m.unsigned()) * int64(m.cie.DataAlign))
}

// signedFactored reads a signed offset in data units.
func (m *machine) signedFactored() int32 {
	return m.fit(int64(m.fit(m.c.SLEB())) * int64(m.cie.DataAlign))
}

func (m *machine) fit(v int64) int32 {
	if v != int64(int32(v)) {
		m.c.Fail(fmt.Sprintf("offset %d does not fit 32 bits", v))
		return 0
	}
	return int32(v)
}

// expression reads an expression after its length; an empty one is not nil.
func (m *machine) expression() []byte {
	size := m.c.ULEB()
	return m.c.Bytes(int(min(size, math.MaxInt32)))
}
