package runcontrol

import (
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/core/session"
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
// entries and the reset handlers of their vector tables. A program of one image
// has none that matter.
func starts(program *session.Program) map[core.Addr]*elfsym.Image {
	images := program.Images()
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
	}
	const reset = 1 // the number of the exception (Armv7-M ARM B1.5.2)
	for _, table := range program.Unwind().VectorTables() {
		if first := table.Vectors[0]; first.Number == reset {
			note(table.Image, first.Entry)
		}
	}
	return all
}

// faultHandlers are where the vector tables of several images have faults lead;
// those of an only image are the ones in use.
func faultHandlers(program *session.Program) []catchPlace {
	if len(program.Images().Images()) < 2 {
		return nil
	}
	var list []catchPlace
	for _, table := range program.Unwind().VectorTables() {
		for _, v := range table.Vectors {
			if f, ok := faultNumbers[v.Number]; ok {
				list = append(list, catchPlace{f, v.Entry})
			}
		}
	}
	return list
}
