package rtos

import (
	"encoding/binary"
	"slices"

	"pushmask/core"
	"pushmask/elfsym"
)

// object returns the variable of the given name. Where several have it the one
// with the name as it is in the source, and of those the first, is returned.
func (s *System) object(name string) (elfsym.Symbol, bool) {
	list := s.Image.Variables(name)
	if len(list) == 0 {
		return elfsym.Symbol{}, false
	}
	return list[0], true
}

// hasObjects reports whether all the variables exist.
func (s *System) hasObjects(names ...string) bool {
	for _, name := range names {
		if _, ok := s.object(name); !ok {
			return false
		}
	}
	return true
}

// hasFunction reports whether one of the functions exists.
func (s *System) hasFunction(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(s.Image.Lookup(name), func(sym elfsym.Symbol) bool { return sym.Func })
	})
}

// variable reads a variable of one word.
func (s *System) variable(name string) (uint32, bool) {
	o, ok := s.object(name)
	if !ok {
		return 0, false
	}
	return s.word(core.Addr(o.Addr))
}

// number reads a variable that is a number of one, two or four bytes.
func (s *System) number(name string) (uint32, bool) {
	o, ok := s.object(name)
	if !ok || o.Size != 1 && o.Size != 2 && o.Size != 4 {
		return 0, false
	}
	var b [4]byte
	n, _ := s.Memory.ReadAt(core.Addr(o.Addr), b[:o.Size])
	return binary.LittleEndian.Uint32(b[:]), n == int(o.Size)
}

// nameOf names an object of the kernel: by the variable that it is, or by the
// only variable that holds its address. It is "" where neither is.
func (s *System) nameOf(a core.Addr) string {
	if name := s.variableAt(a); name != "" {
		return name
	}
	return s.handle(a)
}

// variableAt returns the name of the variable that is at an address. Threads
// without a name have that of the variable that their control block is: those
// that hold its address may be the kernel's, for the thread that runs.
func (s *System) variableAt(a core.Addr) string {
	if sym, ok := s.Image.SymbolAt(uint32(a)); ok && !sym.Func && sym.Addr == uint32(a) {
		return sym.Name
	}
	return ""
}

// handle returns the name of the only variable that holds an address, "" where
// there is none.
func (s *System) handle(a core.Addr) string {
	if s.handles == nil {
		s.findHandles()
	}
	return s.handles[a]
}

// describe puts what an object is and what it is called into words: "queue
// rx_queue", "mutex 0x20000460".
func (s *System) describe(what string, a core.Addr) string {
	if name := s.nameOf(a); name != "" {
		return what + " " + name
	}
	return what + " " + a.String()
}

// describeNamed is describe for an object that may hold a pointer to its own
// name at offset off.
func (s *System) describeNamed(what string, a, off core.Addr) string {
	p, _ := s.word(a + off)
	if name, ok := s.textAt(core.Addr(p)); ok && name != "" {
		return what + " " + name
	}
	return s.describe(what, a)
}

// maxHandles bounds the variables that are looked at for handles.
const maxHandles = 1 << 16

// findHandles lists the pointers that variables hold. Variables of the kernel's
// own lists come and go; an address that several variables hold has no name.
func (s *System) findHandles() {
	s.handles = make(map[core.Addr]string)
	count := 0
	s.Image.EachVariable(func(v elfsym.Symbol) bool {
		if v.Size != 4 || !s.ram(core.Addr(v.Addr)) {
			return true
		}
		if p, ok := s.word(core.Addr(v.Addr)); ok && p != 0 {
			if _, several := s.handles[core.Addr(p)]; several {
				s.handles[core.Addr(p)] = ""
			} else {
				s.handles[core.Addr(p)] = v.Name
			}
		}
		count++
		return count < maxHandles
	})
}
