package types

import (
	"debug/dwarf"
	"slices"
)

// pointerSize is that of 32-bit ARM, in bytes. Some producers leave the size of
// pointers out.
const pointerSize = 4

// Size returns the size of an object in bytes. It is false where that is not
// known: for incomplete types, functions, and arrays whose length depends on the
// frame.
func (t *Type) Size() (uint32, bool) {
	n, ok := t.size(0)
	return uint32(n), ok && n < 1<<32
}

func (t *Type) size(depth int) (uint64, bool) {
	if depth > maxHops {
		return 0, false
	}
	if t.IsRecord() || t.Kind == Enum {
		t = t.Definition()
	}
	if n, ok := t.Entry.Uint(dwarf.AttrByteSize); ok && n < 1<<32 {
		return n, true
	}
	if n, ok := t.Entry.Uint(dwarf.AttrBitSize); ok && n < 1<<32 && t.Kind == Base {
		return (n + 7) / 8, true
	}
	switch t.Kind {
	case Pointer, Reference, RvalueReference:
		return pointerSize, true
	case Unspecified:
		return pointerSize, t.language().IsCPlusPlus() // std::nullptr_t
	case MemberPointer:
		// Itanium C++ ABI 2.3: an offset; for functions a pointer and an adjustment.
		if t.Elem().Underlying().Kind == Function {
			return 2 * pointerSize, true
		}
		return pointerSize, true
	case Typedef, Const, Volatile, Restrict, Atomic, Subrange, Enum:
		if !t.HasElem() {
			return 0, false
		}
		return t.Elem().size(depth + 1)
	case Array:
		return t.arraySize(depth)
	}
	return 0, false
}

func (t *Type) arraySize(depth int) (uint64, bool) {
	size, ok := t.Elem().size(depth + 1)
	if !ok {
		return 0, false
	}
	bits := size * 8
	for _, d := range slices.Backward(t.Dims()) {
		if d.Stride != 0 {
			bits = uint64(max(d.Stride, 0))
		}
		if !d.Known || d.Count != 0 && bits > maxArray/uint64(d.Count) {
			return 0, false
		}
		bits *= uint64(d.Count)
	}
	return (bits + 7) / 8, true
}

// maxArray bounds an array in bits: that of the address space.
const maxArray = 8 << 32
