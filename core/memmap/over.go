package memmap

import (
	"errors"

	"pushmask/core"
)

// Over returns the memory that reads top and fills its holes, byte for byte,
// from bottom. A hole of both is reported with the length that both lack.
//
// Where top does not say how long its hole is ([core.ReadError] with Len 0)
// one byte is filled before top is asked again, so that no byte of bottom can
// hide one of top.
func Over(top, bottom core.Memory) core.Memory { return layered{top, bottom} }

type layered struct{ top, bottom core.Memory }

// ReadAt implements [core.Memory]. Errors that are not about missing memory
// are returned as top or bottom gave them.
func (l layered) ReadAt(addr core.Addr, p []byte) (int, error) {
	end := int(min(uint64(len(p)), addressSpace-uint64(addr)))
	n := 0
	for n < end {
		got, err := l.top.ReadAt(addr+core.Addr(n), p[n:end])
		if n += got; n >= end {
			break
		}
		gap, ok := errors.AsType[*core.ReadError](err)
		if !ok {
			return n, err
		}
		size := int(min(uint64(max(gap.Len, 1)), uint64(end-n)))
		got, err = l.bottom.ReadAt(addr+core.Addr(n), p[n:n+size])
		n += got
		if got < size {
			return n, bothLack(err, size-got)
		}
	}
	if end < len(p) {
		return n, ErrTop
	}
	return n, nil
}

// bothLack limits the hole that bottom reported to the size bytes that are
// left of the hole of top.
func bothLack(err error, size int) error {
	re, ok := errors.AsType[*core.ReadError](err)
	if !ok {
		return err
	}
	return &core.ReadError{Addr: re.Addr, Len: min(re.Len, uint32(size))}
}
