package inspect

import (
	"errors"
	"fmt"

	"pushmask/core"
	"pushmask/elfsym/expr"
)

// Frame is an activation of a stopped target that variables and expressions are
// looked up in. The zero Frame, with Memory set, knows no registers: variables
// that lie at one address all the time have values in it.
type Frame struct {
	// Lookup is where variables are looked up: the PC, or in callers the return
	// address minus 1; see scope.Program.At. Valid where HasPC is set.
	Lookup core.Addr
	HasPC  bool
	// Return is the address that execution goes on at in a caller, which names
	// its call.
	Return   core.Addr
	IsCaller bool // it called a younger frame
	// Inlined is the number of inlined calls at Lookup, counted from the
	// innermost, that are younger than this line of the stack.
	Inlined int
	Regs    *core.Regs // nil: none is known
	// More returns the registers with those that are read when they are needed, as
	// of the FPU of a live target; nil where they cannot be. It may be nil.
	More   func() *core.Regs
	CFA    core.Addr // valid when HasCFA
	HasCFA bool
	Memory core.Memory
	// Quiet is Memory without what a read may change: the registers of devices of
	// a live target. What pointers lead to that the user did not follow is read
	// from it. It may be nil: no read changes anything.
	Quiet core.Memory
	// Callee returns the activation that this one called; nil where hardware
	// interrupted it or it is the youngest. It may be nil.
	Callee func() *Frame
	// Caller returns the activation that called this one; nil where none is
	// known. It may be nil.
	Caller func() *Frame
	Writer Writer // nil for what cannot be changed
	// Device finds the register that a path as "TIM1.CCR[2]" or "TIM1.CR1.CEN" names,
	// which expressions may where the program has no such name. It may be nil.
	Device func(path string) (DeviceRegister, bool)
}

// Writer changes a live target.
type Writer interface {
	WriteMemory(addr core.Addr, data []byte) error
	// WriteRegister sets a register of the frame that the Writer is of.
	WriteRegister(r core.Reg, v uint32) error
}

// machine is a frame as DWARF expressions see it; it implements expr.Frame.
type machine struct {
	frame   *Frame
	program *Program
	depth   int    // of entry values: each asks the next caller
	lost    string // the last register that was asked for and is not known
	// kept says that registers that a call may change were not changed by this
	// one: see context.keeps.
	kept bool
}

// maxEntryDepth bounds the callers that an entry value may need.
const maxEntryDepth = 32

// DWARF numbers of registers (DWARF for the Arm Architecture, 4.1).
const (
	dwarfPC = 15
	dwarfS0 = 64
	dwarfD0 = 256
)

// Register implements expr.Frame.
func (m *machine) Register(n uint32) (uint64, bool) {
	v, ok := m.register(n)
	for f := m.frame; m.kept && !ok && f.Callee != nil; {
		if f = f.Callee(); f == nil {
			break
		}
		v, ok = (&machine{frame: f}).register(n)
	}
	if !ok {
		m.lost = expr.RegisterName(n)
	}
	return v, ok
}

// Register returns a register of the frame.
func (f *Frame) Register(r core.Reg) (uint32, bool) {
	if f.Regs == nil {
		return 0, false
	}
	v, ok := f.Regs.Get(r)
	if ok || r <= core.PC || f.More == nil {
		return v, ok
	}
	if more := f.More(); more != nil {
		return more.Get(r)
	}
	return 0, false
}

func (m *machine) register(n uint32) (uint64, bool) {
	switch {
	case n <= dwarfPC:
		v, ok := m.frame.Register(core.Reg(n))
		return uint64(v), ok
	case n >= dwarfS0 && n < dwarfS0+32:
		v, ok := m.frame.Register(core.S0 + core.Reg(n-dwarfS0))
		return uint64(v), ok
	case n >= dwarfD0 && n < dwarfD0+16:
		lo, ok := m.frame.Register(core.S0 + core.Reg(2*(n-dwarfD0)))
		hi, ok2 := m.frame.Register(core.S0 + core.Reg(2*(n-dwarfD0)+1))
		return uint64(hi)<<32 | uint64(lo), ok && ok2
	}
	return 0, false
}

// RegisterError tells that a value needs a register that a frame does not know.
type RegisterError struct {
	Register string
	Caller   bool // the frame called another, which did not save the register
}

// Error implements error.
func (e *RegisterError) Error() string {
	if e.Caller {
		return e.Register + " was not saved by any younger frame"
	}
	return e.Register + " is not known"
}

// explain names the register that an error of package expr is about.
func (m *machine) explain(err error) error {
	if m.lost != "" && errors.Is(err, expr.ErrUnknownRegister) {
		return &RegisterError{m.lost, m.frame.IsCaller}
	}
	return err
}

// Read implements expr.Frame.
func (m *machine) Read(addr uint32, p []byte) error {
	_, err := m.frame.Memory.ReadAt(core.Addr(addr), p)
	return err
}

// CFA implements expr.Frame.
func (m *machine) CFA() (uint32, bool) { return uint32(m.frame.CFA), m.frame.HasCFA }

// caller returns the machine of the activation that called m's.
func (m *machine) caller() (*machine, error) {
	if m.depth >= maxEntryDepth {
		return nil, fmt.Errorf("%w: values at entry of more than %d callers", expr.ErrOptimizedOut, maxEntryDepth)
	}
	if m.frame.Caller == nil {
		return nil, expr.ErrOptimizedOut
	}
	f := m.frame.Caller()
	if f == nil {
		return nil, expr.ErrOptimizedOut
	}
	return &machine{frame: f, program: m.program, depth: m.depth + 1}, nil
}
