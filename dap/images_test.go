package dap

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"pushmask/core/coretest/images"
)

// startImages starts firmware of several ELFs, the application's first, and
// initializes a session that attaches to it.
func startImages(t *testing.T, name string, scenario images.Scenario) *liveSession {
	t.Helper()
	f := images.Build(t, name)
	var files []any
	for _, m := range f.Images() {
		files = append(files, map[string]any{"file": m.Path, "offset": m.Bias.String()})
	}
	s := &liveSession{Client: startAdapter(t, nil), t: t, config: map[string]any{
		"executable": f.Second.Path, "symbolFiles": files, "gdbTarget": f.Start(t, scenario).Address,
		"sourceFileMap": map[string]any{"/images": filepath.Join(filepath.Dir(fixture(t)), "images")},
	}}
	must(s.Initialize())(t)
	return s
}

// variableOf returns a variable of a scope.
func (s *liveSession) variableOf(frame int, scope, name string) dap.Variable {
	s.t.Helper()
	for _, v := range must(s.Variables(s.scope(frame, scope), 0, 0))(s.t) {
		if v.Name == name {
			return v
		}
	}
	s.t.Fatalf("%s has no %s", scope, name)
	return dap.Variable{}
}

// TestImagesVariables shows, evaluates, changes and watches variables of two ELFs
// with the same names, in frames of both: boot.elf called back into app.elf.
func TestImagesVariables(t *testing.T) {
	t.Parallel()
	s := startImages(t, "m3-O0", images.Run)
	s.attach(func() { must(s.SetFunctionBreakpoints("scale"))(t) })
	s.goOn("function breakpoint")
	must(s.SetFunctionBreakpoints())(t)
	frames := must(s.StackTrace(s.thread(), 0, 0))(t).StackFrames
	if len(frames) < 5 || frames[0].Name != "scale" || frames[1].Name != "boot.elf!each" {
		t.Fatalf("frames %+v", frames)
	}
	const apps = " (this memory belongs to app.elf)"
	own := must(s.Evaluate("'app.elf'::state", frames[0].Id, "watch"))(t).Result // an interrupt counts it
	if strings.Contains(own, "belongs") {
		t.Errorf("state of app.elf is %s", own)
	}
	for _, x := range []struct {
		frame              int
		scope, name, value string
		expr               string
	}{
		{0, "Statics", "state", own, "'app.elf'::state"},
		{0, "Globals", "state", own, "'app.elf'::state"},
		{0, "Globals (boot.elf)", "state", "3 (0x3)" + apps, "'boot.elf'::state"},
		{1, "Statics", "state", "3 (0x3)" + apps, "'boot.elf'::state"},
		{1, "Globals", "state", "3 (0x3)" + apps, "'boot.elf'::state"},
		{1, "Globals (app.elf)", "state", own, "'app.elf'::state"},
		{1, "Locals", "n", "5 (0x5)", "n"},
	} {
		v := s.variableOf(frames[x.frame].Id, x.scope, x.name)
		if v.Value != x.value || v.EvaluateName != x.expr {
			t.Errorf("#%d %s %s: %s, %s; want %s, %s", x.frame, x.scope, x.name, v.EvaluateName, v.Value, x.expr, x.value)
		}
		for _, f := range frames[:2] { // a watch lasts
			if x.scope == "Locals" {
				continue
			}
			if got := must(s.Evaluate(x.expr, f.Id, "watch"))(t).Result; got != x.value {
				t.Errorf("%s in %s: %s, want %s", x.expr, f.Name, got, x.value)
			}
		}
	}
	s.hoverImages(frames, own)
	if got := must(s.SetVariable(s.scope(frames[1].Id, "Globals (app.elf)"), "state", "41"))(t); got != "41 (0x29)" {
		t.Errorf("state of app.elf is %s", got)
	}
	if got := must(s.Evaluate("state + 1", frames[0].Id, "watch"))(t).Result; got != "42 (0x2a)" {
		t.Errorf("state + 1 is %s", got)
	}
	s.watchImages(frames)
}

