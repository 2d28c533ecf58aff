package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pushmask/core"
	"pushmask/core/dump"
	"pushmask/core/inspect"
	"pushmask/core/unwind"
	"pushmask/elfsym"
)

// ImageFile is an ELF with a part of what is in memory.
type ImageFile struct {
	Path string
	// Bias is how far, modulo 1<<32, it runs from where it is linked. A program
	// that a system places is found in its dumps, see [Program.Bias].
	Bias core.Addr
}

// ParseImageFile reads the name of an ELF, which may be followed by how far it
// runs from where it is linked: "boot.elf@0x10000", "app.elf@-0x8000". A file
// whose own name has that form is taken by its name.
func ParseImageFile(text string) ImageFile {
	i := strings.LastIndexByte(text, '@')
	if i <= 0 {
		return ImageFile{Path: text}
	}
	distance, negative := strings.CutPrefix(text[i+1:], "-")
	bias, err := ParseAddress(distance)
	if _, statErr := os.Stat(text); err != nil || statErr == nil {
		return ImageFile{Path: text}
	}
	if negative {
		bias = -bias
	}
	return ImageFile{Path: text[:i], Bias: bias}
}

// imageFiles lists the ELFs of a configuration with their paths resolved, each
// once, the main one first; none without one.
func (c *Config) imageFiles() []ImageFile {
	if c.Image == "" {
		return nil
	}
	var list []ImageFile
	seen := make(map[ImageFile]bool)
	for _, f := range append([]ImageFile{{c.Image, c.Bias}}, c.More...) {
		if f.Path = c.abs(f.Path); !seen[f] {
			seen[f] = true
			list = append(list, f)
		}
	}
	return list
}

// load opens the images at their places and makes p of them.
func (p *Program) load(ctx context.Context, files []ImageFile) error {
	p.elfs = files
	var images []*elfsym.Image
	for _, f := range files {
		img, err := p.cfg.openImage(ctx, f)
		if err != nil {
			for _, opened := range images {
				opened.Close()
			}
			return err
		}
		images = append(images, img)
	}
	if len(images) > 0 {
		p.images = elfsym.Join(images...)
		p.rom = imageMemory(p.images)
	}
	p.code = unwind.FromImages(p.images)
	return nil
}

func (c *Config) openImage(ctx context.Context, f ImageFile) (*elfsym.Image, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.progress("opening " + filepath.Base(f.Path))
	if info, err := os.Stat(f.Path); err == nil && !info.Mode().IsRegular() {
		return nil, imageError(c.given(f.Path), f.Path, dump.ErrNotRegular) // opening a pipe waits for its writer
	}
	opt := c.imageOptions()
	opt.Bias = uint32(f.Bias)
	img, err := elfsym.Open(f.Path, opt)
	if err != nil {
		return nil, imageError(c.given(f.Path), f.Path, err)
	}
	return img, nil
}

// given returns the path of an image as it was given.
func (c *Config) given(path string) string {
	for _, f := range append([]ImageFile{{Path: c.Image}}, c.More...) {
		if c.abs(f.Path) == path {
			return f.Path
		}
	}
	return path
}

// inspect returns the variables of the program.
func (p *Program) inspect() *inspect.Program {
	p.vars.once.Do(func() { p.vars.program = inspect.New(p.images, p.pointeeText) })
	return p.vars.program
}

// imageName names the image that an address belongs to; "" where the program has
// no more than one, or it is nobody's.
func (p *Program) imageName(a core.Addr) string {
	if len(p.images.Images()) < 2 {
		return ""
	}
	return p.images.Name(p.images.At(uint32(a)))
}

// qualified puts the name of its image before the name of what is at an address
// of another image than the main one: "boot.elf!main".
func (p *Program) qualified(a core.Addr, name string) string {
	return p.images.Label(p.images.At(uint32(a)), name)
}

// Close closes the images. Sessions of the program must be closed before.
func (p *Program) Close() error { return p.images.Close() }

// Images returns the opened images, nil where the program has none.
func (p *Program) Images() *elfsym.Set { return p.images }

// Warnings lists the parts of the images that could not be read so far, which
// are read when they are needed, and what speaks against images being of one
// program. The list only grows, and it has an end.
func (p *Program) Warnings() []string {
	var list []string
	for _, m := range p.images.Images() {
		if m.MProfile() != p.images.MProfile() {
			list = append(list, fmt.Sprintf("%s is for another architecture profile than %s: they are no images of one core",
				p.images.Name(m), p.images.Name(p.images.Main())))
		}
	}
	list = append(list, p.sharedCode()...)
	for _, err := range p.images.Problems() {
		list = append(list, fmt.Sprintf("a part of the ELF cannot be read, names or lines may be missing: %v", err))
	}
	return list
}

// sharedCode says of each pair of images, of which one claims addresses where the
// other has code or constants, where the first are.
func (p *Program) sharedCode() []string {
	var list []string
	seen := make(map[[2]*elfsym.Image]bool)
	for _, o := range p.images.Overlaps() {
		if pair := [2]*elfsym.Image{o.Owner, o.Other}; o.Code && !seen[pair] {
			seen[pair] = true
			list = append(list, fmt.Sprintf("%[2]s has code or constants at %[3]v..%[4]v, where %[1]s lies too: what %[1]s has counts there",
				p.images.Name(o.Owner), p.images.Name(o.Other), core.Addr(o.Lo), core.Addr(o.Hi-1)))
		}
	}
	return list
}

// Bias returns how far, modulo 1<<32, the program ran from where its main ELF is
// linked: 0 for all that is not position-independent and was not placed by the
// configuration.
func (p *Program) Bias() core.Addr {
	if len(p.elfs) == 0 {
		return 0
	}
	return p.elfs[0].Bias
}

// Path returns the resolved path of the main image, "" where there is none.
func (p *Program) Path() string {
	if len(p.elfs) == 0 {
		return ""
	}
	return p.elfs[0].Path
}
