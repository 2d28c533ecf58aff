package crashlog

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core/dump/logtext"
)

var update = flag.Bool("update", false, "write the goldens")

// readCases returns the logs of testdata by name: FORMAT/CASE.
func readCases(t testing.TB) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*/*.log")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	cases := map[string]string{}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		cases[strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(p), "testdata/"), ".log")] = string(b)
	}
	return cases
}

// TestCases compares what is read of each log of testdata with its golden.
func TestCases(t *testing.T) {
	t.Parallel()
	for name, log := range readCases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, filepath.Join("testdata", filepath.FromSlash(name)+".golden"), describe(Find(logtext.Parse([]byte(log)))))
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
