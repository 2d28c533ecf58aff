package session

import (
	"context"
	"fmt"

	"pushmask/core"
)

// Placement says where an ELF lies other than where it is linked, in the terms
// of gdb's add-symbol-file. The zero value leaves it where it is linked.
type Placement struct {
	Offset   core.Addr // that all its addresses are moved by, modulo 1<<32; 0 for none
	Sections []SectionPlace
}

// SectionPlace is the address at which a section lies.
type SectionPlace struct {
	Name string
	Addr core.Addr
}

// Place returns an ELF at its place. An ELF moves as a whole: that parts of a
// placement ask for different distances is an error. The path is relative to the
// configuration's folder, and the error of a file that is no ELF an [*OpenError].
func (c *Config) Place(ctx context.Context, path string, p Placement) (ImageFile, error) {
	f := ImageFile{Path: c.abs(path), Bias: p.Offset}
	if len(p.Sections) == 0 {
		return f, nil
	}
	img, err := c.openImage(ctx, ImageFile{Path: f.Path})
	if err != nil {
		return f, err
	}
	defer img.Close()
	from, known := "the offset", p.Offset != 0
	for _, s := range p.Sections {
		linked, ok := img.SectionAddr(s.Name)
		if !ok {
			return f, fmt.Errorf("the ELF has no section %s in memory", s.Name)
		}
		bias := s.Addr - core.Addr(linked)
		if known && bias != f.Bias {
			return f, fmt.Errorf("section %s at %v is %v from where it is linked, by %s it is %v: an ELF is moved as a whole, by one distance",
				s.Name, s.Addr, bias, from, f.Bias)
		}
		if !known {
			f.Bias, from, known = bias, "section "+s.Name, true
		}
	}
	return f, nil
}
