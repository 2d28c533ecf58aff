package oracle_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest"
	"pushmask/core/coretest/images"
	"pushmask/core/coretest/oracle"
	"pushmask/core/unwind"
	"pushmask/elfsym"
)

// given is a way in which the images of a firmware are known.
type given struct {
	name string
	// images selects and opens them.
	images func(t *testing.T, f *images.Firmware) *elfsym.Set
	// ram is set where memory has no code beside that of these images.
	ram bool
	// complete is set where all of the code is there: every stack has to be.
	complete bool
}

var (
	symbolsOnly = elfsym.Options{NoDebug: true}
	nothing     = elfsym.Options{NoDebug: true, NoSymbols: true}
	everything  = elfsym.Options{}
)

// open opens an image at its place.
func open(t *testing.T, m images.Image, opt elfsym.Options) *elfsym.Image {
	t.Helper()
	opt.Bias = uint32(m.Bias)
	img, err := elfsym.Open(m.Path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { img.Close() })
	return img
}

// both opens the images with an option for the first, which reset enters, and
// one for all others.
func both(first, others elfsym.Options) func(*testing.T, *images.Firmware) *elfsym.Set {
	return func(t *testing.T, f *images.Firmware) *elfsym.Set {
		list := []*elfsym.Image{open(t, f.Second, others), open(t, f.First, first)}
		if f.ROM.Path != "" {
			list = append(list, open(t, f.ROM, others))
		}
		return elfsym.Join(list...)
	}
}

func one(which func(*images.Firmware) images.Image, opt elfsym.Options) func(*testing.T, *images.Firmware) *elfsym.Set {
	return func(t *testing.T, f *images.Firmware) *elfsym.Set {
		return elfsym.Join(open(t, which(f), opt))
	}
}

func first(f *images.Firmware) images.Image  { return f.First }
func second(f *images.Firmware) images.Image { return f.Second }

func romDebug(f *images.Firmware) images.Image   { return f.ROMDebug }
func romSymbols(f *images.Firmware) images.Image { return f.ROMSymbols }

// withROM opens what is given of a ROM beside the other images; nil where the
// firmware has none.
func withROM(which func(*images.Firmware) images.Image) func(*testing.T, *images.Firmware) *elfsym.Set {
	return func(t *testing.T, f *images.Firmware) *elfsym.Set {
		if f.ROM.Path == "" {
			return nil
		}
		return elfsym.Join(open(t, f.Second, symbolsOnly), open(t, f.First, symbolsOnly), open(t, which(f), symbolsOnly))
	}
}

// anotherBuild opens the images, one of them not as it is in memory: at another
// level of optimisation.
func anotherBuild(ofFirst bool) func(*testing.T, *images.Firmware) *elfsym.Set {
	return func(t *testing.T, f *images.Firmware) *elfsym.Set {
		name := map[string]string{"m3-O0": "m3-O2", "m33-O0": "m33-O2", "m33-O2": "m33-O0"}[f.Name]
		if name == "" {
			name = "m3-O0"
		}
		other := images.Build(t, name)
		list := []images.Image{f.Second, f.First}
		if ofFirst {
			list[1] = other.First
		} else if other.Second.Bias != f.Second.Bias {
			return nil
		} else {
			list[0] = other.Second
		}
		return elfsym.Join(open(t, list[0], symbolsOnly), open(t, list[1], symbolsOnly))
	}
}

var knowledge = []given{
	{"symbols", both(symbolsOnly, symbolsOnly), true, true},
	{"everything", both(everything, everything), true, true},
	{"no symbols", both(nothing, nothing), true, true},
	{"first stripped", both(nothing, symbolsOnly), true, true},
	{"second stripped", both(symbolsOnly, nothing), true, true},
	{"first alone", one(first, symbolsOnly), true, false},
	{"second alone", one(second, symbolsOnly), true, false},
	{"first alone, no symbols", one(first, nothing), true, false},
	{"second alone, no symbols", one(second, nothing), true, false},
	{"first alone, code in memory", one(first, symbolsOnly), false, false},
	{"second alone, code in memory", one(second, symbolsOnly), false, false},
	{"another build of the first, code in memory", anotherBuild(true), false, false},
	{"another build of the second, code in memory", anotherBuild(false), false, false},
	{"ROM without contents", withROM(romDebug), true, false},
	{"ROM by symbols", withROM(romSymbols), true, false},
	{"ROM without contents, code in memory", withROM(romDebug), false, true},
	{"ROM by symbols, code in memory", withROM(romSymbols), false, true},
	{"none, code in memory", func(*testing.T, *images.Firmware) *elfsym.Set { return nil }, false, false},
}

