package dap

import (
	"strings"
	"testing"
)

// TestDamagedImage opens an image whose line tables are damaged: the stack is
// there without lines, and the Debug Console says what is wrong, each thing
// once.
func TestDamagedImage(t *testing.T) {
	t.Parallel()
	image := changedImage(t, ".debug_line", func(b []byte) []byte { return make([]byte, len(b)) })
	c := startAdapter(t, nil)
	if _, err := c.Open(image, demoCore(t)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, f := range must(c.StackTrace(1, 0, 0))(t).StackFrames {
			if f.Source != nil && f.Source.Path != "" {
				t.Errorf("%s has the source %s", f.Name, f.Source.Path)
			}
		}
	}
	must(c.Threads())(t)
	told := map[string]int{}
	for _, m := range c.Received() {
		if body := string(m.Body); m.Event == "output" && strings.Contains(body, "a part of the ELF cannot be read") {
			told[body]++
		}
	}
	if len(told) == 0 {
		t.Error("nothing says that the image is damaged")
	}
	for body, n := range told {
		if n != 1 {
			t.Errorf("told %d times: %s", n, body)
		}
	}
}

// TestUnusedExecutable has an executable beside a list of symbol files without it.
func TestUnusedExecutable(t *testing.T) {
	t.Parallel()
	image := fixture(t, "demo", "fw.elf")
	for _, tt := range []struct {
		files []string
		want  int
	}{{nil, 0}, {[]string{fixture(t, "cpp", "fw.elf"), image}, 0}, {[]string{fixture(t, "cpp", "fw.elf")}, 1}} {
		c := startAdapter(t, nil)
		must(c.Initialize())(t)
		if err := c.Launch(map[string]any{"executable": image, "symbolFiles": tt.files, "coreFile": demoCore(t)}); err != nil {
			t.Fatal(err)
		}
		must(c.Threads())(t)
		got := 0
		for _, m := range c.Received() {
			if m.Event == "output" && strings.Contains(string(m.Body), `is not read: \"symbolFiles\" is given in its place`) {
				got++
			}
		}
		if got != tt.want {
			t.Errorf("%q: told %d times", tt.files, got)
		}
	}
}
