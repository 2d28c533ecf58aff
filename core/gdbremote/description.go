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
)

// Bounds on what a stub may make the client read as its description.
const (
	maxDocuments = 32
	maxRegisters = 4096
	maxNumber    = 1 << 20
	maxBits      = 1 << 12 // of one register
)

// readLayout reads target.xml and what it includes (G, Target Descriptions).
func readLayout(ctx context.Context, c *Client) (layout, error) {
	d := description{fetch: func(name string) (string, error) { return c.readObject(ctx, "features", name) }}
	if err := d.read("target.xml"); err != nil {
		return layout{}, fmt.Errorf("read the description of the registers: %w", err)
	}
	return d.layout(), nil
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
		if d.next, err = strconv.Atoi(s); err != nil || d.next < 0 || d.next > maxNumber {
			return fmt.Errorf("register number %q: %w", s, ErrMalformed)
		}
	}
	d.regs = append(d.regs, describedReg{attr(e, "name"), d.next, bits})
	d.next++
	return nil
}

// layout puts the registers one after the other in order of their numbers,
// without gaps where numbers are left out. Of two with one number the first
// counts.
func (d *description) layout() layout {
	slices.SortStableFunc(d.regs, func(a, b describedReg) int { return cmp.Compare(a.number, b.number) })
	regs := slices.CompactFunc(d.regs, func(a, b describedReg) bool { return a.number == b.number })
	l := layout{profile: d.profile, known: len(regs) > 0}
	offset := 0
	for _, r := range regs {
		size := (r.bits + 7) / 8
		l.slots = append(l.slots, newSlot(r.name, r.number, offset, size))
		offset += size
	}
	return l
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
