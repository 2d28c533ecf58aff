package dap

import (
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// byName finds a variable.
func byName(t *testing.T, list []dap.Variable, name string) dap.Variable {
	t.Helper()
	for _, v := range list {
		if v.Name == name {
			return v
		}
	}
	t.Fatalf("no variable %q among %+v", name, list)
	return dap.Variable{}
}

// TestLiveVariables shows locals, statics and globals, and changes them.
func TestLiveVariables(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.attach(func() { s.breakAt("steps.c", "int b = leaf(a)") })
	s.goOn("breakpoint")
	frame := s.top().Id
	locals := s.scope(frame, "Locals")
	list := func(ref int) []dap.Variable { return must(s.Variables(ref, 0, 0))(t) }
	a := byName(t, list(locals), "a")
	if a.Type != "int" || a.EvaluateName != "a" || a.PresentationHint != nil {
		t.Errorf("a is %+v", a)
	}
	if got := must(s.SetVariable(locals, "a", "40 + 2"))(t); !strings.HasPrefix(got, "42") {
		t.Errorf("a is %s", got)
	}
	if got := byName(t, list(locals), "a").Value; !strings.HasPrefix(got, "42") {
		t.Errorf("a is %s", got)
	}
	wantError(t, second(s.SetVariable(locals, "zebra", "1")), errReadOnly)

	byName(t, list(s.scope(frame, "Statics")), "counted")
	station := byName(t, list(s.scope(frame, "Globals")), "station")
	if station.NamedVariables != 4 || station.VariablesReference == 0 {
		t.Fatalf("station is %+v", station)
	}
	samples := byName(t, list(station.VariablesReference), "samples")
	if samples.IndexedVariables != 4 || samples.EvaluateName != "station.samples" {
		t.Fatalf("samples are %+v", samples)
	}
	if got := must(s.SetVariable(samples.VariablesReference, "[2]", "7"))(t); !strings.HasPrefix(got, "7") {
		t.Errorf("samples[2] is %s", got)
	}
	page := must(s.Variables(samples.VariablesReference, 2, 1))(t)
	if len(page) != 1 || page[0].Name != "[2]" || !strings.HasPrefix(page[0].Value, "7") {
		t.Errorf("page %+v", page)
	}
	if info := must(s.DataBreakpointInfo("[2]", samples.VariablesReference))(t); info.DataId == nil || !strings.HasSuffix(info.DataId.(string), "+2 station.samples[2]") {
		t.Errorf("data breakpoint of samples[2]: %+v", info)
	}
	watch := must(s.Evaluate("&station", frame, "watch"))(t)
	if watch.VariablesReference == 0 {
		t.Fatalf("&station is %+v", watch)
	}
	byName(t, list(watch.VariablesReference), "total")
}

// TestDumpVariables shows variables of a dump, which cannot be changed.
func TestDumpVariables(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	for _, f := range must(c.StackTrace(1, 0, 0))(t).StackFrames {
		for _, scope := range must(c.Scopes(f.Id))(t) {
			if scope.Name != "Locals" {
				continue
			}
			for _, v := range must(c.Variables(scope.VariablesReference, 0, 0))(t) {
				wantError(t, second(c.SetVariable(scope.VariablesReference, v.Name, "1")), errReadOnly)
				if v.PresentationHint == nil {
					t.Errorf("%s can be changed", v.Name)
				}
				return
			}
		}
	}
	t.Error("no frame has locals")
}
