package gdbremote

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/core/gdbremote/rsp"
)

// Bounds on what a stub may make the client read as its description.
const (
	maxDocument  = 1 << 20 // bytes of one document
	maxDocuments = 32
	maxRegisters = 4096
	maxBits      = 1 << 12 // of one register
)

// readLayout reads target.xml and what it includes (G, Target Descriptions).
func readLayout(ctx context.Context, c *Client) (layout, error) {
	d := description{fetch: func(name string) (string, error) { return c.readFeature(ctx, name) }}
	if err := d.read("target.xml"); err != nil {
		return layout{}, fmt.Errorf("read the description of the registers: %w", err)
	}
	return d.layout(), nil
}

// readFeature reads a document in pieces (E.4, qXfer): "m" and "l" before the
// data say whether more follows.
func (c *Client) readFeature(ctx context.Context, name string) (string, error) {
	size := c.packet - 5 // the frame, and the letter before the data
	var doc strings.Builder
	for {
		packet := fmt.Sprintf("qXfer:features:read:%s:%x,%x", name, doc.Len(), size)
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
}

// description collects the registers of target.xml in order of appearance.
type description struct {
	fetch     func(name string) (string, error)
	documents int
	next      int // number of a register without regnum
	regs      []describedReg
	profile   core.Profile
}

// describedReg is a reg element.
type describedReg struct {
	name   string
	number int // the place in "g"
	bits   int
}

// read parses a document and, in its place, each document it includes: a
// register without a number has that of the one before and one.
func (d *description) read(name string) error {
	if d.documents++; d.documents > maxDocuments {
		return fmt.Errorf("%s: more than %d documents: %w", name, maxDocuments, ErrMalformed)
	}
	text, err := d.fetch(name)
	if err != nil {
		return err
	}
	dec := xml.NewDecoder(strings.NewReader(text))
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w: %w", name, ErrMalformed, err)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		if err := d.element(e); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

func (d *description) element(e xml.StartElement) error {
	switch e.Name.Local {
	case "include":
		return d.read(attr(e, "href"))
	case "feature":
		if strings.HasPrefix(attr(e, "name"), "org.gnu.gdb.arm.core") {
			d.profile = core.ProfileA
		}
	case "reg":
		return d.register(e)
	}
	return nil
}

func (d *description) register(e xml.StartElement) error {
	bits, err := strconv.Atoi(attr(e, "bitsize"))
	if err != nil || bits <= 0 || bits > maxBits || len(d.regs) == maxRegisters {
		return fmt.Errorf("register %q of %q bits: %w", attr(e, "name"), attr(e, "bitsize"), ErrMalformed)
	}
	if s := attr(e, "regnum"); s != "" {
		if d.next, err = strconv.Atoi(s); err != nil || d.next < 0 {
			return fmt.Errorf("register number %q: %w", s, ErrMalformed)
		}
	}
	d.regs = append(d.regs, describedReg{attr(e, "name"), d.next, bits})
	d.next++
	return nil
}

// layout puts the registers one after the other in order of their numbers,
// without gaps where numbers are left out.
func (d *description) layout() layout {
	slices.SortStableFunc(d.regs, func(a, b describedReg) int { return cmp.Compare(a.number, b.number) })
	l := layout{profile: d.profile, known: len(d.regs) > 0}
	offset := 0
	for _, r := range d.regs {
		size := (r.bits + 7) / 8
		if m, b, ok := core.LookupBanked(r.name); ok && size == 4 {
			l.banked = append(l.banked, bankedSlot{m, b, offset})
		}
		l.slots = append(l.slots, slot{registerNamed(r.name, size), offset, size})
		offset += size
	}
	return l
}

// registerNamed returns the register of a name and size in bytes, the first
// of two S registers for a D register, NoReg for others.
func registerNamed(name string, size int) core.Reg {
	if n, ok := strings.CutPrefix(name, "d"); ok && size == 8 {
		if i, err := strconv.Atoi(n); err == nil && i >= 0 && i < 16 {
			return core.S0 + core.Reg(2*i)
		}
	}
	if r, ok := core.LookupReg(name); ok && size == 4 {
		return r
	}
	return core.NoReg
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