// hoverImages points at names in the sources of two ELFs; own is what state is in
// app.elf.
func (s *liveSession) hoverImages(frames []dap.StackFrame, own string) {
	s.t.Helper()
	next := must(s.Evaluate("'app.elf'::state + 1", frames[0].Id, "watch"))(s.t).Result
	for _, x := range []struct {
		frame            int
		file, expr, want string
	}{
		{0, "app/main.c", "state", own},
		{0, "boot/main.c", "state", "3 (0x3) (this memory belongs to app.elf)"},
		{0, "boot/main.c", "config.range.high", "85 (0x55)"}, // only that of the frame has it
		{1, "app/main.c", "config.gain[1]", "-2 '\\376'"},
		{1, "boot/main.c", "n", "5 (0x5)"},
		{1, "board/start.c", "n", "5 (0x5)"},
		{0, "boot/main.c", "state + 1", next}, // names of two places do not mix
	} {
		var got dap.EvaluateResponseBody
		s.ok(s.Call("evaluate", map[string]any{
			"expression": x.expr, "context": "hover", "frameId": frames[x.frame].Id, "line": 14,
			"source": dap.Source{Path: filepath.Join(filepath.Dir(fixture(s.t)), "images", x.file)},
		}, &got))
		if got.Result != x.want {
			s.t.Errorf("#%d %s over %s: %s, want %s", x.frame, x.file, x.expr, got.Result, x.want)
		}
	}
}

// watchImages asks what data breakpoints by name are in frames of two ELFs.
func (s *liveSession) watchImages(frames []dap.StackFrame) {
	s.t.Helper()
	for _, x := range []struct {
		frame    int
		name, id string
	}{
		{0, "state", " state"},
		{1, "n", "+4 n"},
		{1, "state", " 'boot.elf'::state"},
		{1, "'app.elf'::state", " 'app.elf'::state"},
		{1, "config.boots", "+2 'boot.elf'::config.boots"},
	} {
		var info dap.DataBreakpointInfoResponseBody
		s.ok(s.Call("dataBreakpointInfo", map[string]any{"name": x.name, "frameId": frames[x.frame].Id}, &info))
		id, _ := info.DataId.(string)
		if !strings.HasSuffix(id, x.id) {
			s.t.Errorf("%s in %s: %q, want %q", x.name, frames[x.frame].Name, id, x.id)
		}
		at := must(s.Evaluate("&"+x.name, frames[x.frame].Id, "watch"))(s.t).Result
		if at, _, _ := strings.Cut(at, " "); !strings.HasPrefix(id, at+"+") {
			s.t.Errorf("%s in %s: %q, it lies at %s", x.name, frames[x.frame].Name, id, at)
		}
	}
}

// TestImagesWatchRunning sets data breakpoints by name while the program runs.
func TestImagesWatchRunning(t *testing.T) {
	t.Parallel()
	s := startImages(t, "m3-O2", images.Run)
	s.attach(nil)
	s.ok(s.Continue(s.thread()))
	for _, x := range []struct{ name, id string }{
		{"total", "+4 total"}, {"'boot.elf'::config.tries", "+2 'boot.elf'::config.tries"}, {"samples[1]", "+4 samples[1]"},
		{"boot/main.c", "<nil>"}, {"*samples", "+4 *samples"}, {"*'boot.elf'::config.reason", "<nil>"},
	} {
		info := must(s.DataBreakpointInfo(x.name, 0))(t)
		if id, _ := info.DataId.(string); !strings.HasSuffix(id, x.id) && x.id != "<nil>" || x.id == "<nil>" && info.DataId != nil {
			t.Errorf("%s: %+v, want %s", x.name, info, x.id)
		}
	}
	id := must(s.DataBreakpointInfo("'app.elf'::total", 0))(t).DataId.(string)
	s.ok(s.Pause(s.thread()))
	s.stop("pause")
	must(s.SetDataBreakpoints(dap.DataBreakpoint{DataId: id, AccessType: "write"}))(t)
	if hit := s.goOn("data breakpoint"); !strings.HasPrefix(hit.Text, "'app.elf'::total: ") {
		t.Errorf("stopped %+v", hit)
	}
}
