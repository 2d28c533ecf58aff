package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pushmask/core/dump"
	"pushmask/elfsym"
)

// ErrNoThread is returned for a thread that the artefact does not have.
var ErrNoThread = errors.New("no such thread")

// ErrNotDump is found in the error for a file that is in no known crash format.
var ErrNotDump = dump.ErrUnrecognized

// ErrNotCore is found in the error for an ELF file that is no core.
var ErrNotCore = dump.ErrNotCore

// ErrNoAddress is found in the error for a file that is in no known crash format
// and may be raw memory, of which the address was not given. It wraps
// [ErrNotDump].
var ErrNoAddress = dump.ErrNoAddress

// ErrNotImage is found in the error for a file that is no ELF.
var ErrNotImage = elfsym.ErrNotELF

// OpenError says which file could not be opened, why, and what the user can do.
type OpenError struct {
	What  string // "ELF image" or "crash dump"
	Path  string // as the user gave it
	Cause string // why, for people
	Hint  string // what to do next, "" where nothing helps
	Err   error
}

// Error implements error: one line, the hint last.
func (e *OpenError) Error() string {
	text := fmt.Sprintf("open %s %q: %s", e.What, e.Path, e.Cause)
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// Unwrap returns the cause.
func (e *OpenError) Unwrap() error { return e.Err }

// imageError explains why the image at full, which the user named given, did
// not open.
func imageError(given, full string, err error) error {
	e := fileError("ELF image", given, full, err)
	if fe, ok := errors.AsType[*elfsym.FormatError](err); ok && e.Hint == "" {
		e.Cause, e.Hint = fe.Reason.Error(), fe.Remedy
		if fe.Detail != "" {
			e.Cause += " (" + fe.Detail + ")"
		}
	}
	if errors.Is(err, elfsym.ErrCore) {
		e.Hint = "give the firmware ELF first and the dump second"
	}
	return e
}

// dumpError explains why the dump at full, which the user named given, did not
// open.
func dumpError(given, full string, err error) *OpenError {
	if e, ok := errors.AsType[*OpenError](err); ok {
		return e // the image, opened again at the address that the dump says
	}
	e := fileError("crash dump", given, full, err)
	e.Cause = strings.TrimPrefix(e.Cause, "open dump "+full+": ")
	if e.Hint != "" {
		return e
	}
	if fe, ok := errors.AsType[*dump.FormatError](err); ok {
		e.Cause = fe.Error()
	}
	switch {
	case errors.Is(err, dump.ErrNotCore):
		e.Hint = "give the firmware ELF first and the dump second"
	case errors.Is(err, dump.ErrNoAddress):
		e.Cause, e.Hint = dump.ErrUnrecognized.Error(), whatToGive
	case errors.Is(err, dump.ErrUnrecognized):
		e.Hint = whatToGive
	case errors.Is(err, dump.ErrNotRegular):
		e.Cause = dump.ErrNotRegular.Error()
	case errors.Is(err, dump.ErrEmpty):
		e.Cause = dump.ErrEmpty.Error()
	}
	return e
}

const whatToGive = "give the core file or dump, or the log, that the crash left behind"

// fileError explains what can go wrong with any file.
func fileError(what, given, full string, err error) *OpenError {
	e := &OpenError{What: what, Path: given, Cause: err.Error(), Err: err}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		e.Cause = p.Err.Error()
	}
	if errors.Is(err, fs.ErrNotExist) {
		if abs, err := filepath.Abs(full); err == nil {
			full = abs
		}
		e.Hint = "looked for " + full
	} else if info, err := os.Stat(full); err == nil && info.IsDir() {
		e.Cause, e.Hint = "it is a folder", "give the file in it"
	}
	return e
}
