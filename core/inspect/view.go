package inspect

// view is what a value of a library type means: its elements, its text.
type view struct {
	text     *str    // of strings
	named    []Child // what a pointer or an optional holds
	count    int     // of indexed elements
	elements func(start, end int) []Child
	summary  string // in front of the elements, or all there is
}

func (v *Value) view() *view { return nil }

func (v *Value) viewElement(int64) (*Value, bool) { return nil, false }

func (v *Value) viewText() (str, bool) { return str{}, false }

func smartPointer(v *Value) (*Value, error) { return v, nil }

func (w *writer) view(v *view, depth int) {}
