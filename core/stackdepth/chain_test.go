package stackdepth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/unwind"
	"pushmask/elfsym"
)

// graphOf reads a call graph from lines: "name frame call call ...", where a
// call is "name@depth", "name@tail", or "?@depth" for one through a pointer. A
// frame may end in "+?" for dynamic, or be "missing".
func graphOf(t *testing.T, text string) (*Graph, map[string]*Function) {
	t.Helper()
	g, byName := &Graph{}, map[string]*Function{}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		words := strings.Fields(line)
		f := &Function{Name: words[0], Entry: core.Addr(0x100 * (i + 1))}
		size, dynamic := strings.CutSuffix(words[1], "+?")
		f.Dynamic, f.Missing = dynamic, size == "missing"
		if !f.Missing {
			fmt.Sscan(size, &f.Frame)
		}
		g.all, byName[f.Name] = append(g.all, f), f
	}
	for i, line := range lines {
		f := g.all[i]
		for k, w := range strings.Fields(line)[2:] {
			name, depth, _ := strings.Cut(w, "@")
			c := call{to: byName[name], StackCall: unwind.StackCall{Site: f.Entry + core.Addr(2*k+2)}}
			c.Indirect, c.Tail = name == "?", depth == "tail"
			if !c.Tail {
				fmt.Sscan(depth, &c.Depth)
			}
			if c.to == nil && !c.Indirect {
				t.Fatalf("%s calls %s, which is not there", f.Name, name)
			}
			f.calls = append(f.calls, c)
		}
	}
	for _, c := range components(g.all) {
		c.settle()
	}
	return g, byName
}

// chainText is "depth: a 8 > b tail > c 16" and the kinds and functions of the
// limits behind " | ".
func chainText(c Chain) string {
	var links, limits []string
	for _, l := range c.Links {
		if l.Tail {
			links = append(links, l.Func.Name+" tail")
		} else {
			links = append(links, fmt.Sprintf("%s %d", l.Func.Name, l.Depth))
		}
	}
	kinds := [...]string{"recursion", "indirect", "missing", "dynamic", "unresolved", "switch", "not searched"}
	for _, l := range c.Limits {
		names := make([]string, len(l.Funcs))
		for i, f := range l.Funcs {
			names[i] = f.Name
		}
		limits = append(limits, kinds[l.Kind]+" "+strings.Join(names, "+"))
	}
	return strings.Join(append([]string{fmt.Sprintf("%d: %s", c.Depth, strings.Join(links, " > "))}, limits...), " | ")
}

func TestDeepest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, graph, want string
	}{
		{"leaf", "a 8", "8: a 8"},
		{"call", "a 16 b@16\nb 24", "40: a 16 > b 24"},
		{"the deeper of two", "a 16 b@16 c@16\nb 24\nc 32", "48: a 16 > c 32"},
		{"the call is shallower than the frame", "a 40 b@8\nb 24", "40: a 40"},
		{"a shallow call that is deeper", "a 40 b@8\nb 48", "56: a 8 > b 48"},
		{"tail call", "a 16 b@tail\nb 24", "24: a tail > b 24"},
		{"frame larger than what it leaves to", "a 40 b@tail\nb 24", "40: a 40"},
		{"tail call of a frameless function", "a 0 b@tail\nb 0 c@0\nc 8", "8: a tail > b 0 > c 8"},
		{"a loop by tail calls is no recursion", "a 8 b@tail\nb 16 a@tail", "16: a tail > b 16"},
		{"a jump to itself is no recursion", "a 8 a@tail", "8: a 8"},
		{"recursion", "a 8 b@8\nb 16 b@16 c@16\nc 4", "28: a 8 > b 16 > c 4 | recursion b"},
		{"cycle of two", "a 8 b@8\nb 16 c@16\nc 24 b@24 d@24\nd 4", "52: a 8 > b 16 > c 24 > d 4 | recursion b+c"},
		{"cycle entered behind its deepest way out", "a 0 c@0\nb 16 c@16 d@16\nc 8 b@8\nd 40", "64: a 0 > c 8 > b 16 > d 40 | recursion b+c"},
		{"leaves a cycle early", "a 4 b@4 d@4\nb 4 a@4\nd 90", "94: a 4 > d 90 | recursion a+b"},
		{"through a pointer", "a 8 b@8\nb 8 ?@8", "16: a 8 > b 8 | indirect b"},
		{"missing", "a 8 b@8\nb missing", "8: a 8 | missing b"},
		{"dynamic", "a 8 b@8 c@8\nb 16+?\nc 32", "40: a 8 > c 32 | dynamic b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, byName := graphOf(t, tt.graph)
			if d := cmp.Diff(tt.want, chainText(g.Deepest(byName["a"]))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestDeepestIsBounded searches a group in which every function calls every
// other one: all ways through it cannot be tried.
func TestDeepestIsBounded(t *testing.T) {
	t.Parallel()
	const n = 30
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "f%d 8", i)
		for k := range n {
			fmt.Fprintf(&text, " f%d@8", k)
		}
		text.WriteString("\n")
	}
	g, byName := graphOf(t, text.String())
	c := g.Deepest(byName["f0"])
	if c.Depth != 8*n || len(c.Links) != n {
		t.Errorf("%d bytes in %d links", c.Depth, len(c.Links))
	}
	if !slices.ContainsFunc(c.Limits, func(l Limit) bool { return l.Kind == NotSearched && len(l.Funcs) == n }) {
		t.Errorf("limits: %v", c.Limits)
	}
}

// TestLongChain calls a hundred thousand functions deep.
func TestLongChain(t *testing.T) {
	t.Parallel()
	const n = 100_000
	g := &Graph{}
	for i := range n {
		g.all = append(g.all, &Function{Entry: core.Addr(2 * i), StackUsage: unwind.StackUsage{Frame: 8}})
	}
	for i := range n - 1 {
		g.all[i].calls = []call{{StackCall: unwind.StackCall{Depth: 8}, to: g.all[i+1]}}
	}
	for _, c := range components(g.all) {
		c.settle()
	}
	if c := g.Deepest(g.all[0]); c.Depth != 8*n || len(c.Links) != n {
		t.Errorf("%d bytes in %d links", c.Depth, len(c.Links))
	}
}

func TestEntryNames(t *testing.T) {
	t.Parallel()
	e := Entry{Exceptions: []int{2, 3, 16, 17, 18, 21, 30, 31}}
	want := []string{"NMI", "HardFault", "IRQ 0 to 2", "IRQ 5", "IRQ 14 to 15"}
	if d := cmp.Diff(want, e.Names()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestNewIsCancelled(t *testing.T) {
	t.Parallel()
	img, err := elfsym.Open(firmware+"demo/fw.elf", elfsym.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer img.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(ctx, unwind.FromImages(elfsym.Join(img)), func(unwind.Func) string { return "" }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
