package session

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pushmask/core/coretest"
)

// Bounds of one run.
const (
	mutationTime   = 2 * time.Second
	mutationMemory = 256 << 20 // bytes allocated, which is more than is ever held
)

// artefact is a file that crashes left behind, with its firmware where there is
// one.
type artefact struct {
	name  string
	data  []byte
	image string
}

// ownArtefacts are the dumps of our own firmware.
func ownArtefacts(t *testing.T) (list []artefact) {
	t.Helper()
	for _, path := range fixtureCores(t) {
		list = append(list, artefact{path, readFile(t, path), filepath.Join(filepath.Dir(path), "fw.elf")})
	}
	return list
}

// samples are real artefacts of all formats.
func samples(t *testing.T) (list []artefact) {
	t.Helper()
	err := filepath.WalkDir(coretest.Shared(t, "dumps"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || slices.Contains([]string{".elf", ".c", ".ld", ".gdb", ".md"}, filepath.Ext(path)) {
			return err
		}
		a := artefact{name: path, data: readFile(t, path)}
		for _, image := range []string{strings.TrimSuffix(path, filepath.Ext(path)) + ".elf", filepath.Join(filepath.Dir(path), "fw.elf")} {
			if _, err := os.Stat(image); err == nil {
				a.image = image
			}
		}
		list = append(list, a)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// mutation damages a file.
type mutation struct {
	name string
	make func(r *rand.Rand, data, other []byte) []byte
}

var mutations = []mutation{
	{"truncated", func(r *rand.Rand, data, _ []byte) []byte { return data[:r.IntN(len(data)+1)] }},
	{"beginning cut", func(r *rand.Rand, data, _ []byte) []byte { return data[r.IntN(len(data)+1):] }},
	{"line dropped", func(r *rand.Rand, data, _ []byte) []byte {
		lines := bytes.SplitAfter(data, []byte("\n"))
		i := r.IntN(len(lines))
		return bytes.Join(append(slices.Clone(lines[:i]), lines[i+1:]...), nil)
	}},
	{"lines shuffled", func(r *rand.Rand, data, _ []byte) []byte {
		lines := bytes.SplitAfter(bytes.Clone(data), []byte("\n"))
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		return bytes.Join(lines, nil)
	}},
	{"bits flipped", func(r *rand.Rand, data, _ []byte) []byte {
		b := bytes.Clone(data)
		for range 1 + r.IntN(20) {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		return b
	}},
	{"bits of the head flipped", func(r *rand.Rand, data, _ []byte) []byte {
		b := bytes.Clone(data)
		for range 1 + r.IntN(8) {
			b[r.IntN(min(len(b), 512))] ^= 1 << r.IntN(8)
		}
		return b
	}},
	{"word made extreme", func(r *rand.Rand, data, _ []byte) []byte {
		b := bytes.Clone(data)
		for range 1 + r.IntN(3) {
			if at := r.IntN(max(min(len(b), 4096)-4, 1)); at+4 <= len(b) {
				copy(b[at:], [][]byte{{0xff, 0xff, 0xff, 0xff}, {0, 0, 0, 0}, {0xff, 0xff, 0xff, 0x7f}, {0, 0, 0, 0x80}}[r.IntN(4)])
			}
		}
		return b
	}},
	{"piece repeated", func(r *rand.Rand, data, _ []byte) []byte {
		lo := r.IntN(len(data))
		hi := lo + r.IntN(len(data)-lo)
		return slices.Concat(data[:hi], data[lo:])
	}},
	{"spliced", func(r *rand.Rand, data, other []byte) []byte {
		return append(bytes.Clone(data[:r.IntN(len(data)+1)]), other[r.IntN(len(other)+1):]...)
	}},
}

// TestMutations opens damaged artefacts and unwinds what they hold. Nothing may
// panic or take much memory; nothing may take long in a long run, for which
// PUSHMASK_MUTATIONS says how many ("make mutate"). PUSHMASK_SEED repeats a run.
func TestMutations(t *testing.T) {
	t.Run("ours", func(t *testing.T) { mutate(t, ownArtefacts(t)) })
	t.Run("samples", func(t *testing.T) { mutate(t, samples(t)) })
}

func mutate(t *testing.T, list []artefact) {
	const short = 150
	count, long := fromEnvironment("PUSHMASK_MUTATIONS", short)
	seed, _ := fromEnvironment("PUSHMASK_SEED", 1)
	programs := make(map[string]*Program)
	var slowest time.Duration
	var largest uint64
	opened := 0
	for n := range count {
		r := rand.New(rand.NewPCG(uint64(seed), uint64(n)))
		a, other, m := list[r.IntN(len(list))], list[r.IntN(len(list))], mutations[r.IntN(len(mutations))]
		p := programs[a.image]
		if p == nil {
			p = openDemo(t, Config{Image: cmp.Or(a.image, filepath.Join(fixtures, "demo", "fw.elf"))})
			programs[a.image] = p
		}
		run := fmt.Sprintf("run %d of seed %d: %s, %s", n, seed, a.name, m.name)
		took, memory, ok := mutated(t, run, p, m.make(r, a.data, other.data))
		slowest, largest = max(slowest, took), max(largest, memory)
		if ok {
			opened++
		}
		if memory > mutationMemory || long && took > mutationTime {
			t.Errorf("%s: %v, %d MiB", run, took, memory>>20)
		}
	}
	t.Logf("%d damaged artefacts of %d, %d opened; slowest %v, most memory %d MiB", count, len(list), opened, slowest, largest>>20)
	if opened < count/10 {
		t.Errorf("only %d of %d opened: the damage leaves nothing to test", opened, count)
	}
}

// fromEnvironment returns the number in a variable, and whether it is there.
func fromEnvironment(variable string, otherwise int) (int, bool) {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n, true
	}
	return otherwise, false
}

// mutated does with one damaged artefact what a user would do, and returns what
// that cost.
func mutated(t *testing.T, run string, p *Program, data []byte) (took time.Duration, memory uint64, opened bool) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	defer func() {
		took = time.Since(start)
		runtime.ReadMemStats(&after)
		memory = after.TotalAlloc - before.TotalAlloc
		if v := recover(); v != nil {
			t.Errorf("%s: panic: %v\n%s", run, v, debug.Stack())
		}
	}()
	ctx := context.Background()
	s, err := p.OpenReader(ctx, "damaged", bytes.NewReader(data), int64(len(data)), DumpOptions{})
	if err != nil {
		return took, memory, false
	}
	defer s.Close()
	for _, th := range s.Threads()[:min(len(s.Threads()), 16)] {
		s.Cause(ctx, th.ID)
		k, err := s.Stack(th.ID)
		if err != nil {
			t.Errorf("%s: thread %d: %v", run, th.ID, err)
			continue
		}
		const enough = 64
		if _, err := k.Frames(ctx, 0, enough); err != nil {
			t.Errorf("%s: thread %d: %v", run, th.ID, err)
		}
	}
	return took, memory, true
}
