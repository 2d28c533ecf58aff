package dap

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestConsoleAtRest runs the commands of testdata/console.txt, lines that begin
// with "> ", in the Debug Console of the demo's crash: in the youngest frame, and
// after "# in FUNCTION" in that of the function. -update writes the answers again.
func TestConsoleAtRest(t *testing.T) {
	t.Parallel()
	const golden = "testdata/console.txt"
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	c := openDemo(t)
	frames := must(c.StackTrace(1, 0, 0))(t).StackFrames
	frame := frames[0].Id
	var got strings.Builder
	for line := range strings.Lines(string(text)) {
		command, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "> ")
		if !ok {
			continue
		}
		got.WriteString("> " + command + "\n")
		if name, ok := strings.CutPrefix(command, "# in "); ok {
			for _, f := range frames {
				if strings.HasPrefix(f.Name, name) {
					frame = f.Id
				}
			}
			continue
		}
		v, err := c.Evaluate(command, frame, "repl")
		if err != nil {
			got.WriteString("error: " + err.Error() + "\n")
			continue
		}
		got.WriteString(strings.TrimRight(v.Result, "\n") + "\n")
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(text), got.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
