package dap

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLoadedSources lists the sources of the demo where they can be found and
// where they cannot.
func TestLoadedSources(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name         string
		rules        map[string]any
		path, origin string
	}{
		{"found", map[string]any{"/firmware": fixture(t)}, filepath.Join(fixture(t), "app", "filter.c"), ""},
		{"absent", nil, "/firmware/app/filter.c", "not found on this machine"},
	} {
		c := startAdapter(t, nil)
		must(c.Initialize())(t)
		config := demoConfig(t)
		config["sourceFileMap"] = test.rules
		if err := c.Launch(config); err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, s := range must(c.LoadedSources())(t) {
			if s.Name == "filter.c" {
				found++
				if s.Path != test.path || s.Origin != test.origin {
					t.Errorf("%s: %+v, want %q, %q", test.name, s, test.path, test.origin)
				}
			}
		}
		if found != 1 {
			t.Errorf("%s: filter.c is listed %d times", test.name, found)
		}
	}
}

// TestModules describes images with and without debug information.
func TestModules(t *testing.T) {
	t.Parallel()
	for image, status := range map[string]string{
		"demo":       "symbols and line information",
		"no-debug":   "symbols, no line information",
		"no-symbols": "no symbols",
	} {
		c := startAdapter(t, nil)
		must(c.Open(fixture(t, image, "fw.elf"), fixture(t, image, "crash.core")))(t)
		list := must(c.Modules())(t)
		if len(list) != 1 || list[0].SymbolStatus != status || list[0].Name != "fw.elf" {
			t.Errorf("%s: %+v, want %q", image, list, status)
		}
	}
}

func TestPaged(t *testing.T) {
	t.Parallel()
	list := []int{1, 2, 3}
	for _, test := range []struct {
		start, count int
		want         []int
	}{
		{0, 0, list}, {0, 2, []int{1, 2}}, {1, 1, []int{2}}, {2, 9, []int{3}}, {3, 1, []int{}}, {9, 0, []int{}}, {-1, -1, list},
	} {
		if diff := cmp.Diff(test.want, paged(list, test.start, test.count)); diff != "" {
			t.Errorf("paged from %d, %d (-want +got):\n%s", test.start, test.count, diff)
		}
	}
}
