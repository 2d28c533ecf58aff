package inspect

import (
	"strings"

	"pushmask/elfsym/types"
)

// CompletionKind tells what a [Completion] names.
type CompletionKind uint8

// The kinds.
const (
	CompleteVariable CompletionKind = iota
	CompleteMember
	CompleteFunction
	CompleteConstant // of an enumeration
	CompleteType
	CompleteNamespace
	CompleteRegister
	CompleteKeyword // a word of the language
	CompleteFile
	CompleteMacro
)

// Completion is what a word that is being typed may become.
type Completion struct {
	Name string // what people call it
	Text string // what takes the place of the word
	Kind CompletionKind
	Type string // of variables, members and constants, "" where none is known
}

// MaxCompletions bounds the words that [Program.Complete] returns. Clients that
// ask once for a word, at its first letter, choose among these.
const MaxCompletions = 1000

// Complete returns what the word at the end of an expression may become in a
// frame, the nearest first: names in the order in which they are looked up,
// members in that of the source. The word begins at the byte from of text. What
// is before a dot or an arrow is not evaluated; see [Program.TypeOf].
func (p *Program) Complete(f *Frame, text string) (list []Completion, from int) {
	return p.complete(f, text, false)
}

// CompleteType is [Program.Complete] for text that may be the name of a type as
// well, as [Program.TypeOf] takes it.
func (p *Program) CompleteType(f *Frame, text string) (list []Completion, from int) {
	return p.complete(f, text, true)
}

func (p *Program) complete(f *Frame, text string, isType bool) (list []Completion, from int) {
	w, ok := wordAt(text)
	if !ok {
		return nil, len(text)
	}
	w.types = w.types || isType && strings.TrimSpace(text[:w.from]) == ""
	c := &completer{
		evaluation: &evaluation{context: p.context(f), expr: text},
		word:       w.text, seen: make(map[string]bool), qualified: w.place == placeScope,
	}
	switch w.place {
	case placeMember:
		c.members(w.before)
	case placeScope:
		c.scoped(w.before)
	case placeRegister:
		c.registers()
	case placeFile:
		c.files()
	case placeTag:
		c.tagged(w.before)
	case placeOperand:
		c.operand(w)
	}
	return c.list, w.from
}

// completer collects completions of a word.
type completer struct {
	*evaluation
	word string
	list []Completion
	seen map[string]bool
	// qualified says that the word stands behind "::".
	qualified bool
}

func (c *completer) full() bool { return len(c.list) >= MaxCompletions }

// add adds a completion, unless the word is not its beginning, or it is hidden
// by one that was added before. It reports whether there is place for more.
func (c *completer) add(x Completion) bool {
	if c.full() {
		return false
	}
	if x.Text == "" || c.qualified { // behind "::" nothing can be quoted
		x.Text = x.Name
	}
	if x.Name == "" || c.seen[x.Name] || !strings.HasPrefix(x.Name, c.word) {
		return true
	}
	c.seen[x.Name] = true
	c.list = append(c.list, x)
	return !c.full()
}

// members offers the members of what an expression, before a dot or an arrow,
// is or points to.
func (c *completer) members(before string) {
	var root node
	t, err := tryReadings(c.evaluation, before, func(e *evaluation, n node) (*Type, error) {
		root = n
		return e.typeOfExpr(n)
	})
	if err != nil {
		return
	}
	if u := t.underlying(); u.isReference() {
		t = u.Elem()
	}
	u := t.underlying()
	if u.isPointer() || u.kind == types.Array {
		u = u.Elem().underlying()
	}
	if view := c.pointed(root, u); view != nil {
		u = view
	}
	budget := maxSearch
	c.membersOf(u, 0, &budget)
	c.activeMembers(root, u)
}

// pointed returns what a pointer of a library, which an arrow follows, points
// to; nil where t is none.
func (c *completer) pointed(root node, t *Type) *Type {
	if !t.isRecord() || !strings.HasSuffix(c.expr[:len(c.expr)-len(c.word)], "->") {
		return nil
	}
	x := c.assumed()
	v, err := x.dereference(x.memory(t, assumedWord))
	if err != nil && !changes(root) {
		if v, err = c.eval(root); err == nil {
			v, err = c.dereference(v)
		}
	}
	if err != nil {
		return nil
	}
	return v.Type.underlying()
}

// membersOf offers the members of a record, those of anonymous members, then
// those of base classes.
func (c *completer) membersOf(t *Type, depth int, budget *int) {
	l, _ := t.layout()
	if depth > maxMembersDepth {
		return
	}
	for _, inherited := range []bool{false, true} {
		for i := range l.Members {
			m := &l.Members[i]
			if *budget--; *budget < 0 {
				return
			}
			switch {
			case m.Base != inherited:
			case m.Base || m.Name == "":
				c.membersOf(wrap(m.Type).underlying(), depth+1, budget)
			default:
				c.add(Completion{Name: m.Name, Text: memberText(m.Name), Kind: CompleteMember, Type: m.Type.Name()})
			}
		}
		for i := range l.Statics {
			if s := &l.Statics[i]; !inherited {
				c.add(Completion{Name: s.Name, Kind: CompleteMember, Type: s.Type.Name()})
			}
		}
	}
}

// memberText is a member as it is written after a dot: names that are not of the
// language, as "_vptr.Base", are quoted.
func memberText(name string) string {
	if nameLen(name) != len(name) {
		return "'" + name + "'"
	}
	return name
}

// activeMembers offers those of the variant of a Rust enumeration that is there.
func (c *completer) activeMembers(root node, t *Type) {
	l, _ := t.layout()
	if len(l.Variants) == 0 || changes(root) {
		return
	}
	v, err := c.eval(root)
	if err != nil {
		return
	}
	if v = v.container(); v == nil || !v.Type.underlying().isRecord() {
		return
	}
	for i := range l.Variants {
		if active, err := v.active(&l.Variants[i]); err == nil && active != nil {
			for j := range active.Members {
				m := &active.Members[j]
				c.add(Completion{Name: m.Name, Text: memberText(m.Name), Kind: CompleteMember, Type: m.Type.Name()})
			}
		}
	}
}
