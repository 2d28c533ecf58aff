package elfsym

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"slices"
)

// maxTypes bounds the named types of an image that can be asked for.
const maxTypes = 1 << 20

// typeIndex finds types by name.
type typeIndex struct {
	byName   map[string][]dwarf.Offset // in the order of the file, declarations left out
	resolved map[dwarf.Offset]Type     // what was asked for so far
}

// typeTags are the entries that a name can stand for.
var typeTags = map[dwarf.Tag]bool{
	dwarf.TagStructType: true, dwarf.TagClassType: true, dwarf.TagUnionType: true,
	dwarf.TagTypedef: true, dwarf.TagEnumerationType: true,
}

// typeNames lists the named types of all units the first time it is asked.
func (d *debugInfo) typeNames() *typeIndex {
	if d.types != nil {
		return d.types
	}
	d.types = &typeIndex{byName: make(map[string][]dwarf.Offset), resolved: make(map[dwarf.Offset]Type)}
	left := maxTypes
	for _, u := range d.units {
		err := guard(func() error { return d.indexTypes(u, &left) })
		d.image.report(err)
		if errors.Is(err, errTooManyTypes) {
			break
		}
	}
	return d.types
}

var errTooManyTypes = errors.New("read DWARF types: more named types than can be held")

// indexTypes adds the types that u defines outside of functions.
func (d *debugInfo) indexTypes(u *unit, left *int) error {
	w := d.walker(u, u.offset)
	var scope []string // names around the next entry
	for {
		e, err := w.next()
		if e == nil || err != nil {
			return err
		}
		level := w.level()
		if e.Children {
			level--
		}
		scope = scope[:min(max(level-1, 0), len(scope))]
		name, _ := e.Val(dwarf.AttrName).(string)
		if typeTags[e.Tag] && e.Val(dwarf.AttrDeclaration) == nil {
			if *left--; *left < 0 {
				return errTooManyTypes
			}
			d.types.add(d.scopedName(scope, e, name), e.Offset)
		}
		if !e.Children {
			continue
		}
		switch e.Tag {
		case dwarf.TagNamespace, dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
			if len(scope) < maxScopes {
				scope = append(scope, name)
				continue
			}
		}
		if err := w.skip(e); err != nil {
			return err
		}
	}
}

// maxScopes bounds the nesting of namespaces and classes that is followed.
const maxScopes = 32

// scopedName is the name of an entry with the namespaces and classes around it.
// A class that is defined outside of the one that declares it has its name
// there (DW_AT_specification).
func (d *debugInfo) scopedName(scope []string, e *dwarf.Entry, name string) string {
	if name == "" {
		if off, ok := e.Val(dwarf.AttrSpecification).(dwarf.Offset); ok {
			name = d.name(off)
		}
	}
	if name == "" {
		return ""
	}
	full := ""
	for _, s := range scope {
		if s != "" {
			full += s + "::"
		}
	}
	return full + name
}

func (x *typeIndex) add(name string, off dwarf.Offset) {
	if name != "" {
		x.byName[name] = append(x.byName[name], off)
	}
}

// unitOf returns the unit that contains an entry, nil where there is none.
func (d *debugInfo) unitOf(off dwarf.Offset) *unit {
	i, found := slices.BinarySearchFunc(d.units, off, func(u *unit, off dwarf.Offset) int { return cmp.Compare(u.offset, off) })
	if !found {
		i--
	}
	if i < 0 || off >= d.units[i].end {
		return nil
	}
	return d.units[i]
}

// namedType returns the first type under a name that has members, the type of
// another kind where none has.
func (d *debugInfo) namedType(name string) Type {
	var other Type
	for _, off := range d.typeNames().byName[name] {
		switch t := d.resolve(off); {
		case t.Struct != nil:
			return t
		case other.Kind == KindUnknown:
			other = t
		}
	}
	return other
}
