package dap

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"pushmask/core/coretest/qemu"
	"pushmask/dap/dapclient"
)

// liveMachines are the machines of QEMU for the cases of testdata/live.
var liveMachines = map[string]string{
	"m3-O0": "mps2-an385", "m3-O2": "mps2-an385", "m4f-Og": "mps2-an386", "m7-O2": "mps2-an500",
	"m33-O0": "mps2-an505", "m33-two": "mps2-an521", "m0-Os": "microbit", "a15-O0": "virt",
}

// liveSession is a client in a session with firmware that QEMU runs.
type liveSession struct {
	*dapclient.Client
	t      *testing.T
	config map[string]any
}

// liveFile returns the absolute path of a file of testdata/live.
func liveFile(t testing.TB, elem ...string) string {
	t.Helper()
	return filepath.Join(append([]string{filepath.Dir(fixture(t)), "live"}, elem...)...)
}

// lineOf returns the number of the one line of a source file of testdata/live
// that has the text.
func lineOf(t testing.TB, file, text string) int {
	t.Helper()
	content := must(os.ReadFile(liveFile(t, "app", file)))(t)
	before, _, found := bytes.Cut(content, []byte(text))
	if !found {
		t.Fatalf("%s has no %q", file, text)
	}
	return bytes.Count(before, []byte("\n")) + 1
}

// startLive starts the firmware of a case and initializes a session. The
// configuration attaches to it.
func startLive(t *testing.T, name string, args ...string) *liveSession {
	t.Helper()
	elf := liveFile(t, name, "fw.elf")
	m := qemu.StartTest(t, qemu.Config{Machine: liveMachines[name], ELF: elf, Args: args})
	s := &liveSession{Client: startAdapter(t, nil), t: t, config: map[string]any{
		"executable": elf, "gdbTarget": m.Address, "sourceFileMap": map[string]any{"/live": liveFile(t)},
	}}
	must(s.Initialize())(t)
	return s
}

// attach attaches, and has setup set breakpoints before the program is shown.
func (s *liveSession) attach(setup func()) dap.StoppedEventBody {
	s.t.Helper()
	s.ok(s.Attach(s.config))
	s.ok(s.Event("initialized", nil))
	if setup != nil {
		setup()
	}
	s.ok(s.ConfigurationDone())
	return s.stop("entry")
}

// ok ends the test on an error.
func (s *liveSession) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// stop waits for a stop with the given reason.
func (s *liveSession) stop(reason string) dap.StoppedEventBody {
	s.t.Helper()
	stopped := must(s.Stopped())(s.t)
	if stopped.Reason != reason {
		s.t.Fatalf("stopped: %+v, want the reason %q", stopped, reason)
	}
	return stopped
}

// goOn continues and waits for a stop with the given reason.
func (s *liveSession) goOn(reason string) dap.StoppedEventBody {
	s.t.Helper()
	s.ok(s.Continue(s.thread()))
	return s.stop(reason)
}

// thread is the first thread.
func (s *liveSession) thread() int {
	s.t.Helper()
	return must(s.Threads())(s.t)[0].Id
}

// toMain runs to main: before, variables have no values yet.
func (s *liveSession) toMain() {
	s.t.Helper()
	must(s.SetFunctionBreakpoints("main"))(s.t)
	s.goOn("function breakpoint")
	must(s.SetFunctionBreakpoints())(s.t)
}

// top returns the first frame.
func (s *liveSession) top() dap.StackFrame {
	s.t.Helper()
	frames := must(s.StackTrace(s.thread(), 0, 1))(s.t).StackFrames
	if len(frames) == 0 {
		s.t.Fatal("the stack is empty")
	}
	return frames[0]
}

// at checks where the program stands.
func (s *liveSession) at(function string, line int) {
	s.t.Helper()
	if f := s.top(); f.Name != function || line != 0 && f.Line != line {
		s.t.Errorf("stands at %s:%d, want %s:%d", f.Name, f.Line, function, line)
	}
}

// scope returns the reference of a scope of a frame.
func (s *liveSession) scope(frame int, name string) int {
	s.t.Helper()
	for _, scope := range must(s.Scopes(frame))(s.t) {
		if scope.Name == name {
			return scope.VariablesReference
		}
	}
	s.t.Fatalf("frame %d has no scope %q", frame, name)
	return 0
}

// breakAt sets the breakpoints of a source file by the texts of their lines.
func (s *liveSession) breakAt(file string, texts ...string) []dap.Breakpoint {
	s.t.Helper()
	var lines []int
	for _, text := range texts {
		lines = append(lines, lineOf(s.t, file, text))
	}
	placed := must(s.SetBreakpoints(liveFile(s.t, "app", file), lines...))(s.t)
	for _, b := range placed {
		if !b.Verified {
			s.t.Fatalf("breakpoint %+v", b)
		}
	}
	return placed
}

// printed is all output so far.
func (s *liveSession) printed() string {
	var b strings.Builder
	for _, m := range s.Received() {
		if m.Event == "output" {
			b.Write(m.Body)
		}
	}
	return b.String()
}

// repl runs a line in the Debug Console.
func (s *liveSession) repl(line string) string {
	s.t.Helper()
	body, err := s.Evaluate(line, 0, "repl")
	if err != nil {
		s.t.Fatalf("%s: %v", line, err)
	}
	return body.Result
}
