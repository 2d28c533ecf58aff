package types

import "debug/dwarf"

// Param is a parameter of a function type.
type Param struct {
	Name       string // "" in types, which do not name them
	Type       *Type
	Artificial bool // "this"
}

// Params returns the parameters of a function; variadic is true where more may
// follow.
func (t *Type) Params() (params []Param, variadic bool) {
	t.once.params.Do(func() {
		if t.Kind != Function {
			return
		}
		for e, err := range t.Entry.Children() {
			if err != nil || len(t.params) == maxMembers {
				break
			}
			switch e.Tag {
			case dwarf.TagFormalParameter:
				t.params = append(t.params, Param{e.Name(), t.reader.Of(e), e.Flag(dwarf.AttrArtificial)})
			case dwarf.TagUnspecifiedParameters:
				t.variadic = true
			}
		}
	})
	return t.params, t.variadic
}
