package gdbremote

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"

	"pushmask/core"
)

// Profile returns the architecture profile that the stub's description of the
// registers tells; ok is false without one.
func (c *Client) Profile() (p core.Profile, ok bool) {
	l := c.layout.Load()
	return l.profile, l.known
}

// Registers reads the registers of the thread that stopped. Those that the
// stub leaves out or calls unavailable are unknown, but each of wanted that it
// leaves out and has a number for is asked for by itself: an exchange each.
func (c *Client) Registers(ctx context.Context, wanted ...core.Reg) (core.Regs, error) {
	return c.RegistersOf(ctx, "", wanted...)
}

// RegistersOf is [Client.Registers] of a thread by the stub's name of it; ""
// is the one that stopped.
func (c *Client) RegistersOf(ctx context.Context, thread string, wanted ...core.Reg) (core.Regs, error) {
	end, err := c.begin(ctx)
	if err != nil {
		return core.Regs{}, packetError("g", "", err)
	}
	defer end()
	known, err := c.enter(ctx, thread)
	if err != nil {
		return core.Regs{}, err
	}
	regs, l, err := c.readGeneral(ctx, known)
	if err != nil {
		return core.Regs{}, err
	}
	return regs, c.readWanted(ctx, l, &regs, wanted)
}

// HasRegister reports whether the stub may give a register of a thread: it says so
// and did not refuse it yet. Nothing is asked.
func (c *Client) HasRegister(ctx context.Context, thread string, r core.Reg) bool {
	end, err := c.begin(ctx)
	if err != nil {
		return false
	}
	defer end()
	l, ok := c.layoutOf(cmp.Or(thread, c.current))
	if !ok || l == nil {
		return false
	}
	s, ok := l.find(r)
	return ok && !c.refused[s.reg]
}

// enter selects a thread and returns the layout of its registers, which is
// read when it is the first of its process: QEMU's cores of one machine differ
// (mps2-an521 has an FPU in the second).
func (c *Client) enter(ctx context.Context, thread string) (*layout, error) {
	if err := c.selectThread(ctx, 'g', thread); err != nil {
		return nil, err
	}
	id := cmp.Or(c.selected['g'], c.current)
	l, ok := c.layoutOf(id)
	if ok || !c.features.Description {
		return cmp.Or(l, &layout{}), nil
	}
	read, err := readLayout(ctx, c)
	if err != nil && !isReply(err) {
		return nil, err
	}
	p, _ := process(id)
	c.others[p] = &read
	return &read, nil
}

// readGeneral is "g", by the layout that it returns: l, or one told by the
// length where the stub does not describe any.
func (c *Client) readGeneral(ctx context.Context, l *layout) (core.Regs, *layout, error) {
	raw, err := c.rawRegisters(ctx)
	if err != nil {
		return core.Regs{}, nil, err
	}
	if !l.known {
		plain := plainLayout(len(raw) / 2)
		l = &plain
	}
	var regs core.Regs
	for _, s := range l.slots {
		if 2*(s.offset+s.size) > len(raw) {
			continue
		}
		digits := raw[2*s.offset : 2*(s.offset+s.size)]
		if err := s.store(&regs, digits); err != nil {
			return core.Regs{}, nil, packetError("g", digits, err)
		}
	}
	return regs, l, nil
}

// rawRegisters are the digits of "g".
func (c *Client) rawRegisters(ctx context.Context) (string, error) {
	const packet = "g"
	raw, err := c.request(ctx, packet)
	if err == nil && (len(raw)%2 != 0 || len(raw) < 2*coreLength) {
		err = packetError(packet, raw, ErrMalformed)
	}
	return raw, err
}

// readWanted reads registers that "g" left out, each by its number. What the
// stub refuses is not asked for again.
func (c *Client) readWanted(ctx context.Context, l *layout, regs *core.Regs, wanted []core.Reg) error {
	for _, r := range wanted {
		s, ok := l.find(r)
		if regs.Has(r) || !ok || c.refused[s.reg] {
			continue
		}
		digits, err := c.readNumbered(ctx, s)
		if isReply(err) {
			c.refused[s.reg] = true
			continue
		}
		if err != nil {
			return err
		}
		if err := s.store(regs, digits); err != nil {
			return packetError(s.readPacket(), digits, err)
		}
	}
	return nil
}

