package gdbremote

import (
	"errors"
	"io"
	"net"
	"slices"
	"syscall"
)

// Windows has numbers of its own for errors of sockets (Windows Sockets Error
// Codes), which errors.Is does not find by their POSIX names.
const (
	wsaConnAborted = syscall.Errno(10053)
	wsaConnReset   = syscall.Errno(10054)
	wsaTimedOut    = syscall.Errno(10060)
	wsaConnRefused = syscall.Errno(10061)
	wsaHostUnreach = syscall.Errno(10065)
)

// refusedErrors are those of a port that nobody listens on.
var refusedErrors = []error{syscall.ECONNREFUSED, wsaConnRefused}

// closedErrors are those of a connection that is no more: closed by either
// end, reset, or given up by TCP because the other end does not answer its
// keep-alive probes.
var closedErrors = []error{
	io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed,
	syscall.ECONNRESET, syscall.EPIPE, syscall.ETIMEDOUT, syscall.EHOSTUNREACH, syscall.ECONNABORTED,
	wsaConnReset, wsaConnAborted, wsaTimedOut, wsaHostUnreach,
}

// isAny reports whether err is one of list.
func isAny(err error, list []error) bool {
	return slices.ContainsFunc(list, func(e error) bool { return errors.Is(err, e) })
}
