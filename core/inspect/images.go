package inspect

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pushmask/elfsym"
)

// Names that the image of a frame's code does not know are those of the other
// images, in the order of the program. What is of an image is shown by its DWARF:
// the types of two images may have one name and another layout.

// hasSeveral reports whether the program has more than one image.
func (p *Program) hasSeveral() bool { return len(p.images.Images()) > 1 }

// within is what names mean in an image, whatever the code of c's frame is of:
// variables of functions, and of the frame's file before others, are not there.
func (c *context) within(m *elfsym.Image) *context {
	x := &context{
		program: c.program, frame: c.frame, image: m, decls: declarations(m), alone: true,
		machine: &machine{frame: c.frame, program: c.program}, result: c.result,
	}
	if c.real != nil {
		x.real = c.real.within(m)
	}
	return x
}

// everywhere lists where a name is looked up: c, and then the other images, unless
// an image is named.
func (c *context) everywhere() []*context {
	list := []*context{c}
	if c.alone {
		return list
	}
	for _, m := range c.program.images.Images() {
		if m != c.image {
			list = append(list, c.within(m))
		}
	}
	return list
}

// owning returns the context of the image that has a type in its DWARF: c where
// none has.
func (c *context) owning(t *Type) *context {
	if !c.program.hasSeveral() {
		return c
	}
	for range maxHops {
		if t.dwarf != nil || t.elem == nil {
			break
		}
		t = t.elem
	}
	if t.dwarf == nil || t.dwarf.Entry.Unit == nil {
		return c
	}
	data := t.dwarf.Entry.Unit.Data()
	if c.decls != nil && c.decls.Data() == data {
		return c
	}
	for _, m := range c.program.images.Images() {
		if decls := declarations(m); decls != nil && decls.Data() == data {
			return c.within(m)
		}
	}
	return c
}

// imageNames implements names.
func (c *context) imageNames(image string) (names, bool) {
	m, err := c.program.imageNamed(image)
	if err != nil {
		return nil, false
	}
	return c.within(m), true
}

var errAmbiguous = errors.New("the name of several images")

// imageNamed returns the image that an expression names.
func (p *Program) imageNamed(name string) (*elfsym.Image, error) {
	if m, ok := p.images.Named(name); ok {
		return m, nil
	}
	var list []string
	for _, m := range p.images.Images() {
		if strings.HasSuffix("/"+filepath.ToSlash(m.Path()), "/"+name) {
			list = append(list, p.images.Name(m))
		}
	}
	if len(list) > 1 {
		return nil, fmt.Errorf("%q is %w: %s", name, errAmbiguous, strings.Join(list, ", "))
	}
	return nil, fmt.Errorf("no image %q", name)
}

// inImage puts the name of the image before an expression that means a thing of
// it, or before the name of a type: "'boot.elf'::config". With one image it
// returns what it is given.
func (c *context) inImage(expression string) string {
	if !c.program.hasSeveral() || c.image == nil {
		return expression
	}
	return "'" + escape(c.program.images.Name(c.image), '\'') + "'::" + expression
}

// Qualified returns an expression that means v in every frame, of one that does in
// the frame of v: what is a variable of another image than the main one all the
// time is named with its image.
func (v *Value) Qualified(expression string) string {
	if !v.isStatic || v.ctx.image == v.ctx.program.images.Main() || nameLen(expression) == 0 {
		return expression
	}
	return v.ctx.inImage(expression)
}

// OtherImages names the images with variables that the code of a frame is not of,
// in the order of the program.
func (p *Program) OtherImages(f *Frame) []string {
	own := p.imageOf(f)
	var list []string
	for _, m := range p.images.Images() {
		if m == own {
			continue
		}
		if decls := declarations(m); decls != nil && decls.HasGlobals() {
			list = append(list, p.images.Name(m))
		}
	}
	return list
}

// claimant returns the image that memory belongs to now where v lies there all the
// time by another image, nil elsewhere. Programs that run one after the other use
// the same RAM.
func (v *Value) claimant() *elfsym.Image {
	if !v.isStatic || !v.inMemory || v.err != nil {
		return nil
	}
	size, _ := v.Type.Size()
	lo, hi := uint64(v.addr), uint64(v.addr)+uint64(max(size, 1))
	overlaps := v.ctx.program.images.Overlaps()
	i := slices.IndexFunc(overlaps, func(o elfsym.Overlap) bool {
		return o.Other == v.ctx.image && o.Lo < hi && lo < o.Hi
	})
	if i < 0 {
		return nil
	}
	return overlaps[i].Owner
}

// computedFrom returns v as the result of an expression that read a variable in
// memory that belongs to an image now.
func (v *Value) computedFrom(m *elfsym.Image) *Value {
	out := *v
	out.foreign = m
	return &out
}

// Note is what has to be known of a value beside it: that its memory belongs to
// another image than the one that it is a variable of, or that of what it was
// computed from. It is "" for most.
func (v *Value) Note() string {
	if m := v.claimant(); m != nil {
		return "(this memory belongs to " + v.ctx.program.images.Name(m) + ")"
	}
	if v.foreign != nil {
		return "(from memory that belongs to " + v.ctx.program.images.Name(v.foreign) + ")"
	}
	return ""
}
