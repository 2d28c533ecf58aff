package gdbcommand

import (
	"fmt"
	"slices"
	"strings"
)

// names is a set of names of which each may be written by any beginning that
// no other name has.
type names struct {
	sorted []string
	alias  map[string]string // other spellings, to the name that they stand for
}

func newNames(alias map[string]string, lists ...[]string) names {
	n := names{alias: alias}
	for _, l := range lists {
		n.sorted = append(n.sorted, l...)
	}
	for a := range alias {
		n.sorted = append(n.sorted, a)
	}
	slices.Sort(n.sorted)
	n.sorted = slices.Compact(n.sorted)
	return n
}

// canonical returns the name that a spelling stands for.
func (n names) canonical(spelling string) string {
	if full, ok := n.alias[spelling]; ok {
		return full
	}
	return spelling
}

// has reports whether word is a name in full.
func (n names) has(word string) bool {
	_, ok := slices.BinarySearch(n.sorted, word)
	return ok
}

// resolve returns the full name that word stands for.
func (n names) resolve(word string) (string, error) {
	if n.has(word) {
		return n.canonical(word), nil
	}
	var found []string
	first, _ := slices.BinarySearch(n.sorted, word)
	for _, s := range n.sorted[first:] {
		if !strings.HasPrefix(s, word) {
			break
		}
		if full := n.canonical(s); !slices.Contains(found, full) {
			found = append(found, full)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", reasonError{ErrAmbiguous, fmt.Sprintf("%q may be %s", word, listed(found))}
	}
	return "", reasonError{ErrUnknown, fmt.Sprintf("there is no %q", shorten(word))}
}

// listed writes a few names for people.
func listed(all []string) string {
	const most = 6
	if len(all) > most {
		return strings.Join(all[:most], ", ") + ", ..."
	}
	return strings.Join(all, ", ")
}
