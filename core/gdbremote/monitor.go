package gdbremote

import (
	"context"
	"encoding/hex"
	"fmt"
)

// Monitor runs a command of the server (E.4, qRcmd), as gdb's "monitor", and
// passes on what it prints as it comes; nil drops it. Commands may take long:
// ctx alone bounds them, and a command that is given up takes the connection
// along. Output of others in between is passed on too, which nobody can tell
// from the command's own. It fails with [ErrRefused] where the server says that
// the command failed. Black Magic Probe answers [ErrUnsupported] to a command
// that it does not know.
func (c *Client) Monitor(ctx context.Context, command string, output func(text string)) error {
	if output == nil {
		output = func(string) {}
	}
	packet := fmt.Sprintf("qRcmd,%x", command)
	reply, err := c.conn.exchangeWithin(ctx, 0, packet, func(payload []byte) bool {
		return printed(payload, func(b []byte) { output(string(b)) }) || isStop(payload)
	})
	if err != nil {
		return err
	}
	if err := replyError(packet, reply); err != nil || reply == "OK" {
		return err
	}
	text, err := hex.DecodeString(reply)
	if err != nil {
		return packetError(packet, reply, ErrMalformed)
	}
	output(string(text))
	return nil
}
