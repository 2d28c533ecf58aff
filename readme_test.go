package pushmask_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// console matches a block of README.md that changes to a folder and runs
// pushmask there: the folder, the arguments, the output.
var console = regexp.MustCompile("(?s)\n```\n\\$ cd ([^\n]+)\n\\$ pushmask ([^\n]+)\n(.*?)```\n")

// TestReadme runs the commands that README.md shows with their output.
func TestReadme(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := console.FindAllStringSubmatch(string(text), -1)
	if len(blocks) == 0 {
		t.Fatal("README.md shows no command")
	}
	program := filepath.Join(t.TempDir(), "pushmask.exe") // a name that runs on Windows too
	build := exec.Command("go", "build", "-buildvcs=false", "-o", program, "./cmd/pushmask")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, b := range blocks {
		cmd := exec.Command(program, strings.Fields(b[2])...)
		cmd.Dir = filepath.FromSlash(b[1])
		cmd.Stderr = os.Stderr
		got, err := cmd.Output()
		if err != nil {
			t.Errorf("pushmask %s: %v", b[2], err)
			continue
		}
		if diff := cmp.Diff(b[3], string(got)); diff != "" {
			t.Errorf("pushmask %s in %s (-README +output):\n%s", b[2], b[1], diff)
		}
	}
}
