package die

import (
	"debug/dwarf"
	"strings"
)

// maxFound bounds what one name finds.
const maxFound = 1 << 12

// Find returns the entries of a kind with a qualified name, in the order of the
// file: "x", "ns::x", "core::option::Option<u32>". Anonymous and inline
// namespaces around it, and enumerations without "class" around constants, may
// be left out. The first call indexes the whole program.
func (d *Data) Find(kind Kind, name string) []Entry {
	want := SplitName(name)
	last := want[len(want)-1]
	var out []Entry
	d.each(kind, last, func(e Entry, in reach) bool {
		isMatch := in == reachGlobal
		if in == reachUnknown || len(want) > 1 {
			isMatch = matchPath(e.path(), want)
		}
		if isMatch {
			out = append(out, e)
		}
		return len(out) < maxFound
	})
	return out
}

func (d *Data) each(kind Kind, name string, f func(Entry, reach) bool) {
	x := d.names()
	hash := hashName(name)
	for i := x.heads[hash&uint32(len(x.heads)-1)]; i != 0; i = x.items[i-1].next {
		it := x.items[i-1]
		if it.hash != hash || it.kind != kind {
			continue
		}
		e, err := d.Entry(it.off)
		if err == nil && e.Inherited(dwarf.AttrName).Text() == name && !f(e, it.in) {
			return
		}
	}
}

// Prefixed calls f with the entries of a kind whose qualified names begin with
// prefix, and their own names, in the order of the file, until f returns false.
// The scopes in prefix are whole, the last component is a beginning: "ns::wo".
// What is left out in [Data.Find] may be left out here. Names that skip reports
// are left out. The first call indexes the whole program.
func (d *Data) Prefixed(kind Kind, prefix string, skip func(name string) bool, f func(e Entry, name string) bool) {
	want := SplitName(prefix)
	outer, last := want[:len(want)-1:len(want)-1], want[len(want)-1]
	items := d.names().items
	for i := range items {
		it := &items[i]
		if it.kind != kind || !it.mayBegin(last) || it.in == reachNested && len(outer) == 0 {
			continue
		}
		e, err := d.Entry(it.off)
		if err != nil {
			continue
		}
		name := e.ownName()
		if !strings.HasPrefix(name, last) || skip(name) {
			continue
		}
		if (it.in == reachGlobal && len(outer) == 0 || matchPath(e.path(), append(outer, name))) && !f(e, name) {
			return
		}
	}
}

// mayBegin reports whether the name of it may begin with prefix.
func (it *item) mayBegin(prefix string) bool {
	for i := range min(len(prefix), leadLen) {
		if it.lead[i] != prefix[i] {
			return false
		}
	}
	return true
}

// All calls f with the entries of a kind in the order of the file until f
// returns false. The first call indexes the whole program.
func (d *Data) All(kind Kind, f func(Entry) bool) {
	for _, it := range d.names().items {
		if it.kind != kind {
			continue
		}
		if e, err := d.Entry(it.off); err == nil && !f(e) {
			return
		}
	}
}

// matchPath compares the components of names; what is optional in have may be
// absent in want.
func matchPath(have []part, want []string) bool {
	for len(have) > 0 {
		switch {
		case len(want) > 0 && have[0].name == want[0] && (len(have) > 1) == (len(want) > 1):
			want = want[1:]
		case !have[0].optional:
			return false
		}
		have = have[1:]
	}
	return len(want) == 0
}

// SplitName splits a qualified name at "::", except within brackets of any
// kind. A leading "::" is dropped.
func SplitName(name string) []string {
	name = strings.TrimPrefix(name, "::")
	var out []string
	depth, start := 0, 0
	for i := 0; i < len(name); i++ {
		switch name[i] {
		case '<', '(', '[', '{':
			depth++
		case '>', ')', ']', '}':
			if i > 0 && name[i-1] == '-' { // "->" of Rust function types
				continue
			}
			depth--
		case ':':
			if depth == 0 && i > start && strings.HasPrefix(name[i:], "::") {
				out = append(out, name[start:i])
				start = i + 2
				i++
			}
		}
	}
	return append(out, name[start:])
}
