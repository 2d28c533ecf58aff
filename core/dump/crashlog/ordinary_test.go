package crashlog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core/dump/logtext"
)

// TestOrdinaryText checks that text that is no crash report is not taken for
// one: logs of a boot, programs, documents, tables.
func TestOrdinaryText(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{
		"testdata/ordinary/*", "*.go", "../*.go", "../logtext/*.go", "../../exc/*.go", "../../unwind/*.go", "../../session/*.go",
		"../../../*.md", "../../../docs/*.md", "../../../testdata/firmware/*", "../../../elfsym/*.go",
	} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, p := range paths {
			if info, err := os.Stat(p); err != nil || !info.Mode().IsRegular() || strings.HasSuffix(p, ".elf") || p == "../text_test.go" {
				continue // that test has a log in it
			}
			data, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range Find(logtext.Parse(data)) {
				t.Errorf("%s, line %d: %s %q", p, r.Where.Line, summary(r), r.Cause)
			}
		}
	}
}

// TestLongOrdinaryLog repeats an ordinary log to some megabytes.
func TestLongOrdinaryLog(t *testing.T) {
	t.Parallel()
	boot, err := os.ReadFile("testdata/ordinary/boot.txt")
	if err != nil {
		t.Fatal(err)
	}
	log := logtext.Parse([]byte(strings.Repeat(string(boot), 2<<20/len(boot))))
	if r := Find(log); len(r) > 0 {
		t.Errorf("line %d: %s", r[0].Where.Line, summary(r[0]))
	}
}
