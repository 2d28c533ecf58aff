package serve

import (
	"fmt"
	"strings"
)

// supported answers qSupported (E.4). No stop is that of a breakpoint.
func (c *client) supported(string) string {
	features := []string{
		fmt.Sprintf("PacketSize=%x", packetSize),
		"QStartNoAckMode+", "qXfer:features:read+", "qXfer:threads:read+",
		"vContSupported+", "binary-upload+", "swbreak-", "hwbreak-", "multiprocess-",
	}
	if c.stub.path != "" {
		features = append(features, "qXfer:exec-file:read+")
	}
	if len(c.stub.regions) > 0 { // gdb takes an empty map as a mistake
		features = append(features, "qXfer:memory-map:read+")
	}
	return strings.Join(features, ";")
}

// offsets answers qOffsets: how far a position-independent program was moved.
func (c *client) offsets(string) string {
	bias := uint32(c.stub.session.Program().Bias())
	return fmt.Sprintf("Text=%x;Data=%x;Bss=%x", bias, bias, bias)
}

// startNoAck ends the acknowledgements: that of this packet was the last one.
func (c *client) startNoAck(string) string {
	c.noAck = true
	return "OK"
}

// transfer answers qXfer:OBJECT:read:ANNEX:OFFSET,LENGTH (E.4).
func (c *client) transfer(args string) string {
	part := strings.Split(args, ":")
	if len(part) != 4 || part[1] != "read" {
		return ""
	}
	var doc string
	switch object, annex := part[0], part[2]; {
	case object == "features" && annex == "target.xml":
		doc = c.stub.description()
	case object == "memory-map" && len(c.stub.regions) > 0:
		doc = c.stub.memoryMap()
	case object == "threads":
		doc = c.threadList()
	case object == "exec-file" && c.stub.path != "":
		doc = c.stub.path
	case object == "features":
		return c.number(0) // E.4: the annex is invalid
	default:
		return ""
	}
	offset, length, ok := parsePair(part[3])
	if !ok {
		return c.number(0)
	}
	return window(doc, offset, length)
}

// window is a piece of a document behind the letter that says whether more
// follows. It is one that fits a packet whatever has to be escaped.
func window(doc string, offset, length uint32) string {
	from := min(uint64(offset), uint64(len(doc)))
	to := min(from+uint64(min(length, maxData)), uint64(len(doc)))
	letter := "m"
	if to == uint64(len(doc)) {
		letter = "l"
	}
	return letter + doc[from:to]
}

// threadSuffix is lldb's request to name a thread behind g and p instead of
// selecting it.
func (c *client) threadSuffix(string) string {
	c.lldb = true
	return "OK"
}
