package core

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Memory is readable target memory.
type Memory interface {
	// ReadAt reads len(p) bytes at addr. When only a prefix exists it returns
	// the length of that prefix and a [*ReadError] naming the first hole.
	// Reads that would pass the top of the address space stop there.
	ReadAt(addr Addr, p []byte) (n int, err error)
}

// ErrNoMemory is what errors.Is finds in every error for a read from an
// address that the target does not have.
var ErrNoMemory = errors.New("memory is not available")

// ReadError says where memory ends: Len bytes from Addr on are not available.
// Len is 0 when the extent of the hole is not known.
type ReadError struct {
	Addr Addr
	Len  uint32
}

// Error implements error.
func (e *ReadError) Error() string {
	if e.Len <= 1 {
		return fmt.Sprintf("memory at %v is not available", e.Addr)
	}
	return fmt.Sprintf("memory at %v..%v is not available", e.Addr, e.Addr+Addr(e.Len)-1)
}

// Unwrap makes errors.Is(err, ErrNoMemory) true.
func (e *ReadError) Unwrap() error { return ErrNoMemory }

// DeviceError tells that memory was not read because a read there may change the
// target, and nobody had asked for it.
type DeviceError struct{ Addr Addr }

// Error implements error.
func (e *DeviceError) Error() string {
	return fmt.Sprintf("memory at %v is not read: it may be of a device that a read changes", e.Addr)
}

// Unwrap makes it a [ReadError] too.
func (e *DeviceError) Unwrap() error { return &ReadError{Addr: e.Addr} }

// ReadU32 reads a little-endian word.
func ReadU32(m Memory, a Addr) (uint32, error) {
	var b [4]byte
	if _, err := m.ReadAt(a, b[:]); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b[:]), nil
}

// ReadU16 reads a little-endian halfword.
func ReadU16(m Memory, a Addr) (uint16, error) {
	var b [2]byte
	if _, err := m.ReadAt(a, b[:]); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint16(b[:]), nil
}
