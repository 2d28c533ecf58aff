package gdbremote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// How stubs differ in the start and the end of a session:
//
//   - QEMU and OpenOCD halt the target when a client connects; QEMU 7.2 has no
//     QStartNoAckMode and answers it with the empty packet.
//   - Black Magic Probe is attached to nothing until "monitor swdp_scan" and
//     vAttach of a number of its list. Before, it refuses the description of the
//     registers and answers "?" with "W00" (gdb_main.c).
//   - "R" has no answer, but st-util says OK. OpenOCD runs ocd_gdb_restart,
//     which is "reset halt" unless the user has it otherwise; Black Magic Probe
//     resets the target.
//   - OpenOCD answers OK to "k" and closes; others just close, or say nothing.
//   - QEMU wants "vAttach" of a second process for the cores of a second
//     cluster (mps2-an521), and a "D" for each process.

// Extended switches to extended mode ("!", E.2), where the stub outlives the
// program and [Client.Restart] works.
func (c *Client) Extended(ctx context.Context) error { return c.command(ctx, "!") }

// Attach attaches the stub to a process, for Black Magic Probe a target of its
// list, and reads what registers it has.
func (c *Client) Attach(ctx context.Context, process int) (Stop, error) {
	end, err := c.begin(ctx)
	if err != nil {
		return Stop{}, packetError("vAttach", "", err)
	}
	defer end()
	s, err := c.stopAfter(ctx, fmt.Sprintf("vAttach;%x", process))
	if err != nil {
		return s, err
	}
	clear(c.refused)
	return s, c.describe(ctx)
}

// Restart starts the program again, in extended mode, and returns how it
// stands then.
func (c *Client) Restart(ctx context.Context) (Stop, error) {
	end, err := c.begin(ctx)
	if err != nil {
		return Stop{}, packetError("R00", "", err)
	}
	defer end()
	if err := c.conn.postUnsure(ctx, "R00"); err != nil {
		return Stop{}, err
	}
	return c.stopAfter(ctx, "?")
}

// Detach lets the target run and ends the session, also where the stub does not
// do as it is told.
func (c *Client) Detach(ctx context.Context) error {
	return errors.Join(c.detach(ctx), c.Close())
}

// detach is "D" for each process, or for all where they have no numbers.
func (c *Client) detach(ctx context.Context) error {
	end, err := c.begin(ctx)
	if err != nil {
		return packetError("D", "", err)
	}
	defer end()
	if len(c.attached) == 0 {
		return c.command(ctx, "D")
	}
	for _, p := range slices.Sorted(maps.Keys(c.attached)) {
		if err := c.command(ctx, "D;"+p); err != nil {
			return err
		}
	}
	return nil
}

// process is the process of a thread-id with one: "1" of "p1.2".
func process(thread string) (string, bool) {
	rest, ok := strings.CutPrefix(thread, "p")
	p, _, _ := strings.Cut(rest, ".")
	return p, ok && p != "-1"
}

// Kill ends the target, where the stub can, and the session.
func (c *Client) Kill(ctx context.Context) error {
	return errors.Join(c.conn.post(ctx, "k"), c.Close()) // "k" has no answer
}
