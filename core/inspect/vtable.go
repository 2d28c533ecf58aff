package inspect

import (
	"strings"
	"sync"

	"pushmask/elfsym/scope"
)

// vtables are the types that implement traits of Rust, by the addresses of their
// vtables.
type vtables struct {
	once  sync.Once
	types map[uint32]*Type
}

// maxVtables bounds the vtables of a program.
const maxVtables = 1 << 16

// implementer returns the type whose vtable is at an address, nil for none. rustc
// describes each vtable as a variable, the type of which says what it is for.
func (c *context) implementer(addr uint32) *Type {
	v := &c.program.vtables
	v.once.Do(func() {
		v.types = make(map[uint32]*Type)
		for _, m := range c.program.images.Images() {
			if decls := declarations(m); decls != nil {
				decls.EachGlobal(v.add)
			}
		}
	})
	return v.types[addr]
}

// add takes a variable if it is a vtable.
func (v *vtables) add(g *scope.Variable) bool {
	if !strings.HasSuffix(g.Name, "vtable}") {
		return true
	}
	if addr, ok := g.StaticAddress(); ok {
		if t := g.Type.Containing(); t != nil && !t.Entry.Zero() {
			v.types[addr] = wrap(t)
		}
	}
	return len(v.types) < maxVtables
}
