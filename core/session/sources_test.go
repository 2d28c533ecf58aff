package session

import (
	"path/filepath"
	"testing"
)

// TestSourcePaths finds the demo's sources, which were built in /firmware, by
// rule and by searching a workspace.
func TestSourcePaths(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(fixtures)
	if err != nil {
		t.Fatal(err)
	}
	here := filepath.Join(root, "app", "filter.c")
	const recorded = "/firmware/app/filter.c"
	tests := []struct {
		name string
		cfg  Config
		want Source
	}{
		{"as recorded", Config{}, Source{recorded, recorded, false}},
		{"rule", Config{SourceMap: []PathRule{{"/firmware", root}}}, Source{here, recorded, true}},
		{"rule to nowhere", Config{SourceMap: []PathRule{{"/firmware", "/no/such"}}}, Source{"/no/such/app/filter.c", recorded, false}},
		{"workspace", Config{Workspace: root}, Source{here, recorded, true}},
		{"relative rule", Config{SourceMap: []PathRule{{"/firmware/app", "app"}}, Cwd: root}, Source{here, recorded, true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := tt.cfg
			if cfg.Cwd != "" {
				cfg.Image = filepath.Join("demo", "fw.elf")
			}
			found := false
			for _, s := range openDemo(t, cfg).Sources() {
				if s.Recorded != recorded {
					continue
				}
				found = true
				if s != tt.want {
					t.Errorf("got %+v, want %+v", s, tt.want)
				}
			}
			if !found {
				t.Errorf("the demo has no %s", recorded)
			}
		})
	}
}
