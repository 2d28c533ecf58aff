package dap

import (
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// TestFaultHandler checks that the frames of a fault's handler stand back for
// the code that faulted, however the stack is paged.
func TestFaultHandler(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 100} {
		c := openDemo(t)
		n := len(must(c.StackTrace(1, 0, 0))(t).StackFrames)
		inHandler := true
		for start := 0; start < n; start += size {
			for _, f := range must(c.StackTrace(1, start, size))(t).StackFrames {
				want := ""
				switch {
				case strings.HasPrefix(f.Name, "<exception"):
					want, inHandler = "label", false
				case inHandler:
					want = "subtle"
				}
				if f.PresentationHint != want {
					t.Errorf("pages of %d: %s has the hint %q, want %q", size, f.Name, f.PresentationHint, want)
				}
				if f.Source != nil && (f.Source.PresentationHint == "deemphasize") != inHandler {
					t.Errorf("pages of %d: the source of %s has the hint %q", size, f.Name, f.Source.PresentationHint)
				}
			}
		}
		if inHandler {
			t.Error("the stack has no exception entry")
		}
	}
}

// TestStackFrameFormat asks for names with modules and lines.
func TestStackFrameFormat(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	plain := must(c.StackTrace(1, 0, 0))(t).StackFrames
	for _, test := range []struct {
		name   string
		format dap.StackFrameFormat
		check  func(plain, formatted string) bool
	}{
		{"nothing", dap.StackFrameFormat{}, func(p, f string) bool { return f == p }},
		{"module", dap.StackFrameFormat{Module: true}, func(p, f string) bool { return f == "fw.elf!"+p }},
		{"line", dap.StackFrameFormat{Line: true}, func(p, f string) bool { return strings.Contains(f, ":") }},
	} {
		var body dap.StackTraceResponseBody
		if err := c.Call("stackTrace", dap.StackTraceArguments{ThreadId: 1, Format: &test.format}, &body); err != nil {
			t.Fatal(err)
		}
		for i, f := range body.StackFrames {
			if f.PresentationHint != "label" && !test.check(plain[i].Name, f.Name) {
				t.Errorf("%s: %q, plain %q", test.name, f.Name, plain[i].Name)
			}
		}
	}
}

// TestLinesFromZero compares what clients get that count from 0 and from 1.
func TestLinesFromZero(t *testing.T) {
	t.Parallel()
	one := openDemo(t)
	zero := startAdapter(t, nil)
	args := map[string]any{"linesStartAt1": false, "columnsStartAt1": false}
	if err := zero.Call("initialize", args, nil); err != nil {
		t.Fatal(err)
	}
	if err := zero.Launch(demoConfig(t)); err != nil {
		t.Fatal(err)
	}
	want := must(one.StackTrace(1, 0, 0))(t).StackFrames
	for i, f := range must(zero.StackTrace(1, 0, 0))(t).StackFrames {
		if f.Source == nil {
			continue
		}
		if f.Line != want[i].Line-1 || f.Column != want[i].Column-1 {
			t.Errorf("%s at %d:%d, from 1 %d:%d", f.Name, f.Line, f.Column, want[i].Line, want[i].Column)
		}
	}
}
