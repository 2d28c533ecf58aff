package inspect

import (
	"errors"
	"fmt"

	"pushmask/elfsym/expr"
	"pushmask/elfsym/types"
)

// Errors of arrays whose object is a descriptor.
var (
	errNotAllocated  = errors.New("not allocated")
	errNotAssociated = errors.New("not associated")
	errNoData        = errors.New("where the data lies is not known")
)

// settled moves an array whose object is a descriptor to its data, and gives it the
// length that it has there. All other values are what they are.
func (v *Value) settled() *Value {
	u := v.Type.underlying()
	if u.kind != types.Array || u.dwarf == nil || !v.inMemory || v.err != nil {
		return v
	}
	d, ok := u.dwarf.Dynamic()
	if !ok {
		return v
	}
	if v.ctx.decls == nil {
		return v.ctx.failed(v.Type, errNoData)
	}
	place := func(code []byte) expr.Expr {
		return v.ctx.decls.Expr(code, u.dwarf.Entry, uint32(v.ctx.frame.Lookup))
	}
	for _, test := range []struct {
		code []byte
		err  error
	}{{d.Allocated, errNotAllocated}, {d.Associated, errNotAssociated}} {
		if test.code == nil {
			continue
		}
		n, err := expr.NumberIn(place(test.code), v.ctx.machine, v.addr)
		if err == nil && n == 0 {
			err = test.err
		}
		if err != nil {
			return v.ctx.failed(v.Type, v.ctx.machine.explain(err))
		}
	}
	dims := make([]types.Dim, len(u.dims))
	for i, dim := range u.dims {
		dims[i] = dim
		if dim.Known || dim.Bound == nil || dim.Bound.Expr == nil {
			continue
		}
		n, err := expr.NumberIn(place(dim.Bound.Expr), v.ctx.machine, v.addr)
		if err == nil {
			dims[i].Count, dims[i].Known = dim.Bound.Count(n, dim.Lower), true
		}
	}
	out := v.ctx.memory(&Type{kind: types.Array, dwarf: u.dwarf, elem: u.elem, dims: dims}, v.addr)
	if d.Location == nil {
		return out
	}
	where, err := expr.LocateMember(place(d.Location), v.ctx.machine, v.addr)
	if err != nil {
		return v.ctx.failed(v.Type, v.ctx.machine.explain(err))
	}
	if out.addr, ok = where.Address(); !ok {
		return v.ctx.failed(v.Type, errNoData)
	}
	return out
}

// stride is the distance between the elements of an array in bits.
func (t *Type) stride() (int64, bool) {
	if s := t.dims[0].Stride; s != 0 {
		return s, true
	}
	elem := t.Elem()
	if elem.kind == types.Array {
		inner, ok := elem.stride()
		d := elem.dims[0]
		return inner * int64(d.Count), ok && d.Known
	}
	size, ok := elem.Size()
	return int64(size) * 8, ok
}

// elementAt returns the element of an array that is n further than the first. Those
// of packed arrays are bit fields.
func (v *Value) elementAt(n int64) (*Value, error) {
	t := v.Type.underlying()
	elem := t.Elem()
	stride, ok := t.stride()
	if !ok || stride != 0 && max(n, -n) > maxDistance/max(stride, -stride) {
		return nil, fmt.Errorf("%w: %s", errIncomplete, elem.Name())
	}
	at := n * stride
	e := v.part(elem, uint32(at>>3))
	if at&7 != 0 || stride&7 != 0 {
		size, _ := elem.Size()
		e.bitOffset, e.bitSize = uint8(at&7), uint16(min(stride, int64(size)*8, 64))
	}
	return e.settled(), nil
}

// maxDistance bounds the distance of an element from the first in bits: that of the
// address space.
const maxDistance = 8 << 32
