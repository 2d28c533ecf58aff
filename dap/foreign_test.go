package dap

import (
	"strings"
	"testing"
)

// TestForeignDump opens a dump that holds flash with other images: that is a
// warning in the Debug Console, and the session goes on.
func TestForeignDump(t *testing.T) {
	t.Parallel()
	for _, image := range []string{"nested", "m0-Os", "cpp"} {
		t.Run(image, func(t *testing.T) {
			t.Parallel()
			c := startAdapter(t, nil)
			must(c.Open(fixture(t, image, "fw.elf"), fixture(t, "demo", "gdb.core")))(t)
			warned := false
			for _, m := range c.Received() {
				warned = warned || m.Event == "output" && strings.Contains(string(m.Body), `"important"`) &&
					strings.Contains(string(m.Body), "use the ELF of the build that crashed")
			}
			if !warned {
				t.Error("no warning")
			}
			if frames := must(c.StackTrace(1, 0, 0))(t).StackFrames; len(frames) == 0 {
				t.Error("no frames")
			}
		})
	}
}
