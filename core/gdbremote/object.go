package gdbremote

import (
	"context"
	"fmt"
	"strings"

	"pushmask/core/gdbremote/rsp"
)

// Bounds on a document that a stub sends in pieces. The largest seen, the
// system registers of an A-profile core in QEMU, has 8 KiB: some 150 pieces of
// the smallest PacketSize.
const (
	maxDocument = 1 << 20 // bytes
	maxPieces   = 1 << 12
)

// readObject reads a document in pieces (E.4, qXfer): "m" and "l" before the
// data say whether more follows.
func (c *Client) readObject(ctx context.Context, object, annex string) (string, error) {
	size := c.features.PacketSize - 5 // the frame, and the letter before the data
	var doc strings.Builder
	for range maxPieces {
		packet := fmt.Sprintf("qXfer:%s:read:%s:%x,%x", object, annex, doc.Len(), size)
		reply, err := c.request(ctx, packet)
		if err != nil {
			return "", err
		}
		piece, err := rsp.Unescape(reply[1:])
		if err != nil || reply[0] != 'm' && reply[0] != 'l' || reply[0] == 'm' && len(piece) == 0 {
			return "", packetError(packet, reply, ErrMalformed)
		}
		doc.Write(piece)
		switch {
		case reply[0] == 'l':
			return doc.String(), nil
		case doc.Len() > maxDocument:
			return "", packetError(packet, "", ErrTooLong)
		}
	}
	return "", fmt.Errorf("read %s: more than %d pieces: %w", object, maxPieces, ErrTooLong)
}
