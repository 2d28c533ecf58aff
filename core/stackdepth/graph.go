package stackdepth

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"pushmask/core"
	"pushmask/core/unwind"
)

// Function is a function of the program and what it does to the stack.
type Function struct {
	unwind.StackUsage
	Name  string
	Entry core.Addr
	// Missing is set for the target of a call that has no code in the image
	// (ROM, another image): nothing is known of it.
	Missing bool

	calls []call
	group *group
	below uint32 // bytes of the deepest chain that starts here
	// steps are the calls of that chain up to the first out of the group.
	steps []*call
}

// call is an edge of the call graph.
type call struct {
	unwind.StackCall
	to *Function // nil for an indirect call
}

// Graph is the call graph of a program. It is not safe for concurrent use.
type Graph struct {
	code   *unwind.Program
	stacks *unwind.Stacks
	name   func(unwind.Func) string
	byAddr map[core.Addr]*Function
	all    []*Function
}

// New measures the functions of code and connects them. name gives the name
// that people know a function by. The error is that of ctx.
func New(ctx context.Context, code *unwind.Program, name func(unwind.Func) string) (*Graph, error) {
	g := &Graph{code: code, stacks: code.Stacks(), name: name, byAddr: make(map[core.Addr]*Function)}
	for _, f := range code.Functions() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g.function(f.Entry)
	}
	for _, h := range code.Handlers() {
		g.function(h.Entry)
	}
	for i := 0; i < len(g.all); i++ { // connect adds functions
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g.connect(g.all[i])
	}
	for _, c := range components(g.all) {
		c.settle()
	}
	slices.SortFunc(g.all, func(x, y *Function) int { return cmp.Compare(x.Entry, y.Entry) })
	return g, nil
}

// Functions lists all functions by address, also those that only calls lead to.
func (g *Graph) Functions() []*Function { return g.all }

// Callees lists the functions that f calls directly or jumps to, by address,
// without duplicates.
func (f *Function) Callees() []*Function {
	var list []*Function
	for _, c := range f.calls {
		if c.to != nil && !slices.Contains(list, c.to) {
			list = append(list, c.to)
		}
	}
	slices.SortFunc(list, func(x, y *Function) int { return cmp.Compare(x.Entry, y.Entry) })
	return list
}

// function returns the function that starts at entry, which may lie inside of
// another one: hand-written code has subroutines and second entries.
func (g *Graph) function(entry core.Addr) *Function {
	if f, ok := g.byAddr[entry]; ok {
		return f
	}
	f := &Function{Entry: entry}
	code, ok := g.code.FuncAt(entry)
	f.Missing = !g.code.HasCode(entry) // symbols of a ROM name what no file has
	switch {
	case !ok:
		f.Name, f.Missing = entry.String(), true
	case code.Entry != entry:
		f.Name = fmt.Sprintf("%s+%d", g.name(code), entry-code.Entry)
	default:
		f.Name = g.name(code)
	}
	if !f.Missing {
		code.Entry = entry
		f.StackUsage = g.stacks.Usage(code)
	}
	g.byAddr[entry] = f
	g.all = append(g.all, f)
	return f
}

func (g *Graph) connect(f *Function) {
	for _, c := range f.Calls {
		e := call{StackCall: c}
		if !c.Indirect {
			e.to = g.function(c.Target)
		}
		f.calls = append(f.calls, e)
	}
}