func (s slot) readPacket() string { return fmt.Sprintf("p%x", s.number) }

// readNumbered is "p": the digits of a register.
func (c *Client) readNumbered(ctx context.Context, s slot) (string, error) {
	if c.lacking["p"] {
		return "", packetError(s.readPacket(), "", ErrUnsupported)
	}
	digits, err := c.request(ctx, s.readPacket())
	c.lacking["p"] = errors.Is(err, ErrUnsupported)
	return digits, err
}

// WriteRegister changes a register of a thread, "" for the one that stopped:
// by "P", and where the stub has none by "G" with all that "g" has. It fails
// with [ErrUnsupported] for a register that the stub does not have.
func (c *Client) WriteRegister(ctx context.Context, thread string, r core.Reg, value uint32) error {
	end, err := c.begin(ctx)
	if err != nil {
		return packetError("P", "", err)
	}
	defer end()
	l, err := c.enter(ctx, thread)
	if err != nil {
		return err
	}
	if l.known && !c.lacking["P"] {
		s, ok := l.find(r)
		if !ok {
			return fmt.Errorf("write %v: %w", r, ErrUnsupported)
		}
		err := c.writeNumbered(ctx, s, r, value)
		if !errors.Is(err, ErrUnsupported) {
			return err
		}
		c.lacking["P"] = true
	}
	return c.writeGeneral(ctx, l, r, value)
}

// writeNumbered is "P"; of a D register it keeps the other half.
func (c *Client) writeNumbered(ctx context.Context, s slot, r core.Reg, value uint32) error {
	var b [8]byte
	if s.size == 8 {
		digits, err := c.readNumbered(ctx, s)
		if err != nil {
			return err
		}
		if n, err := hex.Decode(b[:], []byte(digits[:min(len(digits), 16)])); err != nil || n < 8 {
			return packetError(s.readPacket(), digits, ErrMalformed)
		}
	}
	s.put(b[:], r, value)
	return c.command(ctx, fmt.Sprintf("P%x=%x", s.number, b[:s.size]))
}

// put writes the value of r, which s holds, into the bytes of s.
func (s slot) put(b []byte, r core.Reg, value uint32) {
	var word [4]byte
	binary.LittleEndian.PutUint32(word[:], value)
	at := 0
	if r != s.reg {
		at = 4 // the upper half of a D register
	}
	copy(b[at:s.size], word[:])
}

// writeGeneral is "g" and "G" with one register changed. A register without a
// value is sent as it came; stubs take "xxxxxxxx" for unchanged or refuse.
func (c *Client) writeGeneral(ctx context.Context, l *layout, r core.Reg, value uint32) error {
	raw, err := c.rawRegisters(ctx)
	if err != nil {
		return err
	}
	if !l.known {
		plain := plainLayout(len(raw) / 2)
		l = &plain
	}
	s, ok := l.find(r)
	if !ok || 2*(s.offset+s.size) > len(raw) {
		return fmt.Errorf("write %v: %w", r, ErrUnsupported)
	}
	var b [8]byte
	if s.size == 8 {
		if _, err := hex.Decode(b[:], []byte(raw[2*s.offset:2*(s.offset+8)])); err != nil {
			return packetError("g", raw, ErrMalformed)
		}
	}
	s.put(b[:], r, value)
	return c.command(ctx, "G"+raw[:2*s.offset]+hex.EncodeToString(b[:s.size])+raw[2*(s.offset+s.size):])
}

// selectThread has the stub take a thread for an operation ('g' registers and
// memory, 'c' running), unless it already has.
func (c *Client) selectThread(ctx context.Context, operation byte, thread string) error {
	id := c.current
	if thread != "" {
		var ok bool
		if id, ok = threadID(thread); !ok {
			return fmt.Errorf("select thread %q: %w", shorten(thread), ErrMalformed)
		}
	}
	if c.selected[operation] == id || thread == "" && c.selected[operation] == "" {
		return nil
	}
	delete(c.selected, operation)
	if err := c.command(ctx, fmt.Sprintf("H%c%s", operation, id)); err != nil {
		return err
	}
	c.selected[operation] = id
	return nil
}
