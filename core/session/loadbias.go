package session

import (
	"cmp"
	"path/filepath"
	"slices"

	"pushmask/core"
	"pushmask/core/dump"
	"pushmask/core/unwind"
	"pushmask/elfsym"
)

// pageSize is the unit in which programs are moved; pages may be larger, and
// are a multiple of it.
const pageSize = 4096

// placed returns the program where it was when the dump was taken: p itself, or
// for a position-independent one that was loaded elsewhere a copy that has the
// addresses of the dump. A copy is the caller's to close. It is not kept for the
// next dump: systems choose another address for each run.
func (p *Program) placed(d *dump.Dump) (*Program, error) {
	bias := p.loadBias(d)
	if bias == 0 {
		return p, nil
	}
	opt := p.cfg.imageOptions()
	opt.Bias = uint32(bias)
	img, err := elfsym.Open(p.path, opt)
	if err != nil {
		return nil, imageError(p.cfg.Image, p.path, err)
	}
	return &Program{
		cfg: p.cfg, path: p.path, files: p.files, bias: bias,
		image: img, rom: imageMemory(img), code: unwind.FromImage(img),
		description: p.description,
	}, nil
}

// loadBias returns how far, modulo 1<<32, the image lay from where it is linked,
// 0 where the dump does not tell. In this order it believes
//   - the mapping of a file with the image's name: it tells libraries apart, and
//     programs that were started by naming the dynamic linker,
//   - the auxiliary vector,
//   - the mapping of the program, whatever its name is here.
func (p *Program) loadBias(d *dump.Dump) core.Addr {
	if p.image == nil || !p.image.Movable() {
		return 0
	}
	if bias, ok := mappingBias(p.image, d.MappedFiles, filepath.Base(p.path)); ok {
		return bias
	}
	if bias, ok := auxBias(p.image, d); ok {
		return bias
	}
	bias, _ := mappingBias(p.image, d.MappedFiles, dump.MappedFile{Path: d.Executable}.Name())
	return bias
}

// auxBias compares the entry and the address of the program headers with those
// that the kernel handed to the program. Both must agree.
func auxBias(img *elfsym.Image, d *dump.Dump) (core.Addr, bool) {
	entry, ok := d.AuxValue(dump.AuxEntryPoint)
	bias := entry - img.Entry()
	if !ok || bias%pageSize != 0 {
		return 0, false
	}
	linked, hasHeaders := img.HeadersAddr()
	loaded, ok := d.AuxValue(dump.AuxPHDR)
	if ok && hasHeaders && loaded-linked != bias {
		return 0, false
	}
	return core.Addr(bias), true
}

// mappingBias compares the first segment with the first mapping of a file that
// holds its content.
func mappingBias(img *elfsym.Image, files []dump.MappedFile, name string) (core.Addr, bool) {
	segments := img.Segments()
	if len(segments) == 0 || name == "" {
		return 0, false
	}
	first := slices.MinFunc(segments, func(a, b elfsym.Segment) int { return cmp.Compare(a.Addr, b.Addr) })
	for _, f := range files {
		at := uint64(first.Offset) - f.Offset // wraps where the segment is before the mapping
		if f.Name() != name || at >= uint64(f.End-f.Start) {
			continue
		}
		bias := f.Start + core.Addr(at) - core.Addr(first.Addr)
		return bias, bias%pageSize == 0
	}
	return 0, false
}

// checkEntry checks that the system started the program where the image begins.
// An image that is another file of the process than the program, a library, is
// none of its business.
func (s *Session) checkEntry(d *dump.Dump) string {
	img := s.program.image
	started, ok := d.AuxValue(dump.AuxEntryPoint)
	if !ok || started == img.Entry() || s.profile == core.ProfileM {
		return ""
	}
	bias, mapped := mappingBias(img, d.MappedFiles, filepath.Base(s.program.path))
	if mapped && bias == 0 && s.program.contentAt(core.Addr(started)) == contentForeign {
		return ""
	}
	return "the program was started at " + core.Addr(started).String() + ", the ELF begins at " +
		core.Addr(img.Entry()).String() + wrongImage
}
