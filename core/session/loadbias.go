package session

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"pushmask/core"
	"pushmask/core/dump"
	"pushmask/elfsym"
)

// pageSize is the unit in which programs are moved; pages may be larger, and
// are a multiple of it.
const pageSize = 4096

// placed returns the program where it was when the dump was taken: p itself, or
// where a position-independent image was loaded elsewhere a copy that has the
// addresses of the dump. A copy is the caller's to close. It is not kept for the
// next dump: systems choose another address for each run.
func (p *Program) placed(ctx context.Context, d *dump.Dump) (*Program, error) {
	files := slices.Clone(p.elfs)
	for i, m := range p.images.Images() {
		files[i].Bias += p.loadBias(m, d)
	}
	if slices.Equal(files, p.elfs) {
		return p, nil
	}
	moved := &Program{cfg: p.cfg, files: p.files, description: p.description}
	if err := moved.load(ctx, files); err != nil {
		return nil, err
	}
	return moved, nil
}

// loadBias returns how far, modulo 1<<32, an image lay from where it was opened,
// 0 where the dump does not tell. In this order it believes
//   - the mapping of a file with the image's name: it tells libraries apart, and
//     programs that were started by naming the dynamic linker,
//   - the auxiliary vector,
//   - the mapping of the program, whatever its name is here.
//
// The last two are of the main image.
func (p *Program) loadBias(img *elfsym.Image, d *dump.Dump) core.Addr {
	if !img.Movable() {
		return 0
	}
	bias, ok := mappingBias(img, d.MappedFiles, filepath.Base(img.Path()))
	if ok || img != p.images.Main() {
		return bias
	}
	if bias, ok := auxBias(img, d); ok {
		return bias
	}
	bias, _ = mappingBias(img, d.MappedFiles, dump.MappedFile{Path: d.Executable}.Name())
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
	img := s.program.images.Main()
	started, ok := d.AuxValue(dump.AuxEntryPoint)
	if !ok || started == img.Entry() || s.profile == core.ProfileM {
		return ""
	}
	bias, mapped := mappingBias(img, d.MappedFiles, filepath.Base(s.program.Path()))
	if mapped && bias == 0 && s.program.contentAt(core.Addr(started)) == contentForeign {
		return ""
	}
	return "the program was started at " + core.Addr(started).String() + ", the ELF begins at " +
		core.Addr(img.Entry()).String() + wrongImage
}
