package stackdepth

import (
	"encoding/binary"
	"maps"
	"math/bits"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/unwind"
	"pushmask/elfsym"
)

// The differences from gcc's figures that are right, each with what has to be
// so for it to count.
const (
	// gcc leaves out the argument registers that the callee pushes next to the
	// arguments on the stack (variadic functions, structures split between
	// registers and stack): the frame begins with a push of nothing but them.
	argumentsPushed = "arguments pushed by the callee"
	// gcc knows nothing of what inline assembly does.
	inlineAssembly = "inline assembly"
	// An interrupt handler of gcc for v7-M aligns SP to 8: up to 4 bytes.
	alignedOnEntry = "SP aligned on entry"
	// The analysis knows how much the first turn of a loop allocates; both call
	// the frame dynamic.
	knownTurn = "first turn of a loop known"
)

// assembly are the functions whose body is inline assembly.
var assembly = []string{"bare", "SVC_Handler"}

// comparison counts functions and calls by how they compare.
type comparison struct {
	img    *elfsym.Image
	graph  *Graph
	syms   map[string]core.Addr
	counts *tally
}

// TestGCC compares every function that gcc compiled with what gcc says of it:
// the size of its frame, whether that is dynamic, and the functions it calls.
func TestGCC(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("arm-none-eabi-gcc"); err != nil {
		t.Skip("arm-none-eabi-gcc is not installed: stack use is not compared with gcc's -fstack-usage and -fcallgraph-info")
	}
	var counts tally
	t.Run("all", func(t *testing.T) {
		for _, target := range gccTargets {
			for _, level := range []string{"-O0", "-O2", "-Os"} {
				t.Run(target.name+level, func(t *testing.T) {
					t.Parallel()
					compareTarget(t, target, level, &counts)
				})
			}
		}
	})
	total := counts.n
	for _, k := range slices.Sorted(maps.Keys(total)) {
		t.Logf("%5d %s", total[k], k)
	}
	version, err := exec.Command("arm-none-eabi-gcc", "-dumpversion").Output()
	if err != nil {
		t.Fatal(err)
	}
	if v := strings.TrimSpace(string(version)); v != "12.2.1" {
		t.Logf("the counts are those of gcc 12.2.1, this is %s", v)
		return
	}
	if d := cmp.Diff(gccCounts, total); d != "" {
		t.Errorf("counts (-want +got):\n%s", d)
	}
}

// gccCounts are the results with gcc 12.2.1.
var gccCounts = map[string]int{
	"frames equal":                        1017,
	"frames differ: " + argumentsPushed:   36,
	"frames differ: " + inlineAssembly:    9,
	"frames differ: " + alignedOnEntry:    6,
	"frames differ: " + knownTurn:         5,
	"callers compared":                    1058,
	"callers left out: " + inlineAssembly: 15,
	"callees equal":                       1072,
	"callers with indirect calls, equal":  42,
}

// tally counts results of tests that run side by side.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (y *tally) add(what string, n int) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.n == nil {
		y.n = map[string]int{}
	}
	y.n[what] += n
}

func compareTarget(t *testing.T, target gccTarget, level string, counts *tally) {
	c := compiler{target: target, level: level, dir: t.TempDir(), objects: map[string]string{}, nodes: map[string][]*gccNode{}}
	for _, p := range gccPrograms {
		if p.name == "task" && target.name == "m0" {
			continue // its inline assembly needs v7-M
		}
		t.Run(p.name, func(t *testing.T) { compareProgram(t, &c, &p, counts) })
	}
}

func compareProgram(t *testing.T, c *compiler, p *gccProgram, counts *tally) {
	path, nodes := c.build(t, p)
	img, err := elfsym.Open(path, elfsym.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer img.Close()
	g, err := New(t.Context(), unwind.FromImages(elfsym.Join(img)), func(f unwind.Func) string { return f.Name })
	if err != nil {
		t.Fatal(err)
	}
	r := comparison{
		img:    img,
		graph:  g,
		syms:   symbolTable(t, path),
		counts: counts,
	}
	for _, n := range nodes {
		a, ok := r.syms[symbolOf(n.title)]
		if !ok {
			t.Errorf("%s has no symbol of its own", n.title)
			continue
		}
		f := r.graph.At(a)
		if f == nil {
			t.Errorf("%s: no function at %v", n.title, a)
			continue
		}
		r.frame(t, n, f)
		r.calls(t, n, f)
	}
}

func (c *comparison) frame(t *testing.T, n *gccNode, f *Function) {
	t.Helper()
	if f.Frame == n.size && f.Dynamic == n.dynamic && !f.Unresolved {
		c.counts.add("frames equal", 1)
		return
	}
	why := c.explain(n, f)
	if why == "" {
		t.Errorf("%s: frame of %d bytes (dynamic %v, unresolved %v), gcc says %d (dynamic %v)",
			n.title, f.Frame, f.Dynamic, f.Unresolved, n.size, n.dynamic)
		return
	}
	c.counts.add("frames differ: "+why, 1)
}

// explain returns why the frame is not what gcc says, "" where it should be.
func (c *comparison) explain(n *gccNode, f *Function) string {
	more := int(f.Frame) - int(n.size)
	switch {
	case f.Unresolved || f.Dynamic != n.dynamic:
		return ""
	case n.size == 0 && slices.Contains(assembly, f.Name):
		return inlineAssembly
	case more == 4 && f.Name == "handler":
		return alignedOnEntry
	case more > 0 && more == c.argumentBytes(f):
		return argumentsPushed
	case more > 0 && f.Dynamic && f.Name == "vla_nested":
		return knownTurn
	}
	return ""
}

// argumentBytes is the size of the argument registers that f stores first: by
// push {..r3} without LR (T1: 1011 0100, list), or by making room (sub sp, T1:
// 1011 0000 1, words) before the push of the saved registers.
func (c *comparison) argumentBytes(f *Function) int {
	var b [4]byte
	if _, err := c.img.ReadAt(uint32(f.Entry), b[:]); err != nil {
		return 0
	}
	first, second := binary.LittleEndian.Uint16(b[:]), binary.LittleEndian.Uint16(b[2:])
	saves := second>>9 == 0xb4>>1 || second == 0xe92d // push T1, stmdb sp!
	switch {
	case first>>4 == 0xb40 && first&8 != 0:
		return 4 * bits.OnesCount16(first&15)
	case first>>7 == 0xb080>>7 && first&0x7f <= 4 && saves:
		return 4 * int(first&0x7f)
	}
	return 0
}

// calls compares the direct callees and whether there are indirect ones.
func (c *comparison) calls(t *testing.T, n *gccNode, f *Function) {
	t.Helper()
	if slices.Contains(assembly, f.Name) {
		c.counts.add("callers left out: "+inlineAssembly, 1)
		return
	}
	want := map[core.Addr]bool{}
	for callee := range n.callees {
		a, ok := c.syms[symbolOf(callee)]
		if !ok {
			t.Errorf("%s: gcc has a call of %s, which has no symbol of its own", n.title, callee)
		}
		want[a] = true
	}
	got, indirect := map[core.Addr]bool{}, false
	for _, e := range f.calls {
		indirect = indirect || e.to == nil
		if e.to != nil {
			got[e.to.Entry] = true
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s: callees (-gcc +got):\n%s", n.title, d)
	}
	if indirect != n.unknown {
		t.Errorf("%s: indirect calls: %v, gcc says %v", n.title, indirect, n.unknown)
	}
	c.counts.add("callers compared", 1)
	c.counts.add("callees equal", len(want))
	if indirect {
		c.counts.add("callers with indirect calls, equal", 1)
	}
}
