package oracle_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest"
	"pushmask/core/memmap"
	"pushmask/core/unwind"
	"pushmask/elfsym"
)

// compareDirections counts at how many samples the row of the code before the
// instruction and that of the code ahead are both known, and agree. A stack that
// is not true where they differ is a fault.
func compareDirections(t *testing.T, elf string, samples []*coretest.Sample) (faults []string) {
	img, err := elfsym.Open(elf, modes[0].opt)
	if err != nil {
		t.Fatal(err)
	}
	defer img.Close()
	p := unwind.FromImages(elfsym.Join(img))
	known, same := 0, 0
	for _, s := range samples {
		before, ahead := directions(p, img, s)
		if len(before) == 0 || len(ahead) == 0 {
			continue
		}
		known++
		if slices.Contains(before, ahead[0]) {
			same++
			continue
		}
		if got, _ := walk(p, img, s); s.Judge(got) == coretest.Wrong {
			faults = append(faults, fmt.Sprintf("step %d: the directions differ, and of %v the walk shows %v", s.Step, s.Frames, got))
		}
	}
	t.Logf("directions: both known at %d of %d, agree at %d", known, len(samples), same)
	return faults
}

// caller is what a row comes to.
type caller struct {
	cfa core.Addr
	ra  uint32
}

// directions returns the callers of the youngest frame by the code before it and
// by the code ahead.
func directions(p *unwind.Program, img *elfsym.Image, s *coretest.Sample) (before, ahead []caller) {
	mem := memmap.Over(s, imageMemory{img})
	opt := unwind.Options{}
	if !img.MProfile() {
		opt.Profile = core.ProfileA
	}
	f, ok := p.Walk(mem, s.Regs, opt).Next(context.Background())
	if !ok {
		return nil, nil
	}
	values := func(rows []unwind.Row) (list []caller) {
		for _, r := range rows {
			if cfa, ra, err := r.Values(&f.Regs, mem); err == nil {
				list = append(list, caller{cfa, ra &^ 1})
			}
		}
		return list
	}
	before = values(unwind.Distinct(p.SourceRows(core.TrustAnalysis, f.Lookup)))
	if r, ok := p.ForwardRow(&f, mem); ok {
		ahead = values([]unwind.Row{r})
	}
	return before, ahead
}
