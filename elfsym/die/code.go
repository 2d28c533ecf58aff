package die

import (
	"fmt"

	"pushmask/internal/cursor"
)

// Code returns the places of the functions with code in the unit, those in
// namespaces, types and other functions too. It passes over everything else
// without decoding it: a unit of C++ has a hundred entries of types for each
// function. What came before damage is returned with the error.
func (u *Unit) Code() ([]Offset, error) {
	if u.load(); u.err != nil {
		return nil, u.err
	}
	var out []Offset
	c := cursor.New(".debug_info", u.data)
	c.Seek(int(u.First - u.Start))
	for c.Len() > 0 {
		e := u.next(c)
		if e.Zero() {
			continue
		}
		if e.abbrev.code {
			out = append(out, e.Offset)
		}
		u.skipAttributes(c, e.abbrev)
	}
	if err := c.Err(); err != nil {
		return out, fmt.Errorf("unit at %#x: %w", u.Start, err)
	}
	return out, nil
}
