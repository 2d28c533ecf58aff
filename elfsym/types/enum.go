package types

import "debug/dwarf"

// Enumerator is a constant of an enumeration.
type Enumerator struct {
	Name  string
	Value int64
}

// Enumerators returns the constants of an enumeration in the order of the
// source.
func (t *Type) Enumerators() []Enumerator {
	t = t.Definition()
	t.once.enumerators.Do(func() {
		if t.Kind != Enum {
			return
		}
		for e, err := range t.Entry.Children() {
			if err != nil || len(t.enumerators) == maxMembers {
				break
			}
			if v, ok := e.Int(dwarf.AttrConstValue); ok && e.Tag == dwarf.TagEnumerator {
				t.enumerators = append(t.enumerators, Enumerator{e.Name(), v})
			}
		}
	})
	return t.enumerators
}

// IsEnumClass reports whether the constants are named with their enumeration,
// as those of "enum class" are.
func (t *Type) IsEnumClass() bool { return t.Entry.Flag(dwarf.AttrEnumClass) }

// IsSigned reports whether values of a base type, an enumeration or an alias of
// one are signed numbers. An enumeration that does not state its underlying type
// is signed where it has a negative constant.
func (t *Type) IsSigned() bool {
	t = t.Underlying()
	if t.Kind == Enum {
		t = t.Definition()
		if t.HasElem() {
			t = t.Elem().Underlying()
		} else {
			for _, e := range t.Enumerators() {
				if e.Value < 0 {
					return true
				}
			}
			return false
		}
	}
	return t.Kind == Base && (t.Encoding == Signed || t.Encoding == SignedChar || t.Encoding == SignedFixed)
}
