package gdbremote

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pushmask/core/gdbremote/rsp"
)

// Features is what a stub says it can do in its answer to qSupported (E.4).
type Features struct {
	PacketSize      int  // payload that the stub takes, bytes
	NoAck           bool // acknowledgements are left out
	Multiprocess    bool // threads have the numbers of processes: "p1.2"
	Description     bool // the layout of the registers (qXfer:features:read)
	MemoryMap       bool // qXfer:memory-map:read
	ThreadList      bool // qXfer:threads:read
	BinaryRead      bool // the "x" packet (binary-upload of gdb 16)
	SoftwareReason  bool // stops name software breakpoints (swbreak)
	HardwareReason  bool // stops name hardware breakpoints (hwbreak)
	InterruptPacket bool // vCtrlC in place of the byte 0x03
}

// Limits of a PacketSize that a stub announces, in bytes. Without an
// announcement packets are small enough for the least of stubs.
const (
	minPacketSize     = 64
	defaultPacketSize = 400
)

// supportedPacket is what the client says of itself: swbreak and hwbreak have
// stops tell their reason, xmlRegisters asks for the description that gdb would
// get, multiprocess has QEMU show the cores of a second cluster (mps2-an521),
// error-message allows refusals a text (gdb 16).
const supportedPacket = "qSupported:multiprocess+;swbreak+;hwbreak+;vContSupported+;error-message+;xmlRegisters=arm"

// Features returns what the stub can do.
func (c *Client) Features() Features { return c.features }

// negotiate is the start of a session (E.4, qSupported, QStartNoAckMode).
func (c *Client) negotiate(ctx context.Context) error {
	reply, err := c.ask(ctx, supportedPacket)
	if err != nil {
		return err
	}
	if reply == supportedPacket {
		return packetError(supportedPacket, reply, fmt.Errorf("an echo: %w", ErrMalformed))
	}
	announced := parseFeatures(reply)
	c.features = readFeatures(announced)
	if announced["QStartNoAckMode"] == "+" {
		err := c.command(ctx, "QStartNoAckMode")
		if err != nil && !isReply(err) {
			return err
		}
		c.features.NoAck = err == nil
		c.conn.noAck = err == nil
	}
	return c.describe(ctx)
}

// describe reads the layout of the registers where the stub has one, of the
// process that it has selected. A stub that is not attached to anything refuses
// (Black Magic Probe answers "E01").
func (c *Client) describe(ctx context.Context) error {
	if !c.features.Description {
		return nil
	}
	l, err := readLayout(ctx, c)
	if isReply(err) {
		return nil // told by the length of "g" then
	}
	if err != nil {
		return err
	}
	if p, ok := process(c.current); ok && p != c.home {
		c.others[p] = &l
	} else {
		c.layout.Store(&l)
	}
	return nil
}

// layoutOf is the layout of the registers of a thread; ok is false for one of
// a process whose layout was not read yet.
func (c *Client) layoutOf(thread string) (l *layout, ok bool) {
	p, ok := process(thread)
	if !ok || p == c.home {
		return c.layout.Load(), true
	}
	l, ok = c.others[p]
	return l, ok
}

func readFeatures(announced map[string]string) Features {
	has := func(name string) bool { return announced[name] == "+" }
	f := Features{
		PacketSize:      defaultPacketSize,
		Multiprocess:    has("multiprocess"),
		Description:     has("qXfer:features:read"),
		MemoryMap:       has("qXfer:memory-map:read"),
		ThreadList:      has("qXfer:threads:read"),
		BinaryRead:      has("binary-upload"),
		SoftwareReason:  has("swbreak"),
		HardwareReason:  has("hwbreak"),
		InterruptPacket: has("vCtrlC"),
	}
	n, err := strconv.ParseUint(announced["PacketSize"], 16, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		f.PacketSize = int(min(max(n, minPacketSize), rsp.MaxPacket))
	}
	return f
}

// parseFeatures splits the answer to qSupported: "name=value" has its value,
// "name+" and "name-" have their sign.
func parseFeatures(reply string) map[string]string {
	m := make(map[string]string)
	for f := range strings.SplitSeq(reply, ";") {
		if name, value, ok := strings.Cut(f, "="); ok {
			m[name] = value
		} else if n := len(f) - 1; n > 0 && (f[n] == '+' || f[n] == '-') {
			m[f[:n]] = f[n:]
		}
	}
	return m
}

// serverMarks are words of the greeting that servers give to "monitor version".
var serverMarks = []struct{ mark, name string }{
	{"Open On-Chip Debugger", "OpenOCD"},
	{"Black Magic", "Black Magic Probe"},
	{"Renode", "Renode"},
	{"J-Link", "J-Link GDB Server"},
	{"SEGGER", "J-Link GDB Server"},
	{"pyocd", "pyOCD"},
	{"ST-LINK", "ST-LINK GDB server"},
	{"ST-Link", "ST-LINK GDB server"},
	{"probe-rs", "probe-rs"},
}

// ServerName tells which server the stub belongs to, "" when it does not say.
// It costs an exchange, and with
// servers other than QEMU another one each time.
func (c *Client) ServerName(ctx context.Context) (string, error) {
	end, err := c.begin(ctx)
	if err != nil {
		return "", packetError("qqemu.sstepbits", "", err)
	}
	qemu, err := c.isQEMU(ctx)
	end()
	if err != nil {
		return "", err
	}
	if qemu {
		return "QEMU", nil
	}
	var greeting strings.Builder
	ctx, cancel := context.WithTimeoutCause(ctx, c.conn.timeout, ErrNoAnswer)
	defer cancel()
	err = c.Monitor(ctx, "version", func(text string) {
		if greeting.Len() < maxGreeting {
			greeting.WriteString(text)
		}
	})
	if err != nil && !isReply(err) {
		return "", err
	}
	for _, m := range serverMarks {
		if strings.Contains(strings.ToLower(greeting.String()), strings.ToLower(m.mark)) {
			return m.name, nil
		}
	}
	return "", nil
}

// maxGreeting is how much of an answer to "monitor version" is looked at.
const maxGreeting = 4096
