package elfsym

import "debug/dwarf"

// walker reads the entries below one entry in order, without recursion: the
// nesting of a hostile file may be deeper than a stack.
type walker struct {
	r     *dwarf.Reader
	end   dwarf.Offset // of the unit
	depth int          // of the entry that next returns; 0 ends the walk
	done  bool
}

// walker starts below the entry at off of u.
func (d *debugInfo) walker(u *unit, off dwarf.Offset) *walker {
	w := &walker{r: d.unitReader(u), end: u.end}
	w.r.Seek(off)
	e, err := w.r.Next()
	w.depth, w.done = 1, err != nil || e == nil || !e.Children
	return w
}

// next returns the next entry, going into the children of the last one unless
// skip was called; nil at the end.
func (w *walker) next() (*dwarf.Entry, error) {
	for !w.done {
		e, err := w.r.Next()
		if err != nil || e == nil || e.Offset >= w.end {
			w.done = true
			return nil, err
		}
		if e.Tag == 0 {
			w.depth--
			w.done = w.depth == 0
			continue
		}
		if e.Children {
			w.depth++
		}
		return e, nil
	}
	return nil, nil
}

// level is the nesting of the children of the entry that next returned last.
func (w *walker) level() int { return w.depth }

// skip passes over the children of e, the entry that next returned last.
func (w *walker) skip(e *dwarf.Entry) error {
	if !e.Children || w.done {
		return nil
	}
	if off, ok := e.Val(dwarf.AttrSibling).(dwarf.Offset); ok && off > e.Offset && off < w.end {
		w.r.Seek(off)
		w.depth--
		return nil
	}
	for outside := w.depth - 1; w.depth > outside && !w.done; {
		e, err := w.r.Next()
		if err != nil || e == nil || e.Offset >= w.end {
			w.done = true
			return err
		}
		switch {
		case e.Tag == 0:
			w.depth--
		case e.Children:
			w.depth++
		}
	}
	return nil
}
