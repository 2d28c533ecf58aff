package cfi

import (
	"errors"
	"fmt"
	"slices"

	"pushmask/internal/cursor"
)

// Limits on one entry, far above what compilers emit.
const (
	maxInstructions = 1 << 16
	maxRows         = 4096
	maxRemembered   = 64
)

// Errors of [FDE.RowAt] and [FDE.Rows]; damaged instructions give a wrapped
// [cursor.Error].
var (
	ErrOutside = errors.New("address is outside the function") // RowAt was asked for another function's address
	ErrTooLong = errors.New("too many rows or instructions")   // the entry exceeds the limits, no compiler wrote it
)

// state is a row under construction. Its regs are shared with rows handed out
// and with remembered states once shared is set, and then copied before a
// change.
type state struct {
	cfa    CFA
	hasCFA bool
	regs   []RegRule
	shared bool
}

func (s *state) set(reg Register, r Rule) {
	i, ok := searchRule(s.regs, reg)
	s.own()
	if ok {
		s.regs[i].Rule = r
		return
	}
	s.regs = slices.Insert(s.regs, i, RegRule{reg, r})
}

func (s *state) unset(reg Register) {
	if i, ok := searchRule(s.regs, reg); ok {
		s.own()
		s.regs = slices.Delete(s.regs, i, i+1)
	}
}

func (s *state) own() {
	if s.shared {
		s.regs, s.shared = slices.Clone(s.regs), false
	}
}

// share returns the state for keeping: neither copy changes the other.
func (s *state) share() state {
	s.shared = true
	return *s
}

// machine executes call frame instructions. It stops after each instruction
// that moves the location, where a row is complete.
type machine struct {
	cie        *CIE
	c          *cursor.Cursor
	loc        uint64 // grows past 32 bits instead of wrapping
	state      state
	remembered []state
	executed   int
}

// runInitial executes the instructions of a CIE. They set the first row and
// have no location to move (DWARF 5, section 6.4.1).
func (m *machine) runInitial() error {
	for m.c.Len() > 0 {
		m.step()
		if m.loc != 0 {
			m.c.Fail("CIE moves the location")
		}
	}
	m.state.share()
	return m.c.Err()
}

// run executes the instructions of the FDE and yields its rows in order until
// yield returns false.
func (f *FDE) run(yield func(Row) bool) error {
	c := cursor.New(f.CIE.sec.Name, f.CIE.sec.Data[:f.end])
	c.Seek(f.body)
	m := machine{cie: f.CIE, c: c, loc: uint64(f.Start), state: f.CIE.initial}
	for start := m.loc; start < uint64(f.End); start = m.loc {
		for m.loc == start && c.Len() > 0 && m.executed <= maxInstructions {
			m.step()
		}
		if c.Err() != nil {
			return fmt.Errorf("run call frame instructions of %#08x: %w", f.Start, c.Err())
		}
		if m.executed > maxInstructions {
			return fmt.Errorf("run call frame instructions of %#08x: %w", f.Start, ErrTooLong)
		}
		if m.loc == start {
			m.loc = uint64(f.End)
		}
		row, err := m.row(uint32(start), uint32(min(m.loc, uint64(f.End))))
		if err != nil || !yield(row) {
			return err
		}
	}
	return nil
}

func (m *machine) row(start, end uint32) (Row, error) {
	if !m.state.hasCFA {
		return Row{}, fmt.Errorf("run call frame instructions of %#08x: no rule for the CFA", start)
	}
	s := m.state.share()
	return Row{Start: start, End: end, CFA: s.cfa, Regs: s.regs, ReturnReg: m.cie.ReturnReg}, nil
}

// RowAt returns the row that holds at pc, which must lie in the function; bit
// 0 of pc is ignored. It runs the entry's instructions up to there.
func (f *FDE) RowAt(pc uint32) (Row, error) {
	pc &^= 1
	var found Row
	err := f.run(func(r Row) bool {
		found = r
		return r.End <= pc
	})
	if err != nil {
		return Row{}, err
	}
	if pc < found.Start || pc >= found.End {
		return Row{}, fmt.Errorf("find row of %#08x in %#08x to %#08x: %w", pc, f.Start, f.End, ErrOutside)
	}
	return found, nil
}

// Rows returns the rows of the function in the order of their addresses; they
// cover it without gaps. After an error it holds those before the damage.
func (f *FDE) Rows() ([]Row, error) {
	var rows []Row
	err := f.run(func(r Row) bool {
		rows = append(rows, r)
		return len(rows) <= maxRows
	})
	if len(rows) > maxRows {
		return rows[:maxRows], fmt.Errorf("list rows of %#08x: %w", f.Start, ErrTooLong)
	}
	return rows, err
}
