package dap

import (
	"strings"
	"testing"

	"github.com/google/go-dap"

	"pushmask/dap/dapclient"
)

// TestFaultHandler checks that the frames of a fault's handler stand back for
// the code that faulted, however the stack is paged and whether or not the
// sources are found.
func TestFaultHandler(t *testing.T) {
	t.Parallel()
	for _, cwd := range []string{"", fixture(t)} {
		for _, size := range []int{1, 2, 3, 100} {
			c := startAdapter(t, nil)
			must(c.Initialize())(t)
			config := demoConfig(t)
			config["cwd"] = cwd
			if err := c.Launch(config); err != nil {
				t.Fatal(err)
			}
			frames := pages(t, c, size)
			if frames[0].PresentationHint != "subtle" || frames[1].PresentationHint != "label" {
				t.Errorf("cwd %q, pages of %d: hints %q, %q; want subtle, label",
					cwd, size, frames[0].PresentationHint, frames[1].PresentationHint)
			}
			// The last hint for a file is the one that counts.
			hints := map[string]string{}
			for _, f := range frames {
				if f.Source != nil {
					hints[f.Source.Name] = f.Source.PresentationHint
				}
			}
			for i, f := range frames[2:] {
				if f.PresentationHint != "" && f.PresentationHint != "normal" {
					t.Errorf("cwd %q, pages of %d: %s has the hint %q", cwd, size, f.Name, f.PresentationHint)
				}
				if i == 0 && hints[f.Source.Name] != "" {
					t.Errorf("cwd %q, pages of %d: the source that faulted has the hint %q", cwd, size, hints[f.Source.Name])
				}
			}
			if got := hints[frames[0].Source.Name]; got != hintDeemphasize {
				t.Errorf("cwd %q, pages of %d: the source of the handler has the hint %q", cwd, size, got)
			}
		}
	}
}

// pages returns all frames of thread 1, asked for in pages.
func pages(t *testing.T, c *dapclient.Client, size int) []dap.StackFrame {
	t.Helper()
	var frames []dap.StackFrame
	for {
		page := must(c.StackTrace(1, len(frames), size))(t).StackFrames
		frames = append(frames, page...)
		if len(page) < size {
			return frames
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
