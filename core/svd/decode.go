package svd

import "fmt"

// FieldValue is a field with its value in a register.
type FieldValue struct {
	Field *Field
	Value uint64
	// Known is false for a field that cannot be read; Value is 0 then.
	Known bool
	// Name is the name of the value when read, nil where it has none.
	Name *EnumValue
}

// Text returns the value for people: "3 (SLOW)", "0x1f40", "write-only".
func (v FieldValue) Text() string {
	switch {
	case !v.Known:
		return v.Field.Access.String()
	case v.Name != nil && v.Name.Name != "":
		return plainNumber(v.Value, v.Field.Width) + " (" + v.Name.Name + ")"
	}
	return plainNumber(v.Value, v.Field.Width)
}

// plainNumber writes a number of a width in bits: short ones in decimal, those
// of a byte or more with all their hexadecimal digits.
func plainNumber(v uint64, width int) string {
	if width < 8 {
		return fmt.Sprintf("%d", v)
	}
	return fmt.Sprintf("0x%0*x", (width+3)/4, v)
}

// Text returns the register's value for people: all its hexadecimal digits.
func (r *Register) Text(v uint64) string { return fmt.Sprintf("0x%0*x", (r.Size+3)/4, v&ones(r.Size)) }

// Decode returns the fields of a register that holds v, in the order of
// [Register.Fields].
func (r *Register) Decode(v uint64) []FieldValue {
	list := make([]FieldValue, 0, len(r.Fields))
	for _, f := range r.Fields {
		list = append(list, f.Decode(v))
	}
	return list
}

// Decode returns the field of a register that holds v.
func (f *Field) Decode(v uint64) FieldValue {
	fv := FieldValue{Field: f}
	if f.Access.Readable() {
		fv.Known, fv.Value = true, v>>f.LSB&f.Max()
		fv.Name = f.nameOf(fv.Value, UseRead)
	}
	return fv
}

// nameOf returns the name of a value for reads or for writes, nil without one.
func (f *Field) nameOf(v uint64, use Usage) *EnumValue {
	for _, e := range f.Enums {
		if e.Usage != UseReadWrite && e.Usage != use {
			continue
		}
		if n := e.Find(v); n != nil {
			return n
		}
	}
	return nil
}

// ValueOf returns the value that a name stands for when written to the field.
// Bits of it that do not matter are 0. It fails for names that stand for all
// other values.
func (f *Field) ValueOf(name string) (uint64, bool) {
	for _, e := range f.Enums {
		if e.Usage == UseRead {
			continue
		}
		for i := range e.Values {
			if v := &e.Values[i]; v.Name == name && !v.Default {
				return v.Value, true
			}
		}
	}
	return 0, false
}
