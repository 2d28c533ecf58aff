package oracle_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest"
	"pushmask/core/coretest/oracle"
	"pushmask/core/memmap"
	"pushmask/core/unwind"
	"pushmask/elfsym"
)

var (
	all  = flag.Bool("all", false, "run every build to its end, gdb beside ours, and rewrite the table in docs/unwinding.md")
	only = flag.String("build", "", "run only the build of this name")
	keep = flag.String("keep", "", "folder to leave the firmware in")
	long = flag.Int("steps", 30000, "instructions to run of each build in the long run")
	show = flag.Int("show", 5, "how many stacks that are not exact to print, of a build and mode")
)

// sources is the folder of the firmware's sources.
const sources = "../../../testdata/oracle"

// quickSteps is how many instructions the test that always runs executes of
// each build.
const quickSteps = 4000

// mode is what the unwinder may use of the image.
type mode struct {
	name string
	opt  elfsym.Options
	// exact and wrong are the bars in percent.
	exact, wrong float64
}

var modes = []mode{
	{"symbols", elfsym.Options{NoDebug: true}, 99.9, 0.02},
	{"everything", elfsym.Options{}, 99.95, 0.01},
	{"no symbols", elfsym.Options{NoDebug: true, NoSymbols: true}, 99, 0.1},
}

// TestOracle steps firmware in QEMU and compares the unwinder's stack with the
// truth at every PC, strictly: the whole list of PCs must be equal.
func TestOracle(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("qemu-system-arm"); err != nil {
		t.Skip("SKIPPED: qemu-system-arm is not installed; no firmware was run")
	}
	src, err := filepath.Abs(sources)
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, b := range builds {
		if *only != "" && b.Name != *only || *only == "" && !*all && !b.quick {
			continue
		}
		t.Run(b.Name, func(t *testing.T) {
			rows = append(rows, score(t, src, b))
		})
	}
	if *all && *only == "" && len(rows) == len(builds) {
		writeTable(t, rows)
	}
}

// folder is where a test builds.
func folder(t *testing.T) string {
	if *keep == "" {
		return t.TempDir()
	}
	if err := os.MkdirAll(*keep, 0o755); err != nil {
		t.Fatal(err)
	}
	return *keep
}

// attempts is how often the test that always runs steps a build before it
// counts as a failure: interrupts arrive in real time, on a busy machine mostly
// in the same few instructions, and a fault of the unwinder shows every time.
const attempts = 3

