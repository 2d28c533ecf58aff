package gdbremote

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// maxClusters bounds how many processes of QEMU are attached to.
const maxClusters = 16

// AttachClusters attaches to the cores that QEMU shows as further processes, one
// for each cluster of the machine, as "attach 2" does in gdb, and returns how
// many there are. Breakpoints of QEMU are in all cores (gdbstub.c,
// gdb_breakpoint_insert), and a core that nobody is attached to stops at them
// without being named: the stop would be taken for one of another core. The
// thread that stopped stays the same. Other stubs are left alone: to theirs, the
// number of a process may be that of any program of the host.
func (c *Client) AttachClusters(ctx context.Context) (int, error) {
	end, err := c.begin(ctx)
	if err != nil {
		return 0, packetError("vAttach", "", err)
	}
	defer end()
	if !c.features.Multiprocess {
		return 0, nil
	}
	if ok, err := c.isQEMU(ctx); err != nil || !ok {
		return 0, err
	}
	stopped, selected := c.current, c.selected['g']
	defer func() { c.current, c.selected['g'] = stopped, selected }()
	n := 0
	for ; n < maxClusters; n++ {
		s, err := c.stopAfter(ctx, fmt.Sprintf("vAttach;%x", c.lastProcess()+1))
		if isReply(err) {
			break
		}
		if err != nil {
			return n, err
		}
		selected = s.Thread // QEMU selects the core that it attaches to
	}
	return n, nil
}

// lastProcess is the highest number of a process that is attached to.
func (c *Client) lastProcess() uint64 {
	last := uint64(1)
	for p := range c.attached {
		if n, err := strconv.ParseUint(p, 16, 32); err == nil {
			last = max(last, n)
		}
	}
	return last
}

// isQEMU asks once whether the stub is QEMU's.
func (c *Client) isQEMU(ctx context.Context) (bool, error) {
	if c.qemu == nil {
		reply, err := c.ask(ctx, "qqemu.sstepbits")
		if err != nil {
			return false, err
		}
		is := strings.HasPrefix(reply, "ENABLE=")
		c.qemu = &is
	}
	return *c.qemu, nil
}
