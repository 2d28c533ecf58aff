package runcontrol

import (
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/core/memmap"
	"pushmask/elfsym"
)

// Programs of several images: a boot loader and the application that it starts, a
// secure and a non-secure image. Code, lines and functions are looked for in all
// of them; here is what depends on which.

// inImage tells the addresses that belong to the image with a name, and all where
// the name is ""; problem says why there are none.
func (t *lineTable) inImage(name string) (has func(addr uint32) bool, problem string) {
	if name == "" {
		return func(uint32) bool { return true }, ""
	}
	m, ok := t.images.Named(name)
	if !ok {
		var names []string
		for _, m := range t.images.Images() {
			names = append(names, t.images.Name(m))
		}
		return nil, fmt.Sprintf("the program has no ELF that is called %s: it has %s", name, strings.Join(names, ", "))
	}
	return func(addr uint32) bool {
		if owner := t.images.At(addr); owner != nil {
			return owner == m
		}
		s, known := m.SymbolAt(addr) // a ROM's may be in no segment
		return known && s.Func
	}, ""
}

// inFile reports whether the code at an address is of a source file whose path ends
// with the given one, "" for any.
func (t *lineTable) inFile(addr uint32, end string) bool {
	if end == "" {
		return true
	}
	chain := t.images.Locate(addr)
	if len(chain) == 0 {
		return false
	}
	path, end := strings.ReplaceAll(chain[0].File, `\`, "/"), strings.ReplaceAll(end, `\`, "/")
	return path == end || strings.HasSuffix(path, "/"+end)
}

// starts are where the images of a program begin to run, by address: their
// entries and the reset vectors of their tables. A program of one image has none
// that matter.
func starts(images *elfsym.Set) map[core.Addr]*elfsym.Image {
	if len(images.Images()) < 2 {
		return nil
	}
	all := make(map[core.Addr]*elfsym.Image)
	note := func(m *elfsym.Image, a core.Addr) {
		if _, ok := m.FuncAt(uint32(a)); ok && images.At(uint32(a)) == m {
			all[a] = m
		}
	}
	for _, m := range images.Images() {
		entry, _ := core.CodeAddr(m.Entry())
		note(m, entry)
		for _, table := range vectorTables(m) {
			if reset, ok := vectorIn(m, table, resetVector); ok {
				note(m, reset)
			}
		}
	}
	return all
}

// resetVector is the number of the exception Reset (Armv7-M ARM B1.5.2).
const resetVector = 1

// Where the vector table of an image may be: tables are aligned to 128 bytes at
// least (Armv7-M ARM B3.2.5), and headers of boot loaders before them have up to
// 4096 bytes.
const (
	tableAlign = 0x80
	mostHeader = 0x1000
)

// vectorTables finds the vector tables of M-profile that the constants of an
// image begin with: initial stack pointer, then Reset, NMI and HardFault, which
// are functions of the image.
func vectorTables(m *elfsym.Image) []core.Addr {
	if !m.MProfile() {
		return nil
	}
	var list []core.Addr
	for _, g := range m.Segments() {
		if g.Write || g.FileSize < 4*tableStart {
			continue
		}
		last := uint64(g.Addr) + min(mostHeader, uint64(g.FileSize)-4*tableStart)
		first := (uint64(g.Addr) + tableAlign - 1) &^ (tableAlign - 1)
		for at := first; at <= last; at += tableAlign {
			if isTable(m, core.Addr(at)) {
				list = append(list, core.Addr(at))
				break
			}
		}
	}
	return list
}

// tableStart is how many words tell a table: up to that of HardFault.
const tableStart = 4

func isTable(m *elfsym.Image, at core.Addr) bool {
	sp, err := core.ReadU32(contents(m), at)
	if err != nil || sp == 0 || sp%4 != 0 {
		return false
	}
	for n := resetVector; n < tableStart; n++ {
		a, ok := vectorIn(m, at, n)
		if !ok {
			return false
		}
		if f, ok := m.FuncAt(uint32(a)); !ok || f.Entry != uint32(a) {
			return false
		}
	}
	return true
}

// vectorIn reads the n-th vector of a table of an image, which moves with it; ok
// is false for one that is no T32 code.
func vectorIn(m *elfsym.Image, table core.Addr, n int) (a core.Addr, ok bool) {
	v, err := core.ReadU32(contents(m), table+core.Addr(4*n))
	a, t32 := core.CodeAddr(v)
	return a + core.Addr(m.Bias()), err == nil && t32
}

func contents(m *elfsym.Image) core.Memory {
	return memmap.Func(func(a core.Addr, p []byte) (int, error) { return m.ReadAt(uint32(a), p) })
}
