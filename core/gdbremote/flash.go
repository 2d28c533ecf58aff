package gdbremote

import (
	"context"
	"fmt"
	"time"

	"pushmask/core"
)

// How stubs differ in programming flash:
//
//   - OpenOCD wants an erase of whole sectors and takes writes until vFlashDone,
//     which is when it programs; Black Magic Probe resets the target at the first
//     erase and programs at each write; st-util keeps what is written until
//     vFlashDone too.
//   - An erase of a chip takes up to half a minute and is one exchange.

// flashTimeout bounds an exchange that erases or programs, unless the context
// ends before: sectors of 128 KiB take some seconds each.
const flashTimeout = 2 * time.Minute

// FlashErase erases flash, whole blocks of the memory map.
func (c *Client) FlashErase(ctx context.Context, addr core.Addr, size uint32) error {
	return c.commandWithin(ctx, flashTimeout, fmt.Sprintf("vFlashErase:%x,%x", uint32(addr), size))
}

// FlashWrite programs erased flash, in as many packets as it takes. The stub
// may put it off until [Client.FlashDone].
func (c *Client) FlashWrite(ctx context.Context, addr core.Addr, p []byte) error {
	return c.flashWrite(ctx, addr, p, func(int) {})
}

// flashWrite calls written with the bytes of each packet.
func (c *Client) flashWrite(ctx context.Context, addr core.Addr, p []byte, written func(int)) error {
	const head = len("$vFlashWrite:00000000:") + len("#00")
	room := max(c.features.PacketSize-head, 1)
	for len(p) > 0 {
		n := escapedPrefix(p, room)
		packet := fmt.Sprintf("vFlashWrite:%x:%s", uint32(addr), p[:n])
		if err := c.commandWithin(ctx, flashTimeout, packet); err != nil {
			return &WriteError{addr, err}
		}
		written(n)
		addr, p = addr+core.Addr(n), p[n:]
	}
	return nil
}

// FlashDone ends the programming of flash: what was put off is done.
func (c *Client) FlashDone(ctx context.Context) error {
	return c.commandWithin(ctx, flashTimeout, "vFlashDone")
}
