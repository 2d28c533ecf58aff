// Package svd reads CMSIS-SVD, the XML format in which vendors describe the
// peripherals of a device: where their registers are, what the fields of a
// register mean, and what reading or writing does.
//
// [Parse] expands a description once; a [Device] never changes afterwards and
// may be used from several goroutines. The package computes and never touches
// a target: [Device.Reads] says which accesses show a peripheral without
// changing it, [Register.Decode] reads a value, [Register.Put] and
// [Register.Set] say what to write.
//
// The facts are those of Arm's CMSIS-SVD, schema 1.3.11
// (https://open-cmsis-pack.github.io/svd-spec/latest/), named below by their
// elements. Vendor files break its rules in many ways, so what cannot be used
// is left out and listed in [Device.Problems].
package svd

import (
	"strings"

	"pushmask/core"
)

// Device is a described device (element device).
type Device struct {
	Vendor, Name, Series, Version, Description string
	CPU                                        CPU
	// Width is the number of bits that the bus moves in one access: 8, 16, 32
	// or 64 (element width, 32 where the file has none of these).
	Width int
	// Peripherals are ordered by their addresses, those at the same one as in
	// the file.
	Peripherals []*Peripheral
	// Problems lists what was left out or put right, in the order in which it
	// was found: at most 500; MoreProblems counts the rest.
	Problems     []Problem
	MoreProblems int

	registers []*Register // of all peripherals, by address
	blocks    []span      // address blocks, by start
	hazards   []byteRange // bytes that no read may touch, merged
}

// CPU describes the processor (element cpu). All of it is zero where the file
// has no such element.
type CPU struct {
	Name     string // "CM4", "CM0PLUS", "CM33", "other"
	Revision string // "r0p1"
	Endian   string // "little", "big", "selectable", "other"
	// What the processor has: memory protection, floating point in single and
	// double precision, DSP instructions, caches, tightly coupled memory and a
	// vector table that can be moved. Elements that are missing are false, but
	// VTOR is there unless the file denies it (element vtorPresent).
	MPU, FPU, DoubleFPU, DSP, ICache, DCache, ITCM, DTCM, VTOR bool
	// NVICPriorityBits is how many bits of an interrupt's priority exist.
	NVICPriorityBits int
	// Interrupts is the highest interrupt number plus one, 0 where not stated.
	Interrupts int
	// SAURegions is the number of regions of the security attribution unit.
	SAURegions int
}

// Peripheral is a set of registers at an address (element peripheral).
type Peripheral struct {
	Name        string // "GPIOA", "UART[1]" of an array
	Description string
	Group       string // groupName: "GPIO"
	// Alternate is the peripheral that this one describes in another way
	// (alternatePeripheral).
	Alternate string
	// DisableCondition is a condition in C, over registers, under which a
	// debugger must not touch the peripheral; "" as a rule.
	DisableCondition string
	Base             core.Addr
	Blocks           []Block
	Interrupts       []Interrupt
	// Registers are ordered by their addresses, those at the same one as in the
	// file.
	Registers []*Register
}

// Block is an address range of a peripheral (element addressBlock).
type Block struct {
	Addr  core.Addr
	Size  uint32 // in bytes
	Usage string // "registers", "buffer" or "reserved"
}

// Interrupt is an interrupt line of a peripheral (element interrupt).
type Interrupt struct {
	Name, Description string
	// Number is the external interrupt's, as in the vector table after the 16
	// exceptions of the architecture.
	Number int
}

