package session

import (
	"pushmask/core"
	"pushmask/core/memmap"
	"pushmask/elfsym"
)

// imageMemory returns the part of images that is the same in the file and
// in the stopped machine: segments that the program cannot write, and code.
// Executable segments count even when they are writable: many linker scripts
// put code, read-only data and a writable flag into one segment.
func imageMemory(images *elfsym.Set) *memmap.Map {
	m := new(memmap.Map)
	read := memmap.Func(func(a core.Addr, p []byte) (int, error) { return images.ReadAt(uint32(a), p) })
	for _, s := range images.Segments() {
		if s.Exec || !s.Write {
			m.AddMemory(core.Addr(s.Addr), uint64(s.FileSize), read)
		}
	}
	return m
}

// splice returns the target's memory with its holes filled from the images.
func (p *Program) splice(target core.Memory) core.Memory {
	if p.rom == nil {
		return target
	}
	return memmap.Over(target, p.rom)
}
