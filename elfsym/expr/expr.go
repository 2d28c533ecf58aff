package expr

import (
	"errors"
	"fmt"
)

// Expr is an expression with what its operands refer to.
type Expr struct {
	Code []byte
	Wide bool // offsets of .debug_info are of 8 bytes: 64-bit DWARF
	// Context may be nil; operations that need it fail then.
	Context Context
}

// Context is the part of the program that an expression belongs to. Offsets
// of entries count from the start of the expression's unit unless stated.
type Context interface {
	// Bias is what to add to the addresses in expressions, modulo 1<<32.
	Bias() uint32
	// Address returns an entry of the unit's part of .debug_addr, as linked.
	Address(index uint64) (uint32, bool)
	// UnitStart is the offset of the unit in .debug_info.
	UnitStart() uint64
	// FrameBase returns DW_AT_frame_base of the function.
	FrameBase() (Expr, bool)
	// BaseType returns the base type at off.
	BaseType(off uint64) (BaseType, bool)
	// Procedure returns DW_AT_location of the entry at off, of .debug_info
	// where global is set. It is without code where the entry has none.
	Procedure(off uint64, global bool) (Expr, error)
}

// Frame is the activation that an expression is evaluated in.
type Frame interface {
	// Register returns the value of a register by its DWARF number (DWARF for
	// the Arm Architecture, 4.1): 0 to 15, 64 to 95 for S0 to S31, 256 to 287
	// for D0 to D31. It is false where the frame does not know it.
	Register(n uint32) (uint64, bool)
	// Read reads target memory.
	Read(addr uint32, p []byte) error
	// CFA returns the canonical frame address.
	CFA() (uint32, bool)
	// EntryValue returns what the expression with this code was when the
	// function was entered, from the parameters of the caller's call site.
	EntryValue(code []byte) (uint64, error)
	// Parameter returns the argument that the caller passed for the parameter
	// whose entry is at an offset of .debug_info (DW_OP_GNU_parameter_ref).
	Parameter(off uint64) (uint64, error)
}

// BaseType is the type of a value on the stack. The zero BaseType is the
// generic type: an address-sized integer (DWARF 5, 2.5.1).
type BaseType struct {
	Encoding uint8 // DW_ATE_*
	Size     uint8 // bytes, up to 8
}

// Errors of evaluation, found with errors.Is.
var (
	ErrUnknownRegister = errors.New("value of register is unknown")
	ErrNoCFA           = errors.New("canonical frame address is unknown")
	ErrThreadLocal     = errors.New("thread-local storage is not supported")
	ErrOptimizedOut    = errors.New("optimized out")
	ErrUnsupported     = errors.New("operation is not supported")
	ErrMalformed       = errors.New("malformed expression")
	// ErrNoContext tells that an expression refers to what its Context does not
	// have.
	ErrNoContext = errors.New("what the expression refers to is missing")
)

// Kind tells what a [Piece] is.
type Kind uint8

// The kinds.
const (
	OptimizedOut    Kind = iota // the program has no value for it
	Memory                      // at Addr
	Register                    // in Register
	Value                       // Data is the value, which is nowhere
	ImplicitPointer             // a pointer to what Target describes, which is nowhere
)

// Piece is where a part of an object is.
type Piece struct {
	Kind     Kind
	Addr     uint32
	Register uint32 // DWARF number
	Data     []byte // little-endian; it may be longer than the object
	// Target is the offset in .debug_info of the entry whose value an implicit
	// pointer points to, and Offset is the number of bytes into that value.
	Target uint64
	Offset int64
	// The piece is BitSize bits from bit BitOffset of its place up. BitSize is 0
	// for an object in one piece: it is as long as the object.
	BitOffset, BitSize uint64
}

// Location is where an object is: its pieces in the order of memory, lowest
// first. It has at least one.
type Location []Piece

// Address returns where the object lies in memory; false where it is not, or
// not in one piece.
func (l Location) Address() (uint32, bool) {
	if len(l) != 1 || l[0].Kind != Memory || l[0].BitOffset != 0 {
		return 0, false
	}
	return l[0].Addr, true
}

// Limits of one evaluation, with all that it calls.
const (
	maxSteps  = 10000
	maxStack  = 256
	maxPieces = 1024
	maxCalls  = 16
)

// Locate evaluates e to the place of an object. An empty expression, as in
// location lists, means that it was optimized out.
func Locate(e Expr, f Frame) (Location, error) {
	m := newMachine(e, f)
	if err := m.run(e.Code); err != nil {
		return nil, fmt.Errorf("evaluate location: %w", err)
	}
	return m.location(), nil
}

// LocateMember evaluates the location of a member, a base class or the data of
// an array within the object at the address object, which lies on the stack
// and is what DW_OP_push_object_address pushes.
func LocateMember(e Expr, f Frame, object uint32) (Location, error) {
	m := newMachine(e, f)
	m.object, m.hasObject = object, true
	m.push(generic(uint64(object)))
	if err := m.run(e.Code); err != nil {
		return nil, fmt.Errorf("evaluate location in object at %#x: %w", object, err)
	}
	return m.location(), nil
}

// Number evaluates e to a number, as the bounds of arrays and the values of call
// site parameters are: the value at the top of the stack, its bits in the low
// end. Values of a register are those of the register.
func Number(e Expr, f Frame) (uint64, error) { return newMachine(e, f).evaluateNumber() }

// NumberIn is [Number] with the address of the object that the number is of, which
// is what DW_OP_push_object_address pushes.
func NumberIn(e Expr, f Frame, object uint32) (uint64, error) {
	m := newMachine(e, f)
	m.object, m.hasObject = object, true
	return m.evaluateNumber()
}

func (m *machine) evaluateNumber() (uint64, error) {
	e := m.expr
	if err := m.run(e.Code); err != nil {
		return 0, fmt.Errorf("evaluate number: %w", err)
	}
	v, err := m.number()
	if err != nil {
		return 0, fmt.Errorf("evaluate number: %w", err)
	}
	return v, nil
}
