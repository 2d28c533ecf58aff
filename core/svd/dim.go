package svd

import (
	"strconv"
	"strings"
)

// placed is one element of an array or list, or an element that is none.
type placed struct {
	index  string // what stands for %s
	label  string // the name of the index (dimArrayIndex), "" without one
	offset uint64 // from the first element, in the unit of dimIncrement
}

// dimIndices returns what stands for %s in the names of the elements of an
// array or list, limit at most: "3-6", "A-D" and "a,b,c" of dimIndex, or else
// numbers from 0.
func dimIndices(n *node, limit int) []string {
	index := n.str("dimIndex")
	var list []string
	switch low, high, isRange := strings.Cut(index, "-"); {
	case index == "":
		for i := range limit {
			list = append(list, strconv.Itoa(i))
		}
	case isRange && !strings.Contains(index, ","):
		list = indexRange(strings.TrimSpace(low), strings.TrimSpace(high), limit)
	default:
		for part := range strings.SplitSeq(index, ",") {
			if len(list) == limit {
				break
			}
			list = append(list, strings.TrimSpace(part))
		}
	}
	return list
}

// indexRange returns the indices of a range of numbers or of letters, nil when
// it is neither.
func indexRange(low, high string, limit int) []string {
	var list []string
	if len(low) == 1 && len(high) == 1 && low > "9" {
		for c := low[0]; c <= high[0] && len(list) < limit && c < 0x7f; c++ {
			list = append(list, string(rune(c)))
		}
		return list
	}
	first, err1 := strconv.ParseUint(low, 10, 32)
	last, err2 := strconv.ParseUint(high, 10, 32)
	if err1 != nil || err2 != nil {
		return nil
	}
	for i := first; i <= last && len(list) < limit; i++ {
		list = append(list, strconv.FormatUint(i, 10))
	}
	return list
}

// indexedName puts an index into a name: "BUF[%s]" is BUF[2], "GPIO_%s_CTRL"
// is GPIO_C_CTRL. A name without a place for it gets it at the end, in
// brackets, so that the elements differ.
func indexedName(name, index string) string {
	if !strings.Contains(name, "%s") {
		return name + "[" + index + "]"
	}
	return strings.Replace(name, "%s", index, 1)
}

// hasPlace reports whether a name has a place for an index.
func hasPlace(name string) bool { return strings.Contains(name, "%s") }

// array is an element with the places that dim gives it.
type array struct {
	isArray bool
	places  []placed
}

// name returns the name of one element.
func (a *array) name(pattern string, p placed) string {
	if !a.isArray {
		return pattern
	}
	return indexedName(pattern, p.index)
}

// display returns the name to show of one element: with the name of its index
// where it has one.
func (a *array) display(pattern string, p placed) string {
	if p.label != "" {
		p.index = p.label
	}
	return a.name(pattern, p)
}

// arrayOf returns the places of an element: one for a plain one, none when what
// dim says cannot be used. An element derived from an array is one too only if
// its own name has a place for an index.
func (x *expander) arrayOf(n *node, name string) array {
	one := array{places: []placed{{}}}
	if n.get("dim") == nil || n.kid("dim") == nil && !hasPlace(name) {
		return one
	}
	count, ok := number(n.str("dim"))
	if !ok || count == 0 {
		x.problems.add(n, "dim is %q", n.str("dim"))
		return array{}
	}
	step, ok := number(n.str("dimIncrement"))
	if (!ok || step > 1<<32) && count > 1 {
		x.problems.add(n, "dimIncrement is %q: only the first of %d elements is there", n.str("dimIncrement"), count)
		count, step = 1, 0
	}
	if !hasPlace(name) {
		x.problems.add(n, "the name of an array has no %%s")
	}
	limit := int(min(count, uint64(x.left)+1))
	indices := dimIndices(n, limit)
	if len(indices) < limit {
		x.problems.add(n, "dimIndex %q is for %d of %d elements", n.str("dimIndex"), len(indices), count)
	}
	labels := x.indexLabels(n.get("dimArrayIndex"))
	a := array{isArray: true}
	for i, index := range indices {
		if !x.spend(n, 1) {
			break
		}
		a.places = append(a.places, placed{index, labels[uint64(i)], uint64(i) * step})
	}
	return a
}

// indexLabels returns the names that dimArrayIndex gives to indices.
func (x *expander) indexLabels(n *node) map[uint64]string {
	if n == nil {
		return nil
	}
	labels := map[uint64]string{}
	for _, v := range n.list {
		if i, ok := number(v.str("value")); ok && x.spend(v, 1) {
			labels[i] = v.str("name")
		}
	}
	return labels
}
