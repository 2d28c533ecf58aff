package svd

import "strings"

// Limits of derivation: how many elements derive one from the other, and how
// often a name is looked up in all.
const (
	maxChain   = 8
	maxLookups = 1 << 22
)

// state is how far the derivation of a node is.
type state uint8

const (
	unresolved state = iota
	resolving
	resolved
)

// derivation finds what derivedFrom attributes name.
type derivation struct {
	problems *problems
	left     int // lookups
	index    map[nodeKey]*node
	// enums finds lists of values by name alone, which may be unique in the
	// whole description.
	enums map[string]*node
}

// nodeKey is a name among the elements of an owner.
type nodeKey struct {
	owner     *node
	tag, name string
}

// derivable are the elements that have names and can be derived from.
func derivable(tag string) bool {
	switch tag {
	case "peripheral", "cluster", "register", "field", "enumeratedValues":
		return true
	}
	return false
}

// derive sets the base of every node that derives from another.
func derive(device *node, p *problems) {
	d := &derivation{problems: p, left: maxLookups, index: map[nodeKey]*node{}, enums: map[string]*node{}}
	var all []*node
	d.enter(device, &all)
	for _, n := range all {
		d.resolve(n, 0)
	}
}

// enter indexes the elements below n, by their names as written and by those
// that arrays and lists expand to, and collects those that derive. The first
// of several with one name is found.
func (d *derivation) enter(n *node, deriving *[]*node) {
	for _, k := range n.kids {
		d.enter(k, deriving)
	}
	for _, k := range n.list {
		if derivable(k.tag) {
			if k.derived != "" {
				*deriving = append(*deriving, k)
			}
			d.enterNames(k)
		}
		d.enter(k, deriving)
	}
}

func (d *derivation) enterNames(n *node) {
	nameNode := n.kid("name")
	if nameNode == nil {
		return
	}
	name, owner := nameNode.text, n.owner()
	put := func(name string) {
		if key := (nodeKey{owner, n.tag, name}); d.index[key] == nil {
			d.index[key] = n
		}
	}
	put(name)
	if n.tag == "enumeratedValues" && d.enums[name] == nil {
		d.enums[name] = n
	}
	// Deriving from one element of an array is rare: the first few are enough.
	if count, ok := number(n.str("dim")); ok {
		const indexed = 32
		for _, index := range dimIndices(n, int(min(count, indexed))) {
			put(indexedName(name, index))
		}
	}
}

// resolve finds the base of n; depth counts the elements that wait for it.
func (d *derivation) resolve(n *node, depth int) {
	if n.state != unresolved {
		return
	}
	if n.derived == "" {
		n.state = resolved
		return
	}
	if depth > maxChain {
		d.problems.add(n, "derives through more than %d elements: nothing is inherited", maxChain)
		n.state = resolved
		return
	}
	n.state = resolving
	defer func() { n.state = resolved }()
	base := d.find(n, depth+1)
	if base == nil {
		what := "which the file does not have"
		if d.left == 0 {
			what = "which was not looked for: there are too many such elements"
		}
		d.problems.add(n, "derives from %q, %s", n.derived, what)
		return
	}
	d.resolve(base, depth+1)
	switch {
	case base.state == resolving:
		d.problems.add(n, "derives from itself through %q", n.derived)
	case base.chain >= maxChain:
		d.problems.add(n, "derives through more than %d elements: nothing is inherited", maxChain)
	default:
		n.base, n.chain = base, base.chain+1
	}
}

// find returns the element of n's kind that n derives from. The schema has
// names of the same scope and full paths that start with the peripheral; files
// have paths from any scope around the element too.
func (d *derivation) find(n *node, depth int) *node {
	parts := strings.Split(n.derived, ".")
	if len(parts) > maxDepth {
		return nil
	}
	for scope := n.owner(); scope != nil; scope = scope.owner() {
		if found := d.walk(scope, parts, n.tag, depth); found != nil {
			return found
		}
	}
	if n.tag == "enumeratedValues" && len(parts) == 1 {
		return d.enums[n.derived]
	}
	return nil
}

// walk follows a path from a scope to an element with a tag.
func (d *derivation) walk(scope *node, path []string, tag string, depth int) *node {
	for _, name := range path[:len(path)-1] {
		var next *node
		for _, t := range []string{"peripheral", "cluster", "register", "field"} {
			if next = d.lookup(scope, t, name, depth); next != nil {
				break
			}
		}
		if next == nil {
			return nil
		}
		scope = next
	}
	return d.lookup(scope, tag, path[len(path)-1], depth)
}

// lookup returns the element with a name in a scope or in what the scope
// derives from.
func (d *derivation) lookup(scope *node, tag, name string, depth int) *node {
	for ; scope != nil && d.left > 0; scope = scope.base {
		d.left--
		if found := d.index[nodeKey{scope, tag, name}]; found != nil {
			return found
		}
		d.resolve(scope, depth)
	}
	return nil
}