// score builds and runs a firmware, and grades every mode on its samples.
func score(t *testing.T, src string, b build) row {
	dir := folder(t)
	elf, err := b.Build(t.Context(), src, dir)
	if errors.Is(err, oracle.ErrNoCompiler) {
		t.Skipf("SKIPPED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	cfg := oracle.Config{ELF: elf, Machine: b.Machine, CPU: b.CPU, FarBranches: b.thumb1(), Steps: quickSteps, PerPC: b.perPC()}
	cfg.Variables = b.Switch != "" || b.Assembly
	tries := attempts
	if *all || *only != "" {
		cfg.Steps, tries = *long, 1
	}
	for n := 1; ; n++ {
		r, samples, faults := measure(t, cfg, b)
		if *all {
			r.gdb = gradeGDB(t, dir, elf, samples)
		}
		if len(faults) == 0 {
			return r
		}
		for _, f := range faults {
			if n == tries {
				t.Error(f)
			} else {
				t.Logf("run %d of %d: %s", n, tries, f)
			}
		}
		if n == tries {
			return r
		}
	}
}

// measure runs a firmware once and returns what keeps it from passing.
func measure(t *testing.T, cfg oracle.Config, b build) (r row, samples []*coretest.Sample, faults []string) {
	res, err := oracle.Run(t.Context(), cfg, func(s *coretest.Sample) error {
		samples = append(samples, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d steps, %d samples, %d stops left out, to the end: %v", res.Steps, res.Samples, res.LeftOut, res.Ended)
	if res.Skipped > 0 {
		faults = append(faults, fmt.Sprintf("the truth lost %d frames", res.Skipped))
	}
	if res.Samples < 300 {
		faults = append(faults, fmt.Sprintf("only %d samples", res.Samples))
	}
	r = row{build: b.Name, samples: len(samples)}
	for _, m := range modes {
		count, regs := grade(t, cfg.ELF, m, samples)
		r.ours, r.registers = append(r.ours, count), append(r.registers, regs)
		if regs.wrong() > 0 {
			faults = append(faults, fmt.Sprintf("%s: registers of callers: %v; none may be wrong", m.name, regs))
		}
		if count.percent(coretest.Exact) < m.exact || count.percent(coretest.Wrong) > m.wrong {
			faults = append(faults, fmt.Sprintf("%s: %v; the bar is exact %v%%, wrong %v%%", m.name, count, m.exact, m.wrong))
		}
	}
	faults = append(faults, compareDirections(t, cfg.ELF, samples)...)
	if b.Switch != "" {
		faults = append(faults, compareLost(t, cfg.ELF, withoutPSP(samples))...)
	}
	return r, samples, faults
}

// tally counts verdicts.
type tally [3]int

func (c tally) percent(v coretest.Verdict) float64 {
	return 100 * float64(c[v]) / float64(max(1, c[0]+c[1]+c[2]))
}

func (c tally) String() string {
	return fmt.Sprintf("exact %.2f%% short %.2f%% wrong %.2f%%", c.percent(coretest.Exact), c.percent(coretest.Short), c.percent(coretest.Wrong))
}

// grade runs the unwinder over the samples in one mode.
func grade(t *testing.T, elf string, m mode, samples []*coretest.Sample) (tally, registerCount) {
	img, err := elfsym.Open(elf, m.opt)
	if err != nil {
		t.Fatal(err)
	}
	defer img.Close()
	p := unwind.FromImages(elfsym.Join(img))
	var count tally
	var regs registerCount
	for _, s := range samples {
		frames, stop := walkFrames(p, img, s)
		got := pcs(frames)
		regs.add(t, m.name, s, frames)
		v := s.Judge(got)
		count[v]++
		if v != coretest.Exact && count[1]+count[2] <= *show {
			t.Logf("%s, step %d: got %v want %v: %s %s", m.name, s.Step, got, s.Frames, stop.Kind, stop.Detail)
		}
	}
	t.Logf("%-10s n=%d %v; registers: %v", m.name, len(samples), count, regs)
	return count, regs
}

// walk lists the PCs of the whole stack.
func walk(p *unwind.Program, img *elfsym.Image, s *coretest.Sample) (got []core.Addr, stop core.Stop) {
	frames, stop := walkFrames(p, img, s)
	return pcs(frames), stop
}

func pcs(frames []core.Frame) (list []core.Addr) {
	for i := range frames {
		list = append(list, frames[i].PC)
	}
	return list
}

// walkFrames lists the activations of the whole stack.
func walkFrames(p *unwind.Program, img *elfsym.Image, s *coretest.Sample) ([]core.Frame, core.Stop) {
	profile := core.ProfileM
	if !img.MProfile() {
		profile = core.ProfileA
	}
	return walkMemory(p, profile, imageMemory{img}, s)
}

// walkMemory lists the activations of the whole stack, with memory below that of a
// sample.
func walkMemory(p *unwind.Program, profile core.Profile, memory core.Memory, s *coretest.Sample) ([]core.Frame, core.Stop) {
	return walkRunning(p, profile, memory, s, unwind.Range{})
}

// walkRunning is walkMemory where the stack of the thread that runs is known.
func walkRunning(p *unwind.Program, profile core.Profile, memory core.Memory, s *coretest.Sample, running unwind.Range) ([]core.Frame, core.Stop) {
	opt := unwind.Options{Profile: profile, Running: running}
	for _, c := range s.Stack {
		opt.RAM = append(opt.RAM, unwind.Range{Addr: c.Addr, Size: uint32(len(c.Data))})
	}
	w := p.Walk(memmap.Over(s, memory), s.Regs, opt)
	var got []core.Frame
	for {
		f, ok := w.Next(context.Background())
		if !ok {
			return got, w.Stop()
		}
		if f.Kind == core.FrameFunction {
			got = append(got, f)
		}
	}
}

// imageMemory reads the file-backed bytes of an image.
type imageMemory struct{ img *elfsym.Image }

func (m imageMemory) ReadAt(a core.Addr, p []byte) (int, error) {
	n, err := m.img.ReadAt(uint32(a), p)
	if n < len(p) {
		return n, &core.ReadError{Addr: a + core.Addr(n), Len: uint32(len(p) - n)}
	}
	return n, err
}
