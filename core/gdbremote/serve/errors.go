package serve

import (
	"errors"

	"pushmask/internal/loopback"
)

var (
	// ErrNoPC is returned for a crash of which no thread has a PC: clients show
	// nothing of a machine that stands nowhere.
	ErrNoPC = errors.New("the artefact has no PC of any thread, without which a debugger shows nothing")
	// ErrNotLoopback is returned by [Stub.Listen] for an address that other
	// machines could reach.
	ErrNotLoopback = loopback.ErrNotLoopback
)

// Errors as numbers (E.1: what they mean is up to the stub; these are of
// errno.h), where a client takes no text.
const (
	errAddress = 0x0e // EFAULT
	errInvalid = 0x16 // EINVAL
)
