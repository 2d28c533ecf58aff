package svd

import (
	"bytes"
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
	variable := regexp.MustCompile(`"[^"]*"|0x[0-9a-f]+|\d+`)
	kinds := map[string]int{}
	inFiles := map[string]map[string]bool{}
	var clean, registers, fields, hazards, bytesRead int
	var spent time.Duration
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		dev, err := Parse(bytes.NewReader(data))
		took := time.Since(start)
		spent += took
		bytesRead += len(data)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(name), err)
			continue
		}
		if len(dev.Problems) == 0 {
			clean++
		}
		for _, p := range dev.Problems {
			kind := variable.ReplaceAllString(p.Text, "N")
			if kinds[kind]++; kinds[kind] <= 3 {
				t.Logf("%s: %v", filepath.Base(name), p)
			}
			if inFiles[kind] == nil {
				inFiles[kind] = map[string]bool{}
			}
			inFiles[kind][name] = true
		}
		count := 0
		for _, p := range dev.Peripherals {
			for _, r := range p.Registers {
				count++
				fields += len(r.Fields)
				if dev.Hazard(r) != NoHazard {
					hazards++
				}
			}
			checkReads(t, dev, p)
		}
		registers += count
		if count == 0 {
			t.Errorf("%s: no registers", filepath.Base(name))
		}
		if count > 60000 || took > time.Second {
			t.Logf("%s: %d bytes, %d registers, %v", filepath.Base(name), len(data), count, took)
		}
	}
	t.Logf("%d files, %d MB, %v: %d without a problem, %d registers, %d with a hazard, %d fields",
		len(files), bytesRead>>20, spent, clean, registers, hazards, fields)
	var list []string
	for k := range kinds {
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b string) int { return len(inFiles[b]) - len(inFiles[a]) })
	for _, k := range list {
		t.Logf("%5d files, %6d times: %s", len(inFiles[k]), kinds[k], k)
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
