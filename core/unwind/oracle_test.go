package unwind_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest"
	"pushmask/core/memmap"
	"pushmask/core/unwind"
	"pushmask/elfsym"
)

// imageMemory reads the file-backed bytes of an image.
type imageMemory struct{ img *elfsym.Image }

func (m imageMemory) ReadAt(a core.Addr, p []byte) (int, error) {
	n, err := m.img.ReadAt(uint32(a), p)
	if n < len(p) {
		return n, &core.ReadError{Addr: a + core.Addr(n), Len: uint32(len(p) - n)}
	}
	return n, err
}

func walk(p *unwind.Program, img *elfsym.Image, s *coretest.Sample) ([]core.Addr, core.Stop) {
	opt := unwind.Options{}
	if !img.MProfile() {
		opt.Profile = core.ProfileA
	}
	w := p.Walk(memmap.Over(s, imageMemory{img}), s.Regs, opt)
	var got []core.Addr
	for {
		f, ok := w.Next(context.Background())
		if !ok {
			return got, w.Stop()
		}
		if f.Kind == core.FrameFunction {
			got = append(got, f.PC)
		}
	}
}

// TestRecordings scores the walker against recorded machines with known
// stacks, strictly: the whole list of PCs must be equal.
func TestRecordings(t *testing.T) {
	shared := coretest.Shared(t, "cases", "oracle")
	dir := shared
	if more := os.Getenv("PUSHMASK_RECORDINGS"); more != "" {
		dir = more // recordings made with the same tool, scored only
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recordings in %s: %v", dir, err)
	}
	show := os.Getenv("PUSHMASK_SHOW") != ""
	for _, mode := range []struct {
		name string
		opt  elfsym.Options
	}{
		{"symbols only", elfsym.Options{NoDebug: true}},
		{"no symbols", elfsym.Options{NoDebug: true, NoSymbols: true}},
		{"everything", elfsym.Options{}},
	} {
		for _, path := range paths {
			t.Run(mode.name+"/"+filepath.Base(path), func(t *testing.T) {
				elf, samples := coretest.ReadRecording(t, path)
				img, err := elfsym.Open(elf, mode.opt)
				if err != nil {
					t.Fatal(err)
				}
				defer img.Close()
				p := unwind.FromImages(elfsym.Join(img))
				var count [3]int
				for i := range samples {
					s := &samples[i]
					got, stop := walk(p, img, s)
					v := s.Judge(withoutUnseenCalls(img, got, s.Frames))
					count[v]++
					if show && v != coretest.Exact && count[1]+count[2] < 400 {
						t.Logf("%v step %d: got %v want %v: %s %s", []string{"exact", "SHORT", "WRONG"}[v], s.Step, list(got), list(s.Frames), stop.Kind, stop.Detail)
					}
				}
				if dir == shared && count[coretest.Exact] != len(samples) {
					t.Errorf("%d short and %d wrong of %d, want none", count[coretest.Short], count[coretest.Wrong], len(samples))
				}
				n := float64(len(samples))
				t.Logf("n=%d exact %.2f%% short %.2f%% wrong %.2f%%", len(samples), 100*float64(count[0])/n, 100*float64(count[1])/n, 100*float64(count[2])/n)
			})
		}
	}
}

// withoutUnseenCalls leaves out the callers that the recorder did not see: it
// takes BL and BLX for calls, but not ARMv4's "mov lr, pc; bx rN" (e1a0e00f two
// words before the return address), with which newlib's qsort and printf call.
func withoutUnseenCalls(img *elfsym.Image, got, want []core.Addr) []core.Addr {
	const movLRPC = 0xe1a0e00f
	var seen []core.Addr
	for i, a := range got {
		w, err := core.ReadU32(imageMemory{img}, a-8)
		if i > 0 && !img.MProfile() && err == nil && w == movLRPC && !slices.Contains(want, a) {
			continue
		}
		seen = append(seen, a)
	}
	return seen
}

func list(a []core.Addr) string {
	var b strings.Builder
	for _, x := range a {
		fmt.Fprintf(&b, "%x ", uint32(x))
	}
	return b.String()
}
