package stackdepth

import (
	"os/exec"
	"testing"

	"pushmask/core/unwind"
	"pushmask/elfsym"
)

func TestGCC(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("arm-none-eabi-gcc"); err != nil {
		t.Skip("arm-none-eabi-gcc is not installed: stack usage is not compared with gcc's")
	}
	for _, p := range gccPrograms {
		for _, target := range gccTargets {
			for _, level := range []string{"-O0", "-O2", "-Os"} {
				t.Run(p.name+"/"+target.name+level, func(t *testing.T) {
					t.Parallel()
					b := p.build(t, target, level)
					img, err := elfsym.Open(b.elf, elfsym.Options{})
					if err != nil {
						t.Fatal(err)
					}
					defer img.Close()
					g := New(unwind.FromImage(img), func(f unwind.Func) string { return f.Name })
					syms := symbolTable(t, b.elf)
					for _, n := range b.nodes {
						a, ok := syms[n.symbol()]
						if !ok {
							t.Logf("no symbol %s", n.title)
							continue
						}
						f := g.At(a)
						if f.Frame != n.size || f.Dynamic != n.dynamic {
							t.Errorf("FRAME %s: got %d %v want %d %v", n.title, f.Frame, f.Dynamic, n.size, n.dynamic)
						}
						got := map[string]bool{}
						ind := false
						for _, c := range f.calls {
							if c.to == nil {
								ind = true
							} else {
								got[c.to.Name] = true
							}
						}
						for c := range n.callees {
							if !got[symbolOf(c)] {
								t.Errorf("EDGE missing %s -> %s", n.title, c)
							}
						}
						for c := range got {
							if !n.callees[c] {
								found := false
								for d := range n.callees {
									found = found || symbolOf(d) == c
								}
								if !found {
									t.Errorf("EDGE extra %s -> %s", n.title, c)
								}
							}
						}
						if ind != n.unknown {
							t.Errorf("INDIRECT %s: got %v want %v", n.title, ind, n.unknown)
						}
						if f.StackUsage.Unresolved {
							t.Errorf("UNRESOLVED %s", n.title)
						}
					}
				})
			}
		}
	}
}