// Register is one register of one peripheral. Elements of arrays and of
// clusters are registers of their own.
type Register struct {
	Peripheral *Peripheral
	// Cluster is the path of the clusters around the register, "CH[0]" or
	// "CH[0].CFG", "" directly in the peripheral.
	Cluster string
	Name    string // as in the C header: "ODR", "BUF[3]"
	// DisplayName is what to show: displayName, with what the peripheral
	// prepends and appends to names, or else Name. An element of an array whose
	// indices have names (dimArrayIndex) is shown with that of its index.
	DisplayName string
	Description string
	Addr        core.Addr
	Size        int // in bits, 1 to 64
	Access      Access
	Protection  Protection
	ReadAction  ReadAction
	WriteEffect WriteEffect
	Constraint  *Constraint // nil: all values may be written
	// ResetValue is the value after reset in the bits of ResetMask.
	ResetValue, ResetMask uint64
	// Alternate is the register at the same address that this one describes in
	// another way (alternateRegister), AlternateGroup the group of such
	// descriptions that it belongs to.
	Alternate, AlternateGroup string
	DataType                  string // "uint32_t *", "" as a rule
	// Fields are ordered by their lowest bits. Registers with the same
	// description share them.
	Fields []*Field
}

// CutIndex cuts the index off the name of an element of an array (dim, "NAME[%s]"):
// "CCR[2]" is the element 2 of CCR. Elements of lists ("NAME%s") have names of their
// own and are none.
func CutIndex(name string) (array, index string, ok bool) {
	rest, ok := strings.CutSuffix(name, "]")
	open := strings.LastIndexByte(rest, '[')
	if !ok || open <= 0 || open == len(rest)-1 {
		return name, "", false
	}
	return rest[:open], rest[open+1:], true
}

// Path returns the register's name below its peripheral: "ODR", "CH[0].CTRL".
func (r *Register) Path() string { return r.below(r.Name) }

// below puts the register's cluster before a name.
func (r *Register) below(name string) string {
	if r.Cluster == "" {
		return name
	}
	return r.Cluster + "." + name
}

// String returns the full name: "GPIOA.ODR".
func (r *Register) String() string { return r.Peripheral.Name + "." + r.Path() }

// Bytes returns how many bytes the register takes: 1, 2, 4 or 8.
func (r *Register) Bytes() int {
	n := 1
	for n*8 < r.Size {
		n *= 2
	}
	return n
}

// contains reports whether a is one of the register's bytes.
func (r *Register) contains(a core.Addr) bool { return a-r.Addr < core.Addr(r.Bytes()) }

// Field is a range of bits of a register (element field). Access, ReadAction,
// WriteEffect and Constraint are the register's where the field has no own.
type Field struct {
	Name, Description string
	LSB               int // number of the lowest bit
	Width             int // in bits, at least 1; LSB+Width is at most the register's size
	Access            Access
	ReadAction        ReadAction
	WriteEffect       WriteEffect
	Constraint        *Constraint
	// Enums name values: one list for reads and writes, or one for each.
	Enums []*Enum
}

// Mask returns the field's bits in the register.
func (f *Field) Mask() uint64 { return f.Max() << f.LSB }

// Max returns the greatest value that the field can have.
func (f *Field) Max() uint64 { return ones(f.Width) }

// ones returns a mask of the n lowest bits, n from 0 to 64.
func ones(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return uint64(1)<<n - 1
}

// Enum names the values of a field (element enumeratedValues).
type Enum struct {
	Name   string // "" as a rule
	Usage  Usage
	Values []EnumValue
}

// EnumValue is one name (element enumeratedValue).
type EnumValue struct {
	Name, Description string
	// Value is compared in the bits of Mask; the others are "don't care"
	// (x in the file).
	Value, Mask uint64
	// Default marks the name of all values that no other one names
	// (isDefault). Its Value and Mask say nothing.
	Default bool
}

// Find returns the name of a field's value, nil where it has none.
func (e *Enum) Find(v uint64) *EnumValue {
	var other *EnumValue
	for i := range e.Values {
		switch n := &e.Values[i]; {
		case n.Default:
			other = n
		case v&n.Mask == n.Value:
			return n
		}
	}
	return other
}

// Constraint says which values may be written (element writeConstraint). One
// of the three is set.
type Constraint struct {
	AsRead     bool // only what was read (writeAsRead)
	Enumerated bool // only values with names (useEnumeratedValues)
	Range      bool // only Min to Max, both included
	Min, Max   uint64
}
