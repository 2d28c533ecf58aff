package types

import (
	"debug/dwarf"
	"slices"

	"pushmask/elfsym/die"
	"pushmask/elfsym/loclist"
)

// Dim is a dimension of an array.
type Dim struct {
	Lower int64  // index of the first element
	Count uint32 // elements, where Known is set
	Known bool
	// Bound is how to compute the number of elements of an array of variable
	// length; nil where Known is set and for arrays declared without a length.
	Bound *Bound
	// Stride is the distance from one element to the next in bits where it is not
	// the size of an element, 0 elsewhere.
	Stride int64
}

// Bound is a length that is known in a frame only.
type Bound struct {
	Last bool // it is the index of the last element, not their number
	// One of these is set.
	Expr     []byte          // DWARF expression of the value
	List     []loclist.Entry // the same, by PC
	Variable die.Entry       // of the variable that holds the value
}

// Count returns the number of elements for a value of the bound, which is one of
// the size of an address.
func (b *Bound) Count(value uint64, lower int64) uint32 {
	count := int64(int32(value))
	if b.Last {
		count += 1 - lower
	}
	return uint32(max(count, 0))
}

// maxDims bounds the dimensions of one array.
const maxDims = 32

// attrGNUVector marks vectors (DW_AT_GNU_vector of gcc and clang).
const attrGNUVector dwarf.Attr = 0x2107

// IsVector reports whether an array is a vector of the processor or of the
// compiler's extension.
func (t *Type) IsVector() bool { return t.Entry.Flag(attrGNUVector) }

// Dims returns the dimensions of an array, the outermost first: that whose elements
// are the farthest from each other, whatever the order in the source. An array has
// at least one.
func (t *Type) Dims() []Dim {
	t.once.dims.Do(func() {
		if t.Kind != Array {
			return
		}
		for e, err := range t.Entry.Children() {
			if err != nil || len(t.dims) == maxDims {
				break
			}
			switch e.Tag {
			case dwarf.TagSubrangeType, dwarf.TagEnumerationType:
				t.dims = append(t.dims, dimension(e))
			case dwarf.TagGenericSubrange: // stands for any number of dimensions
				t.dims = append(t.dims, Dim{})
			}
		}
		if len(t.dims) == 0 {
			t.dims = []Dim{{}}
		}
		if t.isColumnMajor() {
			slices.Reverse(t.dims)
		}
		if last := &t.dims[len(t.dims)-1]; last.Stride == 0 {
			last.Stride = stride(t.Entry)
		}
	})
	return t.dims
}

// isColumnMajor reports whether the first dimension of an array in the source is the
// innermost (DW_ORD_col_major, DWARF 5, 7.17), as it is in Fortran.
func (t *Type) isColumnMajor() bool {
	const columns = 1
	n, ok := t.Entry.Uint(dwarf.AttrOrdering)
	return ok && n == columns || !ok && t.language().IsFortran()
}

// dimension reads a DW_TAG_subrange_type: a count or an upper bound (DWARF 5,
// 5.13). The lower bound is that of the language where none is stated. Where it
// is computed, the length is not known.
func dimension(e die.Entry) Dim {
	d := Dim{Stride: stride(e)}
	if e.Unit != nil {
		d.Lower = e.Unit.Language().LowerBound()
	}
	if v := e.Attr(dwarf.AttrLowerBound); v.Exists() {
		n, ok := v.Int()
		if !ok {
			return Dim{Stride: d.Stride}
		}
		d.Lower = n
	}
	if v := e.Attr(dwarf.AttrCount); v.Exists() {
		n, ok := v.Int()
		return d.bound(v, n, ok, false)
	}
	v := e.Attr(dwarf.AttrUpperBound)
	n, ok := v.Int()
	if n == 1<<32-1 || n == 1<<64>>1-1 {
		n = -1 // an array of no elements, as compilers write that in fixed sizes
	}
	return d.bound(v, n-d.Lower+1, ok, true)
}

// stride reads DW_AT_byte_stride or DW_AT_bit_stride (DWARF 5, 5.5 and 5.13); a
// stride that is computed is taken for unknown.
func stride(e die.Entry) int64 {
	const unit = 8
	if n, ok := e.Int(dwarf.AttrStride); ok && n > -maxStride && n < maxStride {
		return n * unit
	}
	if n, ok := e.Int(dwarf.AttrStrideSize); ok && n > -maxStride && n < maxStride {
		return n
	}
	return 0
}

// maxStride bounds the distance between two elements.
const maxStride = 1 << 32

func (d Dim) bound(v die.Value, count int64, constant, last bool) Dim {
	if constant {
		if count >= 0 && count < 1<<32 {
			d.Count, d.Known = uint32(count), true
		}
		return d
	}
	b := &Bound{Last: last}
	if code, ok := v.Block(); ok && v.Class == die.ClassExpr || len(code) > 0 {
		b.Expr = code
	} else if to, ok := v.Entry(); ok {
		b.Variable = to
	} else if list, ok, err := v.List(); ok && err == nil {
		b.List = list
	} else {
		return d
	}
	d.Bound = b
	return d
}
