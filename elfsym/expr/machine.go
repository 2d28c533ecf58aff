package expr

import (
	"fmt"

	"pushmask/internal/cursor"
)

// machine is the stack machine of expressions (DWARF 5, 2.5 and 2.6).
type machine struct {
	expr      Expr
	frame     Frame
	object    uint32
	hasObject bool

	c      *cursor.Cursor
	stack  []value
	steps  *int // shared with the expressions that this one needs
	calls  int
	pieces Location
	place  *Piece // set by operations that say where the object is
	err    error
}

func newMachine(e Expr, f Frame) *machine { return &machine{expr: e, frame: f, steps: new(int)} }

// run executes code to its end.
func (m *machine) run(code []byte) error {
	outer := m.c
	m.c = cursor.New("expression", code)
	for m.c.Len() > 0 && m.err == nil {
		if *m.steps++; *m.steps > maxSteps {
			m.fail(fmt.Errorf("%w: more than %d operations", ErrMalformed, maxSteps))
			break
		}
		m.step()
	}
	if err := m.c.Err(); err != nil && m.err == nil {
		m.err = fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	m.c = outer
	if m.err == nil && outer == nil && len(m.pieces) == 0 && m.place == nil && len(m.stack) == 0 && len(code) > 0 {
		m.err = fmt.Errorf("%w: it has no result", ErrMalformed)
	}
	return m.err
}

// fail records the first error.
func (m *machine) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

func (m *machine) malformed(format string, args ...any) {
	m.fail(fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...)))
}

func (m *machine) push(v value) {
	if len(m.stack) >= maxStack {
		m.malformed("more than %d values on the stack", maxStack)
		return
	}
	m.stack = append(m.stack, v)
}

func (m *machine) pop() value {
	n := len(m.stack)
	if n == 0 {
		m.malformed("the stack is empty")
		return value{}
	}
	v := m.stack[n-1]
	m.stack = m.stack[:n-1]
	return v
}

// context returns the context; it is false, and an error recorded, where there
// is none.
func (m *machine) context() (Context, bool) {
	if m.expr.Context == nil {
		m.fail(ErrNoContext)
		return nil, false
	}
	return m.expr.Context, true
}

// location is the result of a location expression that ran to its end.
func (m *machine) location() Location {
	switch {
	case len(m.pieces) > 0:
		return m.pieces
	case m.place != nil:
		return Location{*m.place}
	case len(m.stack) == 0:
		return Location{{Kind: OptimizedOut}}
	}
	return Location{{Kind: Memory, Addr: uint32(m.stack[len(m.stack)-1].bits)}}
}

// number is the result of an expression that is a number.
func (m *machine) number() (uint64, error) {
	switch {
	case len(m.pieces) > 0:
		return 0, fmt.Errorf("%w: a number in pieces", ErrMalformed)
	case m.place == nil && len(m.stack) > 0:
		return m.stack[len(m.stack)-1].bits, nil
	case m.place == nil || m.place.Kind == OptimizedOut:
		return 0, ErrOptimizedOut
	case m.place.Kind == Register:
		v, ok := m.frame.Register(m.place.Register)
		if !ok {
			return 0, unknownRegister(m.place.Register)
		}
		return v, nil
	case m.place.Kind == Value && len(m.place.Data) <= 8:
		return little(m.place.Data), nil
	}
	return 0, fmt.Errorf("%w: the result is no number", ErrMalformed)
}

func unknownRegister(n uint32) error {
	return fmt.Errorf("%w: %s", ErrUnknownRegister, RegisterName(n))
}

// little reads up to 8 bytes as a number.
func little(b []byte) (v uint64) {
	for i, x := range b {
		v |= uint64(x) << (8 * i)
	}
	return v
}

// RegisterName names a register by its DWARF number (DWARF for the Arm
// Architecture, 4.1).
func RegisterName(n uint32) string {
	switch {
	case n == 13:
		return "sp"
	case n == 14:
		return "lr"
	case n == 15:
		return "pc"
	case n < 13:
		return fmt.Sprintf("r%d", n)
	case n >= 64 && n <= 95:
		return fmt.Sprintf("s%d", n-64)
	case n >= 256 && n <= 287:
		return fmt.Sprintf("d%d", n-256)
	}
	return fmt.Sprintf("register %d", n)
}