// quickImages are the cases that run in every test, with a scenario each; the long
// run has all.
var (
	quickImages  = map[string]images.Scenario{"m3-O2": images.CrashInterrupt, "m33-O2": images.CrashCallback}
	allScenarios = []images.Scenario{
		images.Run, images.CrashBoot, images.CrashApp, images.CrashService, images.CrashInterrupt, images.CrashCallback,
	}
)

// TestImages steps firmware of several ELFs, and holds the unwinder to the truth:
// with all of them no stack may be other than true and whole, with some of them
// none may be untrue.
func TestImages(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("qemu-system-arm"); err != nil {
		t.Skip("SKIPPED: qemu-system-arm is not installed; no firmware was run")
	}
	for _, name := range images.Cases() {
		scenarios := allScenarios
		if quick, ok := quickImages[name]; !*all && *only == "" && ok {
			scenarios = []images.Scenario{quick}
		} else if *only != "" && name != *only || *only == "" && !*all {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := images.Build(t, name)
			var samples []*coretest.Sample
			for _, s := range scenarios {
				samples = append(samples, stops(t, name, f, s)...)
			}
			whole := setMemory{both(nothing, nothing)(t, f)}
			for _, k := range knowledge {
				set := k.images(t, f)
				if set.Empty() && k.name != knowledge[len(knowledge)-1].name {
					continue
				}
				memory := setMemory{set}
				if !k.ram {
					memory = whole
				}
				gradeImages(t, k, set, memory, samples)
			}
			if *all {
				gradeGDBImages(t, f, samples)
			}
		})
	}
}

// gradeGDBImages grades gdb with all images of a firmware.
func gradeGDBImages(t *testing.T, f *images.Firmware, samples []*coretest.Sample) {
	var more []string
	for _, m := range f.Images() {
		if m != f.First {
			more = append(more, fmt.Sprintf("add-symbol-file %s -o %#x", m.Path, uint32(m.Bias)))
		}
	}
	count := runGDB(t, writeCores(t, samples), f.First.Path, samples, more...)
	t.Logf("%-28s n=%d %v", "gdb", len(samples), count)
}

// imageSteps is how many instructions of a scenario are run: three ticks of the
// timer pass before most crashes. secure.elf at -O0 opens memory for long.
func imageSteps(name string) int {
	if name == "m33-O0" {
		return 6500
	}
	return 2500
}

// stops runs one scenario.
func stops(t *testing.T, name string, f *images.Firmware, s images.Scenario) (samples []*coretest.Sample) {
	q := f.Config(s)
	cfg := oracle.Config{
		ELF: f.First.Path, Machine: f.Machine, Args: q.Args,
		Steps: imageSteps(name), PerPC: 3, FarBranches: strings.HasPrefix(name, "m0"),
	}
	for _, m := range f.Images() {
		if m != f.First {
			cfg.More = append(cfg.More, oracle.Loaded{ELF: m.Path, Bias: uint32(m.Bias)})
		}
	}
	res, err := oracle.Run(t.Context(), cfg, func(s *coretest.Sample) error {
		samples = append(samples, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("scenario %d: %d steps, %d samples, %d left out", s, res.Steps, res.Samples, res.LeftOut)
	if res.Skipped > 0 || res.Samples < 50 {
		t.Errorf("scenario %d: %d samples, and the truth lost %d frames", s, res.Samples, res.Skipped)
	}
	return samples
}

// setMemory reads the file-backed bytes of images.
type setMemory struct{ set *elfsym.Set }

func (m setMemory) ReadAt(a core.Addr, p []byte) (int, error) {
	n := 0
	if !m.set.Empty() {
		n, _ = m.set.ReadAt(uint32(a), p)
	}
	if n < len(p) {
		return n, &core.ReadError{Addr: a + core.Addr(n), Len: uint32(len(p) - n)}
	}
	return n, nil
}

// gradeImages judges the stacks of all samples.
func gradeImages(t *testing.T, k given, set *elfsym.Set, memory core.Memory, samples []*coretest.Sample) {
	p := unwind.FromImages(set)
	var count tally
	for _, s := range samples {
		frames, stop := walkMemory(p, core.ProfileM, memory, s)
		got := pcs(frames)
		v := s.Judge(got)
		count[v]++
		if bad := v == coretest.Wrong || v == coretest.Short && k.complete; bad && count[v] <= *show {
			t.Logf("%s, step %d: got %v want %v: %s %s", k.name, s.Step, got, s.Frames, stop.Kind, stop.Detail)
		}
	}
	t.Logf("%-28s n=%d %v", k.name, len(samples), count)
	if count[coretest.Wrong] > 0 || k.complete && count[coretest.Short] > 0 {
		t.Errorf("%s: %v", k.name, count)
	}
}
