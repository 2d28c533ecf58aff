package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/session"
	"pushmask/core/stackdepth"
)

const exceptionNote = `
An exception puts %d bytes on the stack that it interrupts, %d when FP registers
are in use, and up to %d to align it. Chains do not contain them.
`

// printStacks prints the frames of all functions, and the deepest chains below
// the handlers of the vector table and the named functions.
func printStacks(ctx context.Context, w io.Writer, s *session.Session, names []string) error {
	g, err := s.Program().StackGraph(ctx)
	if err != nil {
		return err
	}
	entries := g.Entries()
	for _, name := range names {
		found, err := entriesNamed(ctx, s, g, name)
		if err != nil {
			return err
		}
		entries = append(entries, found...)
	}
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "frames of functions, in bytes:\n\n")
	writeFrames(out, g.Functions())
	fmt.Fprint(out, "\ndeepest call chains, in bytes:\n")
	for _, e := range entries {
		writeChain(out, e, g.Deepest(e.Func))
	}
	if s.Profile() == core.ProfileM {
		fmt.Fprintf(out, exceptionNote, stackdepth.ExceptionFrame, stackdepth.ExceptionFrameFP, stackdepth.ExceptionAlign)
	}
	writeUncalled(out, g.Uncalled(), entries)
	return out.Flush()
}

// entriesNamed finds functions by the name that is shown, which several can
// share, or by an expression.
func entriesNamed(ctx context.Context, s *session.Session, g *stackdepth.Graph, name string) ([]stackdepth.Entry, error) {
	var found []stackdepth.Entry
	for _, f := range g.Functions() {
		if f.Name == name {
			found = append(found, stackdepth.Entry{Func: f})
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	v, err := s.Evaluate(ctx, name, nil)
	if err != nil {
		return nil, err
	}
	f := g.At(core.Addr(v.U32 &^ 1))
	if f == nil {
		return nil, fmt.Errorf("no function starts at %s (%v)", name, core.Addr(v.U32&^1))
	}
	return []stackdepth.Entry{{Func: f}}, nil
}

// writeFrames lists functions, the largest frames first.
func writeFrames(w io.Writer, funcs []*stackdepth.Function) {
	funcs = slices.Clone(funcs)
	slices.SortStableFunc(funcs, func(x, y *stackdepth.Function) int { return cmp.Compare(y.Frame, x.Frame) })
	for _, f := range funcs {
		size := fmt.Sprint(f.Frame)
		switch {
		case f.Missing:
			size = "?"
		case f.Dynamic || f.Unresolved:
			size += "+?"
		}
		fmt.Fprintf(w, "%8s  %v  %s\n", size, f.Entry, f.Name)
	}
}

func writeChain(w io.Writer, e stackdepth.Entry, c stackdepth.Chain) {
	title, least := e.Func.Name, ""
	if n := e.Names(); len(n) > 0 {
		title += " (" + strings.Join(n, ", ") + ")"
	}
	if len(c.Limits) > 0 {
		least = "at least "
	}
	fmt.Fprintf(w, "\n%s: %s%d\n", title, least, c.Depth)
	for _, l := range c.Links {
		note := ""
		if l.Tail {
			note = "  leaves by a tail call"
		}
		fmt.Fprintf(w, "%8d  %s%s\n", l.Depth, l.Func.Name, note)
	}
	for _, l := range c.Limits {
		fmt.Fprintf(w, "  not counted: %s\n", limitText(l))
	}
}

func limitText(l stackdepth.Limit) string {
	name := l.Funcs[0].Name
	switch l.Kind {
	case stackdepth.Recursion:
		if len(l.Funcs) == 1 {
			return fmt.Sprintf("recursion of %s, more than one turn", name)
		}
		return fmt.Sprintf("recursion, more than one turn of the cycle %s", joinNames(l.Funcs))
	case stackdepth.Indirect:
		sites := make([]string, len(l.Sites))
		for i, s := range l.Sites {
			sites[i] = s.String()
		}
		return fmt.Sprintf("what %s calls through a pointer at %s", name, strings.Join(sites, ", "))
	case stackdepth.Missing:
		return fmt.Sprintf("the function at %s, which is not in the image", name)
	case stackdepth.DynamicFrame:
		return fmt.Sprintf("what %s allocates at run time", name)
	case stackdepth.Unresolved:
		return fmt.Sprintf("code of %s behind a jump whose targets were not found", name)
	case stackdepth.StackSwitch:
		return fmt.Sprintf("that %s changes stacks: both are one here", name)
	case stackdepth.NotSearched:
		return fmt.Sprintf("other ways through the cycle %s", joinNames(l.Funcs))
	}
	return ""
}

// maxNames bounds how many members of a cycle are named.
const maxNames = 8

func joinNames(funcs []*stackdepth.Function) string {
	var names []string
	for _, f := range funcs[:min(len(funcs), maxNames)] {
		names = append(names, f.Name)
	}
	if more := len(funcs) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// writeUncalled lists the functions that no chain can contain.
func writeUncalled(w io.Writer, funcs []*stackdepth.Function, entries []stackdepth.Entry) {
	funcs = slices.DeleteFunc(funcs, func(f *stackdepth.Function) bool {
		return slices.ContainsFunc(entries, func(e stackdepth.Entry) bool { return e.Func == f })
	})
	if len(funcs) == 0 {
		return
	}
	fmt.Fprint(w, "\nNot called directly (--entry NAME shows the chain below one):\n")
	for _, f := range funcs {
		fmt.Fprintf(w, "          %v  %s\n", f.Entry, f.Name)
	}
}
