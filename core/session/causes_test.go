package session

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core/coretest"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

// TestCausesOfFixtures compares what is said of each recorded crash with
// testdata/causes.golden. The firmware's README tells what each one is.
func TestCausesOfFixtures(t *testing.T) {
	t.Parallel()
	cores, err := filepath.Glob(filepath.Join(fixtures, "*", "*.core"))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, path := range cores {
		dir := filepath.Dir(path)
		s := openCrash(t, filepath.Join(dir, "fw.elf"), path)
		fmt.Fprintf(&got, "%s/%s\n%s", filepath.Base(dir), filepath.Base(path), causeText(s))
	}
	checkGolden(t, "causes.golden", got.String())
}

// TestCausesOfShared does the same for crash logs of others, without an image:
// testdata/shared-causes.golden was read against what the log's own text and
// its SOURCE.txt say.
func TestCausesOfShared(t *testing.T) {
	t.Parallel()
	dir := coretest.Shared(t, "dumps")
	var got strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(path) == "SOURCE.txt" {
			return err
		}
		name := filepath.Base(path)
		if name != "crash.txt" && name != "crashlog.txt" && name != "uart.txt" && name != "log.txt" {
			return nil
		}
		rel, _ := filepath.Rel(dir, path)
		p, err := OpenProgram(context.Background(), Config{})
		if err != nil {
			return err
		}
		defer p.Close()
		s, err := p.OpenDump(context.Background(), path, DumpOptions{})
		if err != nil {
			return nil // the formats of core/dump have tests of their own
		}
		defer s.Close()
		fmt.Fprintf(&got, "%s\n%s", filepath.ToSlash(rel), causeText(s))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "shared-causes.golden", got.String())
}

// openCrash opens a crash with its image.
func openCrash(t *testing.T, image, path string) *Session {
	t.Helper()
	p := openDemo(t, Config{Image: image})
	s, err := p.OpenDump(context.Background(), path, DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// causeText writes a cause, a line each for the sentence and its notes.
func causeText(s *Session) string {
	c := s.Cause(context.Background(), s.Threads()[0].ID)
	text := fmt.Sprintf("  %s, %s: %s\n", c.Kind, c.Name, c.Description)
	for _, n := range c.Notes {
		text += "    " + n + "\n"
	}
	return text
}

func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
