package oracle_test

import (
	"fmt"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest"
	"pushmask/core/unwind"
	"pushmask/elfsym"
)

// withoutPSP are the samples as an artefact has them that holds the sixteen
// core registers alone.
func withoutPSP(samples []*coretest.Sample) []*coretest.Sample {
	var list []*coretest.Sample
	for _, s := range samples {
		c := *s
		c.Regs.Forget(core.PSP)
		c.Regs.Forget(core.MSP)
		list = append(list, &c)
	}
	return list
}

// compareLost walks the samples, which have no PSP, with symbols: as they are, and
// with the word of the kernel for the thread that runs and the bounds of its stack.
// No stack may be wrong, and knowing more may not lose any.
func compareLost(t *testing.T, elf string, samples []*coretest.Sample) (faults []string) {
	t.Helper()
	img, err := elfsym.Open(elf, modes[0].opt)
	if err != nil {
		t.Fatal(err)
	}
	defer img.Close()
	p := unwind.FromImages(elfsym.Join(img))
	var alone, bounded tally
	for _, s := range samples {
		got, _ := walk(p, img, s)
		alone[s.Judge(got)]++
		frames, stop := walkRunning(p, core.ProfileM, imageMemory{img}, s, runningStack(t, img, s))
		v := s.Judge(pcs(frames))
		bounded[v]++
		if v == coretest.Wrong && bounded[v] <= *show {
			t.Logf("without PSP, step %d: got %v want %v: %s %s", s.Step, pcs(frames), s.Frames, stop.Kind, stop.Detail)
		}
	}
	counts := fmt.Sprintf("without PSP: %v; with the stack of the thread: %v", alone, bounded)
	t.Log(counts)
	if alone[coretest.Wrong]+bounded[coretest.Wrong] > 0 || bounded[coretest.Exact] < alone[coretest.Exact] {
		faults = append(faults, counts+"; none may be wrong, and knowing the stack may lose none")
	}
	return faults
}

// runningStack is the stack of the thread that the kernel of testdata/oracle/kernel
// says runs, empty before the first.
func runningStack(t *testing.T, img *elfsym.Image, s *coretest.Sample) unwind.Range {
	t.Helper()
	const threads = 4
	symbol := func(name string) elfsym.Symbol {
		list := img.Variables(name)
		if len(list) != 1 {
			t.Fatalf("%d variables are called %s", len(list), name)
		}
		return list[0]
	}
	current, err := core.ReadU32(s, core.Addr(symbol("kernel_current").Addr))
	if err != nil {
		t.Fatal(err)
	}
	if current == 0 {
		return unwind.Range{}
	}
	table, stacks := symbol("threads"), symbol("stacks")
	n, size := (current-table.Addr)/(table.Size/threads), stacks.Size/threads
	return unwind.Range{Addr: core.Addr(stacks.Addr + n*size), Size: size}
}
