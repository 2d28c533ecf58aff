package serve

import (
	"errors"

	"pushmask/internal/loopback"
)

var (
	// ErrNoThreads is returned for a crash without registers: a client of the
	// protocol has to be shown a thread.
	ErrNoThreads = errors.New("the artefact has no registers of any thread; give some with --with or --reg")
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
