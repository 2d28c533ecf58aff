package serve

import (
	"encoding/hex"

	"pushmask/core"
)

// readHex answers m with the bytes up to the first that is missing (E.2).
func (c *client) readHex(args string) string {
	data, ok := c.read(args)
	if !ok {
		return c.number(errAddress)
	}
	return hex.EncodeToString(data)
}

// readBinary answers x. gdb since 16 and lldb since 20 want "b" before the data
// and were told so (binary-upload); older lldb asks with a read of no bytes
// whether there is such a packet, and wants the data alone.
func (c *client) readBinary(args string) string {
	if args == "0,0" {
		c.bare = true
		return "OK"
	}
	data, ok := c.read(args)
	switch {
	case !ok:
		return c.number(errAddress)
	case !c.bare:
		return "b" + string(data)
	case len(data) == 3 && data[0] == 'E':
		data = data[:2] // or it would read as an error
	}
	return string(data)
}

// read answers m and x: as many of the bytes as there are from the address on.
func (c *client) read(args string) ([]byte, bool) {
	addr, size, ok := parsePair(args)
	if !ok || size == 0 {
		return nil, false
	}
	buf := make([]byte, min(size, maxData))
	n, _ := c.stub.session.Memory().ReadAt(core.Addr(addr), buf) // what is missing shows in n
	if c.lldb && n < len(buf) && size == lldbLine && addr%lldbLine == 0 {
		return nil, false
	}
	return buf[:n], n > 0
}

// lldbLine is the size of the lines that lldb's cache of memory reads, bytes.
// lldb 16 writes past its buffers when a line comes short (seen: a crash in
// free, memory of the target in the text of a stop), so it gets all of one or nothing.
// Without that cache (target.process.disable-memory-cache) it reads what it needs.
const lldbLine = 512
