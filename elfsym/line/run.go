package line

import (
	"fmt"

	"pushmask/internal/cursor"
)

// Standard opcodes (DWARF 5, 6.2.5.2).
const (
	opExtended = iota
	opCopy
	opAdvancePC
	opAdvanceLine
	opSetFile
	opSetColumn
	opNegateStmt
	opSetBasicBlock
	opConstAddPC
	opFixedAdvancePC
	opSetPrologueEnd
	opSetEpilogueBegin
	opSetISA
)

// Extended opcodes (DWARF 5, 6.2.5.3).
const (
	extEndSequence = 1
	extSetAddress  = 2
	extDefineFile  = 3
)

// machine is the state machine of a line program.
type machine struct {
	*Program
	c     *cursor.Cursor
	table *Table
	rows  []Row // of the sequence that is running
	// Registers. Line arithmetic wraps as the specification's does.
	addr, file, line, column uint32
	stmt, prologueEnd        bool
}

// Run executes the program. On damage it returns the sequences before it and
// the error. The number of rows is bounded by the size of the program.
func (p *Program) Run() (*Table, error) {
	m := &machine{Program: p, c: cursor.New(".debug_line program", p.opcodes), table: &Table{}}
	m.reset()
	for m.c.Len() > 0 {
		m.step()
	}
	m.table.Sort()
	return m.table, m.c.Err()
}

func (m *machine) reset() {
	m.rows = m.rows[:0]
	m.addr, m.file, m.line, m.column, m.stmt, m.prologueEnd = 0, 1, 1, 0, m.defaultStmt, false
}

func (m *machine) emit() {
	column := m.column
	if column > 0xffff {
		column = 0
	}
	m.rows = append(m.rows, Row{m.addr, m.file, m.line, uint16(column), m.stmt, m.prologueEnd})
	m.prologueEnd = false
}

func (m *machine) advance(operations uint64) {
	m.addr += uint32(operations) * uint32(m.minInstLength)
}

func (m *machine) step() {
	op := m.c.U8()
	if op >= m.opcodeBase {
		adjusted := op - m.opcodeBase
		m.advance(uint64(adjusted / m.lineRange))
		m.line += uint32(int32(m.lineBase) + int32(adjusted%m.lineRange))
		m.emit()
		return
	}
	switch op {
	case opExtended:
		m.extended()
	case opCopy:
		m.emit()
	case opAdvancePC:
		m.advance(m.c.ULEB())
	case opAdvanceLine:
		m.line += uint32(m.c.SLEB())
	case opSetFile:
		m.file = uint32(m.c.ULEB())
	case opSetColumn:
		m.column = uint32(m.c.ULEB())
	case opNegateStmt:
		m.stmt = !m.stmt
	case opSetPrologueEnd:
		m.prologueEnd = true
	case opSetBasicBlock, opSetEpilogueBegin:
	case opConstAddPC:
		m.advance(uint64((255 - m.opcodeBase) / m.lineRange))
	case opFixedAdvancePC:
		m.addr += uint32(m.c.U16())
	case opSetISA:
		m.c.ULEB()
	default:
		for range m.opcodeLengths[op-1] {
			m.c.ULEB()
		}
	}
}

func (m *machine) extended() {
	length := m.c.ULEB()
	if length == 0 || length > uint64(m.c.Len()) {
		m.c.Fail("extended opcode is longer than the program")
		return
	}
	end := m.c.Off() + int(length)
	switch m.c.U8() {
	case extEndSequence:
		m.table.Add(m.rows, m.addr)
		m.reset()
	case extSetAddress:
		m.addr = m.setAddress()
	case extDefineFile:
		m.file4(m.c)
	}
	m.c.Seek(end)
}

func (m *machine) setAddress() uint32 {
	switch m.addrSize {
	case 4:
		return m.c.U32()
	case 8:
		return uint32(m.c.U64())
	}
	m.c.Fail(fmt.Sprintf("address size %d", m.addrSize))
	return 0
}
