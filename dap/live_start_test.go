package dap

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/google/go-dap"
)

// begin launches or attaches, up to configurationDone.
func (s *liveSession) begin(call func(map[string]any) error) {
	s.t.Helper()
	s.ok(call(s.config))
	s.ok(s.Event("initialized", nil))
	s.ok(s.ConfigurationDone())
}

// TestLiveLaunch loads the program and runs it to main.
func TestLiveLaunch(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.config["runToEntryPoint"] = "main"
	s.config["overrideLaunchCommands"] = []string{"load", "monitor system_reset"}
	s.begin(s.Launch)
	s.stop("entry")
	s.at("main", 0)
	s.ok(s.Restart(nil))
	s.stop("entry")
	s.at("main", 0)
}

// TestLiveLoadStarts begins at the entry of what was loaded, as gdb does, though
// the target stood elsewhere and nothing resets it. The ELF is the target's then.
func TestLiveLoadStarts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ runs, loads string }{{"m3-O2", "m3-O0"}, {"a15-O0", "a15-O0"}} {
		s := startLive(t, test.runs)
		s.config["executable"] = liveFile(t, test.loads, "fw.elf")
		s.config["runToEntryPoint"] = "main"
		s.config["overrideLaunchCommands"] = []string{"tbreak main", "set $pc = 0x4", "load"}
		s.begin(s.Launch)
		must(s.Stopped())(t)
		s.at("main", 0)
		if text := s.printed(); strings.Contains(text, "not this ELF") {
			t.Errorf("%s: warned of what was there before: %q", test.runs, text)
		}
	}
}

// TestLiveLaunchAgain resets a QEMU that somebody else has started and that has
// run: a launch begins at the beginning.
func TestLiveLaunchAgain(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.attach(nil)
	must(s.SetFunctionBreakpoints("factorial"))(t)
	s.goOn("function breakpoint")
	s.ok(s.Leave(dap.DisconnectArguments{SuspendDebuggee: true}))

	again := &liveSession{Client: startAdapter(t, nil), t: t, config: s.config}
	must(again.Initialize())(t)
	again.config["runToEntryPoint"] = "main"
	again.begin(again.Launch)
	again.stop("entry")
	again.at("main", 0)
}

// TestLiveOtherProgram warns of an ELF that is not the program in the target.
func TestLiveOtherProgram(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.config["executable"] = liveFile(t, "m3-O2", "fw.elf")
	s.begin(s.Attach)
	s.stop("entry")
	if text := s.printed(); !strings.Contains(text, "the program in the target is not this ELF") {
		t.Errorf("no warning in %q", text)
	}
}

// TestLiveLaunchEntry goes on after a launch unless it is told to stay.
func TestLiveLaunchEntry(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change map[string]any
		runs   bool
	}{
		{"nothing", nil, true},
		{"break after reset", map[string]any{"breakAfterReset": true}, false},
		{"stop at entry", map[string]any{"stopAtEntry": true}, false},
		{"commands", map[string]any{"postStartSessionCommands": []string{"info registers"}}, false},
		{"continue", map[string]any{"postLaunchCommands": []string{"tbreak factorial", "continue"}, "breakAfterReset": true}, true},
		{"no such function", map[string]any{"runToEntryPoint": "no_such"}, false},
		{"no debugging", map[string]any{"runToEntryPoint": "main", "noDebug": true}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := startLive(t, "m3-O0")
			s.config["loadFiles"] = []string{}
			for name, value := range test.change {
				s.config[name] = value
			}
			s.begin(s.Launch)
			if test.runs {
				s.ok(s.Event("continued", nil))
				s.ok(s.Pause(s.thread()))
			}
			must(s.Stopped())(t)
			for range 100 { // the program leaves its first function
				if !test.runs || s.top().Name != "Reset_Handler" {
					break
				}
				s.ok(s.Continue(s.thread()))
				time.Sleep(10 * time.Millisecond)
				s.ok(s.Pause(s.thread()))
				must(s.Stopped())(t)
			}
			if at := s.top().Name; (at == "Reset_Handler") == test.runs {
				t.Errorf("stands in %s", at)
			}
		})
	}
}

// TestLiveCommands reports the commands of a configuration that fail, and goes
// on.
func TestLiveCommands(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.config["preAttachCommands"] = []string{
		"monitor frobnicate", "frobnicate", "define hook-stop", "printf \"x\"", "end", "set mem inaccessible-by-default off",
		"source x.gdb", "echo hello\\n", "", "# nothing",
	}
	s.config["overrideAttachCommands"] = []string{"set var counter = 5", "set $r4 = 17", "break main", "info registers r4"}
	s.config["rttConfig"] = map[string]any{"enabled": true}
	s.config["zoom"] = 1
	s.attach(nil)
	printed := s.printed()
	for _, want := range []string{
		"unknown command: 'frobnicate'", `preAttachCommands: \"frobnicate\"`, `preAttachCommands: \"define hook-stop\"`, `preAttachCommands: \"source x.gdb\"`,
		"hello", "r4        0x00000011", "breakpoint 1", "rttConfig", "zoom",
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("nothing says %q in\n%s", want, printed)
		}
	}
	if strings.Contains(printed, "inaccessible") {
		t.Errorf("what has no effect here is told:\n%s", printed)
	}
	s.goOn("function breakpoint")
	s.at("main", 0)
}

