package svd

import (
	"bytes"
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"
)

// TestFolder parses all files of the folder that PUSHMASK_SVD names, and prints
// how many of them have problems and which. docs/svd.md has the results for
// public collections of vendor files.
func TestFolder(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("PUSHMASK_SVD")
	if folder == "" {
		t.Skip("PUSHMASK_SVD names no folder of vendor files")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.svd"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vendor files in %s: %v", folder, err)
	}
	c := census{times: map[string]int{}, files: map[string]int{}}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		dev, err := Parse(bytes.NewReader(data))
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(name), err)
			continue
		}
		c.took += time.Since(start)
		c.size += len(data)
		c.add(t, filepath.Base(name), dev)
	}
	t.Logf("%d files, %d MB, %v: %d without a problem, %d registers, %d with a hazard, %d fields",
		len(files), c.size>>20, c.took, c.clean, c.registers, c.hazards, c.fields)
	for _, k := range slices.SortedFunc(maps.Keys(c.times), func(a, b string) int { return cmp.Compare(c.files[b], c.files[a]) }) {
		t.Logf("%5d files, %6d times: %s", c.files[k], c.times[k], k)
	}
}

// census counts what files have, and how often each kind of problem is in
// how many of them.
type census struct {
	clean, registers, fields, hazards, size int
	took                                    time.Duration
	times, files                            map[string]int
}

// variable is what differs between problems of one kind.
var variable = regexp.MustCompile(`"[^"]*"|0x[0-9a-f]+|\d+`)

func (c *census) add(t *testing.T, name string, dev *Device) {
	t.Helper()
	if len(dev.Problems) == 0 {
		c.clean++
	}
	here := map[string]bool{}
	for _, p := range dev.Problems {
		kind := variable.ReplaceAllString(p.Text, "N")
		if c.times[kind]++; c.times[kind] <= 3 {
			t.Logf("%s: %v", name, p)
		}
		if !here[kind] {
			here[kind] = true
			c.files[kind]++
		}
	}
	if len(dev.registers) == 0 {
		t.Errorf("%s: no registers", name)
	}
	for _, r := range dev.registers {
		c.registers++
		c.fields += len(r.Fields)
		if dev.Hazard(r) != NoHazard {
			c.hazards++
		}
		checkRegister(t, dev, r)
	}
	for _, p := range dev.Peripherals {
		checkReads(t, dev, p)
	}
}

// checkReads checks the promises of Reads: aligned accesses of the bus's width
// at most, no byte that is not a harmless register's, and none of those missed.
func checkReads(t *testing.T, dev *Device, p *Peripheral) {
	t.Helper()
	harmless := map[uint64]bool{}
	forbidden := map[uint64]bool{}
	for _, r := range p.Registers {
		set := forbidden
		if h := dev.Hazard(r); h == NoHazard {
			set = harmless
		} else if h == Conditional || h == Unaligned {
			continue
		}
		for i := range uint64(r.Bytes()) {
			set[uint64(r.Addr)+i] = true
		}
	}
	read := map[uint64]bool{}
	for _, run := range dev.Reads(p) {
		if run.Width > dev.Width/8 || uint64(run.Addr)%uint64(run.Width) != 0 || run.Count < 1 {
			t.Errorf("%s: %+v cannot be read", p.Name, run)
		}
		for a := uint64(run.Addr); a < run.End(); a++ {
			read[a] = true
			if !harmless[a] {
				t.Errorf("%s: %+v reads %#x, which is no register", p.Name, run, a)
			}
		}
	}
	for a := range harmless {
		if !read[a] {
			t.Errorf("%s: %#x is not read", p.Name, a)
		}
	}
	for a := range forbidden {
		own := false // a Shared register's harmless bytes may be another's
		for _, h := range dev.hazards {
			own = own || a >= h.start && a < h.end
		}
		if own && read[a] {
			t.Errorf("%s: %#x is read", p.Name, a)
		}
	}
}
