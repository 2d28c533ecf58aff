package dap

import (
	"context"
	"errors"
	"fmt"
)

// errorID is the stable number of an error response (ErrorMessage.id). The
// numbers are part of the interface: they are never reused.
type errorID int

// The error ids.
const (
	errInternal        errorID = 1000 // a defect of pushmask
	errCancelled       errorID = 1001
	errMalformed       errorID = 2000 // the message cannot be decoded
	errUnsupported     errorID = 2001 // no such request here
	errOutOfOrder      errorID = 2002 // the request comes too early or twice
	errArgument        errorID = 2003 // an argument has no sensible value
	errUnknownThread   errorID = 2010
	errUnknownFrame    errorID = 2011
	errUnknownVariable errorID = 2012
	errUnknownSource   errorID = 2013
	errConfig          errorID = 3000 // a launch attribute is wrong or missing
	errFile            errorID = 3001 // a file of the launch configuration cannot be used
	errOpenImage       errorID = 3002
	errOpenDump        errorID = 3003
	errStack           errorID = 4000
	errDisassemble     errorID = 4001
	errEvaluate        errorID = 4002
	errMemory          errorID = 4003
	errConnect         errorID = 5000 // the GDB server cannot be reached
	errRunning         errorID = 5001
	errBreakpoint      errorID = 5002
	errTarget          errorID = 5003 // the target does not do what it should
	errReset           errorID = 5004
	errLoad            errorID = 5005
	errServer          errorID = 5007 // the GDB server cannot be started
	errReadOnly        errorID = 5006 // what is to be changed cannot be
)

// requestError is an error with the text that the user reads: a sentence that
// says what is wrong and, where there is a remedy, what to do.
type requestError struct {
	id   errorID
	text string
	show bool // the client should show it even where it could keep quiet
	err  error
}

// failf makes a requestError. An error among args is wrapped by %w as usual.
func failf(id errorID, format string, args ...any) *requestError {
	err := fmt.Errorf(format, args...)
	return &requestError{id: id, text: err.Error(), err: errors.Unwrap(err)}
}

// Error implements error.
func (e *requestError) Error() string { return e.text }

// Unwrap returns the cause.
func (e *requestError) Unwrap() error { return e.err }

// message is the short form for Response.message. "cancelled" and "notStopped"
// are values that clients know (Base protocol, Response).
func (e *requestError) message() string {
	switch e.id {
	case errCancelled:
		return "cancelled"
	case errRunning:
		return "notStopped"
	}
	return e.text
}

func isRequestError(err error) bool {
	_, ok := errors.AsType[*requestError](err)
	return ok
}

// asRequestError makes any error of a handler presentable. ctx is that of the
// request.
func asRequestError(ctx context.Context, err error) *requestError {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return failf(errCancelled, "the request was cancelled: %w", err)
	}
	if e, ok := errors.AsType[*requestError](err); ok {
		return e
	}
	return failf(errInternal, "%w", err)
}