// TestLiveLoadFails does not start a session with other code than the user's.
func TestLiveLoadFails(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.config["loadFiles"] = []string{liveFile(t, "build.sh")}
	e := wantError(t, s.Launch(s.config), errLoad)
	if !strings.Contains(e.Text, "build.sh") || !strings.Contains(e.Text, "does not say where it belongs") {
		t.Errorf("error %q", e.Text)
	}
	// The session goes on: the user corrects the configuration.
	s.config["loadFiles"] = []string{}
	s.config["breakAfterReset"] = true
	s.begin(s.Launch)
	s.stop("entry")
}

// TestLiveServer starts QEMU as "servertype" asks for, and ends it.
func TestLiveServer(t *testing.T) {
	t.Parallel()
	startLive(t, "m3-O0") // skips the test without QEMU
	s := &liveSession{Client: startAdapter(t, nil), t: t, config: map[string]any{
		"executable": liveFile(t, "m3-O0", "fw.elf"), "servertype": "qemu", "machine": "mps2-an385", "cpu": "cortex-m3",
		"runToEntryPoint": "main", "sourceFileMap": map[string]any{"/live": liveFile(t)},
	}}
	must(s.Initialize())(t)
	s.begin(s.Launch)
	must(s.Stopped())(t)
	s.at("main", 0)
	s.ok(s.Restart(nil))
	must(s.Stopped())(t)
	s.at("main", 0)
	s.ok(s.Continue(s.thread()))
	s.ok(s.Terminate())
	s.ok(s.Event("terminated", nil))

	s.config["serverpath"] = "/no/such/qemu"
	e := wantError(t, s.Launch(s.config), errServer)
	if !strings.Contains(e.Text, "/no/such/qemu") {
		t.Errorf("error %q", e.Text)
	}
	s.config["serverArgs"] = 5
	wantError(t, s.Launch(s.config), errConfig)
}

// TestLiveServerEnds ends the session when the server ends by itself.
func TestLiveServerEnds(t *testing.T) {
	t.Parallel()
	startLive(t, "m3-O0")
	s := &liveSession{Client: startAdapter(t, nil), t: t, config: map[string]any{
		"executable": liveFile(t, "m3-O0", "fw.elf"), "servertype": "qemu", "machine": "mps2-an385", "cpu": "cortex-m3", "breakAfterReset": true,
	}}
	must(s.Initialize())(t)
	s.begin(s.Launch)
	s.stop("entry")
	_, _ = s.Evaluate("monitor quit", 0, "repl")
	s.ok(s.Event("terminated", nil))
	if printed := s.printed(); !strings.Contains(printed, "has ended") && !strings.Contains(printed, "is lost") {
		t.Errorf("nothing says why: %s", printed)
	}
}

// TestLiveLeave leaves targets running and halted.
func TestLiveLeave(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args dap.DisconnectArguments
		// running is set when the target runs at the end, moves when it runs on.
		running, moves bool
	}{
		{"default", dap.DisconnectArguments{}, false, true},
		{"suspend", dap.DisconnectArguments{SuspendDebuggee: true}, false, false},
		{"terminate", dap.DisconnectArguments{TerminateDebuggee: true}, false, false},
		{"running", dap.DisconnectArguments{}, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := startLive(t, "m3-O0")
			s.config["overridePreEndSessionCommands"] = []string{"echo good bye\\n"}
			s.attach(nil)
			s.toMain()
			before := s.counter()
			if test.running {
				s.ok(s.Continue(s.thread()))
			}
			s.ok(s.Leave(test.args))
			if !strings.Contains(s.printed(), "good bye") {
				t.Error("the commands at the end were not run")
			}
			time.Sleep(200 * time.Millisecond) // the target runs on, or does not
			next := &liveSession{Client: startAdapter(t, nil), t: t, config: s.config}
			must(next.Initialize())(t)
			next.attach(nil)
			if after := next.counter(); (after > before) != test.moves {
				t.Errorf("the counter went from %d to %d", before, after)
			}
		})
	}
}

// counter reads how often the firmware has made its tour.
func (s *liveSession) counter() uint32 {
	s.t.Helper()
	body := must(s.ReadMemory(must(s.Evaluate("&counter", 0, "watch"))(s.t).MemoryReference, 0, 4))(s.t)
	return binary.LittleEndian.Uint32(must(base64.StdEncoding.DecodeString(body.Data))(s.t))
}
