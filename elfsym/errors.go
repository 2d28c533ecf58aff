package elfsym

import (
	"errors"
	"fmt"
)

// Reasons why a file is refused, found with errors.Is in a [*FormatError].
var (
	ErrNotELF    = errors.New("not an ELF file")
	ErrNotARM    = errors.New("not for 32-bit ARM")
	ErrBigEndian = errors.New("big-endian")
	ErrClass64   = errors.New("64-bit ELF")
	ErrCore      = errors.New("a core dump, not firmware")
	ErrObject    = errors.New("an object file, not linked")
	ErrTruncated = errors.New("truncated")
	ErrMalformed = errors.New("malformed")
)

// ErrNoBytes is returned by [Image.ReadAt] where no segment has file-backed
// bytes.
var ErrNoBytes = errors.New("image has no bytes at this address")

// FormatError says why a file cannot be used as a firmware image.
type FormatError struct {
	Path   string
	Off    int64  // offset in the file of what is wrong
	Reason error  // one of the Err values of this package
	Detail string // the facts: what was found, what was expected
	Remedy string // what the user can do, "" when nothing is known to help
}

// Error implements error.
func (e *FormatError) Error() string {
	s := fmt.Sprintf("%s: %v", e.Path, e.Reason)
	if e.Detail != "" {
		s += " (" + e.Detail + ")"
	}
	if e.Remedy != "" {
		s += ": " + e.Remedy
	}
	return s
}

// Unwrap returns the reason.
func (e *FormatError) Unwrap() error { return e.Reason }
