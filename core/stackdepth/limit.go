package stackdepth

import (
	"cmp"
	"slices"

	"pushmask/core"
)

// LimitKind says what keeps a depth from being exact.
type LimitKind uint8

// The kinds of limit.
const (
	Recursion    LimitKind = iota // functions call each other in cycles
	Indirect                      // a call through a pointer
	Missing                       // a callee without code in the image
	DynamicFrame                  // a frame of a size known at run time only
	Unresolved                    // a jump whose targets were not found
	StackSwitch                   // a change of stacks: both are counted as one
	NotSearched                   // too many ways through a cycle to try all
)

// Limit is a reason why a stack can be deeper than the chain that was found,
// anywhere in the functions that the entry reaches.
type Limit struct {
	Kind LimitKind
	// Funcs is the function concerned, or the members of the cycle.
	Funcs []*Function
	// Sites are the calls concerned, for Indirect.
	Sites []core.Addr
}

// limits collects the limits of everything that f reaches.
func limits(f *Function) []Limit {
	var list []Limit
	seen := map[*Function]bool{f: true}
	groups := map[*group]bool{}
	for work := []*Function{f}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		list = append(list, at.limits()...)
		if g := at.group; !groups[g] {
			groups[g] = true
			list = append(list, g.limits()...)
		}
		for _, c := range at.calls {
			if c.to != nil && !seen[c.to] {
				seen[c.to] = true
				work = append(work, c.to)
			}
		}
	}
	slices.SortFunc(list, func(x, y Limit) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Funcs[0].Entry, y.Funcs[0].Entry))
	})
	return list
}

func (f *Function) limits() []Limit {
	var list []Limit
	add := func(k LimitKind, is bool) {
		if is {
			list = append(list, Limit{Kind: k, Funcs: []*Function{f}})
		}
	}
	add(Missing, f.Missing)
	add(DynamicFrame, f.Dynamic)
	add(Unresolved, f.StackUsage.Unresolved)
	add(StackSwitch, f.SetsSP)
	var sites []core.Addr
	for _, c := range f.calls {
		if c.StackCall.Indirect {
			sites = append(sites, c.Site)
		}
	}
	if len(sites) > 0 {
		list = append(list, Limit{Kind: Indirect, Funcs: []*Function{f}, Sites: sites})
	}
	return list
}

func (g *group) limits() []Limit {
	members := slices.Clone(g.members)
	slices.SortFunc(members, func(x, y *Function) int { return cmp.Compare(x.Entry, y.Entry) })
	var list []Limit
	if g.grows {
		list = append(list, Limit{Kind: Recursion, Funcs: members})
	}
	if g.cut {
		list = append(list, Limit{Kind: NotSearched, Funcs: members})
	}
	return list
}
