package unwind_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest"
	"pushmask/core/memmap"
	"pushmask/core/unwind"
	"pushmask/elfsym"
)

// agreement counts what the analysis and the forward walk say of stopped code.
type agreement struct {
	one, same, differ int
}

// TestDirectionsAgree compares, at every recorded stop, the row that follows
// from the code before the instruction with the row that follows from the code
// ahead of it. Where both are known they agree but for a few, and there the
// stack is the true one.
func TestDirectionsAgree(t *testing.T) {
	t.Parallel()
	dir := coretest.Shared(t, "cases", "oracle")
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recordings in %s: %v", dir, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			elf, samples := coretest.ReadRecording(t, path)
			img, err := elfsym.Open(elf, elfsym.Options{NoDebug: true})
			if err != nil {
				t.Fatal(err)
			}
			defer img.Close()
			p := unwind.FromImages(elfsym.Join(img))
			var count agreement
			for i := range samples {
				s := &samples[i]
				was := count.differ
				count.add(p, img, s)
				got, _ := walk(p, img, s)
				if got = withoutUnseenCalls(img, got, s.Frames); count.differ > was && !slices.Equal(got, s.Frames) {
					t.Errorf("step %d: the directions differ, and of %v the walk shows %v", s.Step, s.Frames, got)
				}
			}
			t.Logf("both know %d and agree on %d, one alone knows %d, of %d", count.same+count.differ, count.same, count.one, len(samples))
			if known := count.same + count.differ; known*2 < len(samples) || count.differ*200 > known {
				t.Errorf("both know %d and differ on %d of %d; want at least half known, 0.5%% different", known, count.differ, len(samples))
			}
		})
	}
}

// add compares the rows of the youngest frame of a sample.
func (a *agreement) add(p *unwind.Program, img *elfsym.Image, s *coretest.Sample) {
	mem := memmap.Over(s, imageMemory{img})
	opt := unwind.Options{}
	if !img.MProfile() {
		opt.Profile = core.ProfileA
	}
	f, ok := p.Walk(mem, s.Regs, opt).Next(context.Background())
	if !ok {
		return
	}
	type place struct {
		cfa core.Addr
		ra  uint32
	}
	var before []place
	for _, r := range unwind.Distinct(p.SourceRows(core.TrustAnalysis, f.Lookup)) {
		if cfa, ra, err := r.Values(&f.Regs, mem); err == nil {
			before = append(before, place{cfa, ra &^ 1})
		}
	}
	var ahead []place
	if r, ok := p.ForwardRow(&f, mem); ok {
		if cfa, ra, err := r.Values(&f.Regs, mem); err == nil {
			ahead = append(ahead, place{cfa, ra &^ 1})
		}
	}
	switch {
	case len(before) == 0 && len(ahead) == 0:
	case len(before) == 0 || len(ahead) == 0:
		a.one++
	case slices.Contains(before, ahead[0]):
		a.same++
	default:
		a.differ++
	}
}
