package scope

import (
	"debug/dwarf"
	"errors"
	"fmt"

	"pushmask/elfsym/die"
	"pushmask/elfsym/expr"
	"pushmask/elfsym/loclist"
	"pushmask/elfsym/types"
)

// Variable is a parameter, a variable or a constant.
type Variable struct {
	Name       string // "" for parameters that the source does not name
	Type       *types.Type
	Declared   Position
	Parameter  bool
	Artificial bool // made by the compiler, as "this" is
	External   bool // visible in other units
	Entry      die.Entry

	ctx *context
}

func (p *Program) variable(e die.Entry, ctx *context) *Variable {
	return &Variable{
		Name: e.Inherited(dwarf.AttrName).Text(), Type: p.Types.Of(e), Declared: p.declared(e),
		Parameter:  e.Tag == dwarf.TagFormalParameter,
		Artificial: e.Inherited(dwarf.AttrArtificial).Flag(),
		External:   e.Inherited(dwarf.AttrExternal).Flag(),
		Entry:      e, ctx: ctx,
	}
}

// QualifiedName returns the name with the namespaces and classes around it.
func (v *Variable) QualifiedName() string { return v.Entry.QualifiedName() }

// ErrOptimizedOut tells that a variable has no place at the PC.
var ErrOptimizedOut = expr.ErrOptimizedOut

// Expr returns the expression for the place of the variable at the PC that it
// was found for. It fails with [ErrOptimizedOut] where there is none, and for
// constants: see [Variable.Constant].
func (v *Variable) Expr() (expr.Expr, error) {
	ctx, at := v.ctx, v.Entry.Inherited(dwarf.AttrLocation)
	if u := at.Unit(); u != nil && u != ctx.unit {
		own := *ctx
		own.unit = u
		ctx = &own
	}
	return ctx.at(at)
}

// Constant returns the value of a variable that has no place but always the same
// value, in the order of memory and of the size of its type.
func (v *Variable) Constant() ([]byte, bool) {
	size, known := v.Type.Size()
	return constantBytes(v.Entry.Inherited(dwarf.AttrConstValue), size, known)
}

// maxConstant bounds the bytes of a constant that is a number.
const maxConstant = 64

func constantBytes(c die.Value, size uint32, known bool) ([]byte, bool) {
	if b, ok := c.Block(); ok {
		return b, true
	}
	if c.Class == die.ClassString {
		return append([]byte(c.Text()), 0), true
	}
	n, ok := c.Int()
	if a, isAddr := c.Address(); isAddr {
		n, ok = int64(a), true
	}
	if !ok || !known || size > maxConstant {
		return nil, false
	}
	out := make([]byte, size)
	for i := range out {
		out[i] = byte(n >> min(8*i, 63))
	}
	return out, true
}

// Locate returns where the variable is in a frame; the result for one without a
// place is an optimized-out piece or the constant that it is.
func (v *Variable) Locate(f expr.Frame) (expr.Location, error) {
	e, err := v.Expr()
	if err == nil {
		return expr.Locate(e, f)
	}
	if !errors.Is(err, ErrOptimizedOut) {
		return nil, fmt.Errorf("locate %s: %w", v.Name, err)
	}
	if b, ok := v.Constant(); ok {
		return expr.Location{{Kind: expr.Value, Data: b}}, nil
	}
	return expr.Location{{Kind: expr.OptimizedOut}}, nil
}

// StaticAddress returns the address of a variable that lies at the same one all
// the time.
func (v *Variable) StaticAddress() (uint32, bool) {
	e, err := v.Expr()
	if err != nil {
		return 0, false
	}
	return staticAddress(e)
}

// Length returns the number of elements of a dimension of an array whose length
// depends on the frame.
func (v *Variable) Length(d types.Dim, f expr.Frame) (uint32, error) {
	if d.Known || d.Bound == nil {
		return d.Count, nil
	}
	n, err := v.ctx.bound(d.Bound, f)
	if err != nil {
		return 0, fmt.Errorf("compute length of %s: %w", v.Name, err)
	}
	return d.Bound.Count(n, d.Lower), nil
}

// bound evaluates a bound of an array.
func (c *context) bound(b *types.Bound, f expr.Frame) (uint64, error) {
	switch {
	case b.Expr != nil:
		return expr.Number(c.expr(b.Expr), f)
	case b.List != nil:
		e, ok := loclist.At(b.List, c.linked())
		if !ok || len(e.Expr) == 0 {
			return 0, ErrOptimizedOut
		}
		return expr.Number(c.expr(e.Expr), f)
	}
	holder := c.program.variable(b.Variable, c)
	size, ok := holder.Type.Size()
	if !ok || size > 8 {
		return 0, fmt.Errorf("%w: the bound is no number", die.ErrMalformed)
	}
	where, err := holder.Locate(f)
	if err != nil {
		return 0, err
	}
	value, err := where.Read(f, size)
	if err != nil {
		return 0, err
	}
	if !value.Complete() {
		return 0, ErrOptimizedOut
	}
	var n uint64
	for i, x := range value.Data {
		n |= uint64(x) << (8 * i)
	}
	return n, nil
}
