package dap

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-dap"

	"pushmask/core/gdbcommand"
	"pushmask/dap/dapclient"
)

// complete asks for completions of a text in which "|" is the cursor, and returns
// what the line of the cursor becomes with each of them, in the order of their
// sortText.
func complete(t *testing.T, c *dapclient.Client, text string, frame, first int) []string {
	t.Helper()
	before, after, ok := strings.Cut(text, "|")
	if !ok {
		t.Fatalf("%q has no cursor", text)
	}
	line := strings.Count(before, "\n")
	onLine := before[strings.LastIndexByte(before, '\n')+1:]
	units := utf16.Encode([]rune(onLine))
	var body completionsBody
	args := dap.CompletionsArguments{FrameId: frame, Text: before + after, Line: line + first, Column: len(units) + first}
	if err := c.Call("completions", args, &body); err != nil {
		t.Fatal(err)
	}
	var list []string
	last := ""
	for _, x := range body.Targets {
		if x.SortText <= last {
			t.Errorf("%q: %q comes after %q", text, x.SortText, last)
		}
		last = x.SortText
		start := x.Start - first
		if start < 0 || start+x.Length != len(units) {
			t.Errorf("%q: %q replaces %d units from %d on, the cursor is at %d", text, x.Label, x.Length, start, len(units))
			continue
		}
		word := x.Label
		if x.Text != "" {
			word = x.Text
		}
		list = append(list, string(utf16.Decode(units[:start]))+word)
	}
	return list
}

// TestCompletions completes lines of the Debug Console for clients that count
// from 1 and from 0.
func TestCompletions(t *testing.T) {
	t.Parallel()
	for first := range 2 {
		c := startAdapter(t, nil)
		initialise(t, c, first == 1)
		frame := 0
		for _, f := range must(c.StackTrace(1, 0, 0))(t).StackFrames {
			if strings.HasPrefix(f.Name, "packet_receive") {
				frame = f.Id
			}
		}
		for text, want := range map[string]string{
			"us|": "used", "by|": "bytes", "sensors[1].ga|": "sensors[1].gain", "p sensors[0].|": "p sensors[0].name",
			"ptype struct sen|": "ptype struct sensor", "wha|": "whatis", "info loc|": "info locals", "-exec inf|": "-exec info",
			"info line pack|": "info line packet_receive", "info registers r0 r1|": "info registers r0 r1", "$r1|": "$r10",
			"1 + us|": "1 + used", "\"\U0001f600\" == sensors[0].na|": "\"\U0001f600\" == sensors[0].name",
			"first line\nsen|sible": "sensors", "p used\r\nsensors[0].of|\nmore": "sensors[0].offset",
			"p/x us|": "p/x used", "x/4xw &sens|": "x/4xw &sensors", "sizeof(struct sen|": "sizeof(struct sensor",
			"(uint8|": "(uint8_t", "info address sens|": "info address sensors",
		} {
			got := complete(t, c, text, frame, first)
			if len(got) == 0 || got[0] != want {
				t.Errorf("columns from %d, %q: %q, want %q first", first, text, got[:min(len(got), 5)], want)
			}
		}
		for _, text := range []string{"monitor re|", "12|", "sensors[0].gain.|", "nothing.|", "used by|"} {
			if got := complete(t, c, text, frame, first); len(got) > 0 {
				t.Errorf("columns from %d, %q: %q", first, text, got)
			}
		}
	}
}

// initialise opens the demo for a client that counts lines and columns from 1 or
// from 0.
func initialise(t *testing.T, c *dapclient.Client, fromOne bool) {
	t.Helper()
	args := dap.InitializeRequestArguments{AdapterID: "pushmask", LinesStartAt1: fromOne, ColumnsStartAt1: fromOne}
	for _, call := range []func() error{
		func() error { return c.Call("initialize", args, nil) },
		func() error { return c.Launch(map[string]any{"executable": demoImage(t), "coreFile": demoCore(t)}) },
		func() error { return c.Event("initialized", nil) },
		c.ConfigurationDone,
		func() error { return c.Event("stopped", nil) },
	} {
		if err := call(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCompletionsOutside asks for completions at places that are not in the text.
func TestCompletionsOutside(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	for _, at := range []struct{ line, column int }{{0, 0}, {-1, -1}, {99, 3}, {1, 99}, {1, 1 << 30}, {0, 3}} {
		var body completionsBody
		if err := c.Call("completions", dap.CompletionsArguments{Text: "se", Line: at.line, Column: at.column}, &body); err != nil {
			t.Errorf("line %d, column %d: %v", at.line, at.column, err)
		}
		for _, x := range body.Targets {
			if x.Start < 1 || x.Start+x.Length > 3 {
				t.Errorf("%s: %+v", fmt.Sprint(at), x)
			}
		}
	}
	err := c.Call("completions", dap.CompletionsArguments{Text: "se", Column: 3, FrameId: 99}, nil)
	wantError(t, err, errUnknownFrame)
}

// TestCommandsAtRest parses the commands that are offered for a crash: they are
// those that need nothing that runs.
func TestCommandsAtRest(t *testing.T) {
	t.Parallel()
	arguments := map[string]string{
		"info": "locals", "printf": `"%d", 1`, "help": "", "frame": "1", "select-frame": "1", "up": "1", "down": "1",
		"up-silently": "1", "down-silently": "1", "thread": "1", "backtrace": "3",
	}
	for _, name := range gdbcommand.Commands() {
		args, special := arguments[name]
		if !special {
			args = "main"
		}
		cmd, err := gdbcommand.Parse(name + " " + args)
		if name != "help" && worksAtRest[name] && err != nil || err == nil && name != "help" && shows(cmd) != worksAtRest[name] {
			t.Errorf("%s %s is %#v, %v: it is offered for crashes: %t", name, args, cmd, err, worksAtRest[name])
		}
	}
}
