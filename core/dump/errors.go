package dump

import (
	"errors"
	"fmt"
)

// What a caller may want to tell apart. All but ErrNoThread are returned by
// [Open].
var (
	// ErrUnrecognized is returned when no reader claims the file.
	ErrUnrecognized = errors.New("no known crash format")
	// ErrNoAddress is returned for a binary file that no reader claims and of
	// which the options do not say where in memory it lies. It wraps
	// [ErrUnrecognized].
	ErrNoAddress = fmt.Errorf("%w, and no address is given that it could be raw memory of", ErrUnrecognized)
	// ErrTooLarge is returned for a packed file that unpacks to more than can be
	// held.
	ErrTooLarge = errors.New("the unpacked file is too large")
	// ErrNotRegular is returned for a folder, a pipe or a device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrEmpty is returned for a file without a byte.
	ErrEmpty = errors.New("the file is empty")
	// ErrNotCore is returned for an ELF file that is a program, a library or
	// an object file and no core.
	ErrNotCore = errors.New("not a core file")
	// ErrUnsupported is returned for the dump of a machine that pushmask does
	// not handle: another architecture, 64 bit, big-endian.
	ErrUnsupported = errors.New("machine is not supported")
	// ErrNoCrash is returned for the number of a crash that the artefact does
	// not have.
	ErrNoCrash = errors.New("no such crash in the file")
	// ErrNoThread is returned for a thread ID that the dump does not have.
	ErrNoThread = errors.New("no such thread")
)

// FormatError says what is wrong with a file whose format was recognised and
// that cannot be used even in part.
type FormatError struct {
	Format string // the reader that claimed the file: "ELF core"
	Off    int64  // offset in the file, in bytes
	Msg    string // what was found and expected
	Err    error  // a sentinel of this package or an I/O error; may be nil
}

// Error implements error.
func (e *FormatError) Error() string {
	return fmt.Sprintf("%s, offset %#x: %s", e.Format, e.Off, e.Msg)
}

// Unwrap returns Err.
func (e *FormatError) Unwrap() error { return e.Err }

// PartError is the error of one of the further files of a crash.
type PartError struct {
	Path string // of the file
	Err  error
}

// Error implements error.
func (e *PartError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *PartError) Unwrap() error { return e.Err }
