package types

import (
	"debug/dwarf"

	"pushmask/elfsym/die"
	"pushmask/internal/cursor"
)

// VirtualFunction returns the qualified name of the nth virtual function of a class,
// counted from 0 in its table; those of the base class that has the same table
// too.
func (t *Type) VirtualFunction(n uint32) (string, bool) { return t.virtualFunction(n, 0) }

func (t *Type) virtualFunction(n uint32, depth int) (string, bool) {
	l, _ := t.Layout()
	if depth > maxHops {
		return "", false
	}
	for e, err := range t.Definition().Entry.Children() {
		if err != nil {
			break
		}
		if e.Tag != dwarf.TagSubprogram {
			continue
		}
		if at, ok := tableIndex(e); ok && at == n {
			return e.QualifiedName(), true
		}
	}
	for i := range l.Members {
		if m := &l.Members[i]; m.Base && m.Offset == 0 && m.Expr == nil {
			return m.Type.Underlying().virtualFunction(n, depth+1)
		}
	}
	return "", false
}

// tableIndex reads DW_AT_vtable_elem_location, which compilers write as
// DW_OP_constu and the number of the function.
func tableIndex(e die.Entry) (uint32, bool) {
	const opConstu = 0x10
	code, ok := e.Attr(dwarf.AttrVtableElemLoc).Block()
	if !ok {
		return 0, false
	}
	c := cursor.New("place in a table of virtual functions", code)
	if c.U8() != opConstu {
		return 0, false
	}
	n := c.ULEB()
	return uint32(n), c.Err() == nil && c.Len() == 0 && n < 1<<32
}
