package scope

import (
	"debug/dwarf"
	"encoding/binary"
	"fmt"

	"pushmask/elfsym/die"
	"pushmask/elfsym/expr"
	"pushmask/elfsym/loclist"
)

// context is what expressions of a unit refer to; it implements expr.Context.
type context struct {
	program  *Program
	unit     *die.Unit
	pc       uint32    // of the moved program; of no meaning outside of functions
	function die.Entry // with the frame base; the zero Entry outside of functions
}

// linked is the PC as DWARF has it.
func (c *context) linked() uint32 { return c.pc - c.program.image.Bias() }

func (c *context) expr(code []byte) expr.Expr {
	return expr.Expr{Code: code, Wide: c.unit.Wide, Context: c}
}

// at returns the expression of an attribute that is one or a list by PC.
func (c *context) at(v die.Value) (expr.Expr, error) {
	if code, ok := v.Block(); ok {
		if len(code) == 0 {
			return expr.Expr{}, ErrOptimizedOut
		}
		return c.expr(code), nil
	}
	list, ok, err := v.List()
	if err != nil {
		return expr.Expr{}, fmt.Errorf("read location list: %w", err)
	}
	if !ok || c.function.Zero() {
		return expr.Expr{}, ErrOptimizedOut
	}
	e, ok := loclist.At(list, c.linked())
	if !ok || len(e.Expr) == 0 {
		return expr.Expr{}, ErrOptimizedOut
	}
	return c.expr(e.Expr), nil
}

// Bias implements expr.Context.
func (c *context) Bias() uint32 { return c.program.image.Bias() }

// Address implements expr.Context.
func (c *context) Address(index uint64) (uint32, bool) { return c.unit.Address(index) }

// UnitStart implements expr.Context.
func (c *context) UnitStart() uint64 { return uint64(c.unit.Start) }

// FrameBase implements expr.Context.
func (c *context) FrameBase() (expr.Expr, bool) {
	own := *c
	if own.function.Zero() {
		return expr.Expr{}, false
	}
	own.unit = own.function.Unit
	e, err := own.at(own.function.Attr(dwarf.AttrFrameBase))
	return e, err == nil
}

// BaseType implements expr.Context.
func (c *context) BaseType(off uint64) (expr.BaseType, bool) {
	e, err := c.entry(off)
	if err != nil || e.Tag != dwarf.TagBaseType {
		return expr.BaseType{}, false
	}
	size, _ := e.Uint(dwarf.AttrByteSize)
	encoding, _ := e.Uint(dwarf.AttrEncoding)
	if size == 0 || size > 0xff || encoding > 0xff {
		return expr.BaseType{}, false
	}
	return expr.BaseType{Encoding: uint8(encoding), Size: uint8(size)}, true
}

// entry returns the entry at an offset from the start of the unit.
func (c *context) entry(off uint64) (die.Entry, error) {
	if off > 1<<31-1 {
		return die.Entry{}, fmt.Errorf("read entry at %#x: %w", off, die.ErrMalformed)
	}
	return c.program.data.Entry(c.unit.Start + die.Offset(off))
}

// Procedure implements expr.Context.
func (c *context) Procedure(off uint64, global bool) (expr.Expr, error) {
	if global {
		if off > 1<<31-1 {
			return expr.Expr{}, fmt.Errorf("read entry at %#x: %w", off, die.ErrMalformed)
		}
		off -= uint64(c.unit.Start)
	}
	e, err := c.program.data.Entry(c.unit.Start + die.Offset(off))
	if err != nil {
		return expr.Expr{}, err
	}
	own := *c
	own.unit = e.Unit
	v := e.Inherited(dwarf.AttrLocation)
	if !v.Exists() {
		return expr.Expr{}, nil
	}
	return own.at(v)
}

// staticAddress returns the address of an expression that is one: DW_OP_addr,
// DW_OP_addrx or GNU's form of that, with an offset at most.
func staticAddress(e expr.Expr) (uint32, bool) {
	const opAddr, opAddrx, opGNUAddrIndex = 0x03, 0xa1, 0xfb
	if len(e.Code) == 0 || e.Code[0] != opAddr && e.Code[0] != opAddrx && e.Code[0] != opGNUAddrIndex {
		return 0, false
	}
	if e.Code[0] == opAddr && len(e.Code) == 5 {
		return binary.LittleEndian.Uint32(e.Code[1:]) + e.Context.Bias(), true
	}
	l, err := expr.Locate(e, noFrame{})
	if err != nil {
		return 0, false
	}
	return l.Address()
}
