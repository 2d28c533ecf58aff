package gdbremote

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"pushmask/core"
)

// Stubs with semihosting leave files to the client (E.13, File-I/O): QEMU when
// a client is connected (-semihosting-config target=auto), OpenOCD after "arm
// semihosting_fileio enable", Black Magic Probe always. What the program prints
// is shown; there is no other file.

// The descriptors of File-I/O that are consoles, and how errors are told
// (E.13.9, errno values).
const (
	consoleOut   = 1
	consoleErr   = 2
	errnoUnknown = 9999
	errnoBadFile = 9
	errnoFault   = 14
)

// maxWrite bounds the output of one request, bytes.
const maxWrite = 1 << 16

// fileIO carries a request out and returns the answer to it.
func (c *Client) fileIO(ctx context.Context, request string) string {
	call, rest, _ := strings.Cut(request[1:], ",")
	args := strings.Split(rest, ",")
	switch call {
	case "write":
		return c.fileWrite(ctx, args)
	case "isatty":
		if fd, err := strconv.ParseUint(args[0], 16, 32); err == nil && fd <= consoleErr {
			return "F1"
		}
		return "F0"
	case "close":
		return "F0"
	}
	return fileError(errnoUnknown)
}

// fileWrite is "write,fd,address,count".
func (c *Client) fileWrite(ctx context.Context, args []string) string {
	var n [3]uint64
	if len(args) != len(n) {
		return fileError(errnoUnknown)
	}
	for i := range n {
		var err error
		if n[i], err = strconv.ParseUint(args[i], 16, 32); err != nil {
			return fileError(errnoUnknown)
		}
	}
	if n[0] != consoleOut && n[0] != consoleErr {
		return fileError(errnoBadFile)
	}
	text := make([]byte, min(n[2], maxWrite))
	got, err := c.readMemory(core.Addr(n[1]), text, func(packet string) (string, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, c.conn.timeout, ErrNoAnswer)
		defer cancel()
		reply, err := c.conn.roundTrip(ctx, packet, c.conn.output)
		return string(reply), err
	})
	if got == 0 && err != nil {
		return fileError(errnoFault)
	}
	c.conn.console(text[:got])
	return fmt.Sprintf("F%x", got)
}

// fileError is the answer for a request that failed. Numbers are hexadecimal.
func fileError(errno int) string { return fmt.Sprintf("F-1,%x", errno) }
