// Package gdbremote is a client of the GDB remote serial protocol: it talks to
// the stub of a live target (QEMU, OpenOCD, a probe's server) and reads its
// registers and memory, steps it, runs it and sets breakpoints. It knows the
// protocol and nothing of images, frames or editors.
//
// The protocol is the one of "Debugging with GDB", appendix E (Remote
// Protocol); the sections named in comments are of that appendix.
//
// Stubs differ in ways that the manual does not say:
//
//   - QEMU sends the integer registers alone in the answer to "g" although its
//     target.xml goes on with floating-point registers, and it sends the layout
//     of the FPA coprocessor until target.xml was read once.
//   - QEMU refuses reads that do not fit its PacketSize instead of answering
//     with fewer bytes; others answer with fewer.
//   - QEMU 7.2 has no QStartNoAckMode and answers it with the empty packet.
//   - QEMU masks interrupts and timers while it steps unless it is told not to
//     (Qqemu.sstep=1, through [Client.Exchange]).
//   - A byte that arrives while the target runs stops it, whatever it is: a
//     request must not be sent before the stop reply.
package gdbremote

import (
	"errors"
	"fmt"

	"pushmask/core/gdbremote/rsp"
)

// The reasons an exchange fails, for errors.Is.
var (
	// ErrUnsupported: the stub answers with the empty packet (E.1).
	ErrUnsupported = errors.New("the stub does not know the packet")
	// ErrRefused: the stub answers with an error number or text.
	ErrRefused = errors.New("the stub refuses")
	// ErrMalformed: the answer is not what the protocol says.
	ErrMalformed = rsp.ErrMalformed
	// ErrChecksum: a packet arrived damaged, also when sent again.
	ErrChecksum = errors.New("checksum of the answer does not match")
	// ErrNoAck: the stub did not acknowledge a packet, also when sent again.
	ErrNoAck = errors.New("the stub does not acknowledge")
	// ErrTooLong: a packet exceeds [rsp.MaxPacket].
	ErrTooLong = rsp.ErrTooLong
	// ErrClosed: the stub closed the connection.
	ErrClosed = errors.New("the stub closed the connection")
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

// packetError names the exchange that failed.
func packetError(packet, reply string, err error) *PacketError {
	return &PacketError{Packet: shorten(packet), Reply: shorten(reply), Err: err}
}

// shorten keeps errors readable: answers may hold a megabyte.
func shorten(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	return s[:most] + "..."
}
