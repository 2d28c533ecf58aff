package die

import (
	"debug/dwarf"
	"fmt"
	"iter"

	"pushmask/internal/cursor"
)

// Entry is a debugging information entry. The zero Entry has no attributes.
type Entry struct {
	Unit   *Unit
	Offset Offset
	Tag    dwarf.Tag

	abbrev *abbreviation
	attrs  int // where the attributes begin in the unit's data
}

// Zero reports whether e is no entry.
func (e Entry) Zero() bool { return e.abbrev == nil }

// HasChildren reports whether entries may follow below e.
func (e Entry) HasChildren() bool { return e.abbrev != nil && e.abbrev.children }

// entry reads the entry at off of the unit.
func (u *Unit) entry(off Offset) (Entry, error) {
	if u.load(); u.err != nil {
		return Entry{}, u.err
	}
	return u.read(off)
}

// read is entry for a unit whose abbreviations are known.
func (u *Unit) read(off Offset) (Entry, error) {
	c := cursor.New(".debug_info", u.data)
	if off < u.First || off >= u.End {
		return Entry{}, fmt.Errorf("read entry at %#x: %w: outside of its unit", off, ErrMalformed)
	}
	c.Seek(int(off - u.Start))
	e := u.next(c)
	if err := c.Err(); err != nil {
		return Entry{}, fmt.Errorf("unit at %#x: %w", u.Start, err)
	}
	if e.Zero() {
		return Entry{}, fmt.Errorf("read entry at %#x: %w: an end of siblings", off, ErrMalformed)
	}
	return e, nil
}

// next reads the code of the entry at c and leaves c at its attributes. It
// returns the zero Entry for the end of siblings and on errors.
func (u *Unit) next(c *cursor.Cursor) Entry {
	at := c.Off()
	code := c.ULEB()
	if code == 0 {
		return Entry{}
	}
	a := u.abbrev.get(code)
	if a == nil {
		c.Fail(fmt.Sprintf("abbreviation %d is not in the table", code))
		return Entry{}
	}
	return Entry{Unit: u, Offset: u.Start + Offset(at), Tag: a.tag, abbrev: a, attrs: c.Off()}
}

// skipAttributes moves c, which is at the attributes of a, past them.
func (u *Unit) skipAttributes(c *cursor.Cursor, a *abbreviation) {
	if a.size >= 0 {
		c.Skip(a.size)
		return
	}
	for i := range a.attrs {
		if n := a.attrs[i].size; n >= 0 {
			c.Skip(n)
		} else {
			u.skipForm(c, a.attrs[i].form)
		}
	}
}

// skip moves c, which is at the attributes of e, past e and all below it.
func (u *Unit) skip(c *cursor.Cursor, e Entry) {
	if !e.abbrev.children {
		u.skipAttributes(c, e.abbrev)
		return
	}
	if off, ok := e.Ref(dwarf.AttrSibling); ok && off > e.Offset && off <= u.End {
		c.Seek(int(off - u.Start))
		return
	}
	u.skipAttributes(c, e.abbrev)
	for depth := 1; depth > 0 && c.Len() > 0; {
		below := u.next(c)
		switch {
		case below.Zero():
			depth--
			continue
		case below.abbrev.children:
			depth++
		}
		u.skipAttributes(c, below.abbrev)
	}
}

// Children lists the entries directly below e. An error ends the list.
func (e Entry) Children() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if !e.HasChildren() {
			return
		}
		u := e.Unit
		c := cursor.New(".debug_info", u.data)
		c.Seek(e.attrs)
		u.skipAttributes(c, e.abbrev)
		for c.Len() > 0 {
			child := u.next(c)
			if child.Zero() {
				break
			}
			if !yield(child, nil) {
				return
			}
			u.skip(c, child)
		}
		if err := c.Err(); err != nil {
			yield(Entry{}, fmt.Errorf("unit at %#x: %w", u.Start, err))
		}
	}
}
