// Package gdbremote is a client of the GDB remote serial protocol: it talks to
// the stub of a live target (QEMU, OpenOCD, a probe's server), reads and writes
// its registers and memory, runs it, sets breakpoints and programs its flash.
// It knows the protocol and nothing of images, frames or editors.
//
// The protocol is the one of "Debugging with GDB", appendix E (Remote
// Protocol); the sections named in comments are of that appendix. How stubs
// differ from it and from each other stands at the top of the file that deals
// with it: registers in layout.go, running in resume.go, reasons to stop in
// stop.go, breakpoints in breakpoint.go, memory in memory.go, flash in flash.go,
// threads in threads.go, the start and end of a session in session.go, serial
// devices in serial.go.
package gdbremote

import (
	"errors"
	"fmt"

	"pushmask/core/gdbremote/rsp"
)

// The reasons an exchange fails, for errors.Is.
var (
	// ErrUnsupported: the stub does not know the packet and answers it with the
	// empty packet.
	ErrUnsupported = errors.New("the stub does not support this")
	// ErrRefused: the stub answers "Enn" or "E.text".
	ErrRefused = errors.New("the stub refuses")
	// ErrMalformed: the answer is not what the protocol says.
	ErrMalformed = rsp.ErrMalformed
	// ErrChecksum: a packet arrived damaged, also when sent again.
	ErrChecksum = errors.New("checksum of the answer does not match")
	// ErrNoAck: the stub did not acknowledge a packet, also when sent again.
	ErrNoAck = errors.New("the stub does not acknowledge")
	// ErrNoAnswer: the stub took a packet and did not answer it in time.
	ErrNoAnswer = errors.New("the stub does not answer")
	// ErrNotInterrupted: the target runs on although it was told to stop.
	ErrNotInterrupted = errors.New("the target does not stop when it is interrupted")
	// ErrRunning: the target runs, and the stub hears nothing until it stops.
	ErrRunning = errors.New("the target is running")
	// ErrTooLong: a packet exceeds [rsp.MaxPacket], or an answer of several
	// packets what the client takes.
	ErrTooLong = rsp.ErrTooLong
	// ErrClosed: the connection is closed, by the stub, by the network, or by
	// [Client.Close].
	ErrClosed = errors.New("the connection to the stub is closed: check that the GDB server still runs and the probe is plugged in")
)

// PacketError is a failed exchange.
type PacketError struct {
	Packet string // the request, shortened
	Reply  string // the answer, shortened; "" where there is none
	Err    error  // one of the sentinels above, or of the network or context
}

// Error implements error.
func (e *PacketError) Error() string {
	if e.Reply == "" {
		return fmt.Sprintf("send %q: %v", e.Packet, e.Err)
	}
	return fmt.Sprintf("send %q: %v: %q", e.Packet, e.Err, e.Reply)
}

// Unwrap returns the reason.
func (e *PacketError) Unwrap() error { return e.Err }

// Text is what the stub says about its refusal in "E.text", "" where it gives
// no more than a number.
func (e *PacketError) Text() string {
	if len(e.Reply) > 2 && e.Reply[:2] == "E." {
		return e.Reply[2:]
	}
	return ""
}

// packetError names the exchange that failed.
func packetError(packet, reply string, err error) *PacketError {
	return &PacketError{Packet: shorten(packet), Reply: shorten(reply), Err: err}
}

// shorten keeps errors readable: answers may hold a megabyte.
func shorten(s string) string {
	const most = 96
	if len(s) <= most {
		return s
	}
	return s[:most] + "..."
}

// closedError is ErrClosed with what the connection says.
type closedError struct{ cause error }

func (e *closedError) Error() string   { return fmt.Sprintf("%v (%v)", ErrClosed, e.cause) }
func (e *closedError) Unwrap() []error { return []error{ErrClosed, e.cause} }
