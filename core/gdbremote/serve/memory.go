package serve

import "encoding/hex"

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
