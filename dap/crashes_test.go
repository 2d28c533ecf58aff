package dap

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// twoStops is what OpenOCD says of a machine that stopped twice.
const twoStops = `target halted due to debug-request, current mode: Thread
xPSR: 0x01000000 pc: 0x000001c6 msp: 0x20000fd8
> resume
target halted due to debug-request, current mode: Handler HardFault
xPSR: 0x01000003 pc: 0x00000410 msp: 0x20000f10
`

// TestCrashesOfALog opens a text log: its crashes are listed in the Debug
// Console, and the configuration selects one.
func TestCrashesOfALog(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "openocd.log")
	if err := os.WriteFile(log, []byte(twoStops), 0o600); err != nil {
		t.Fatal(err)
	}
	for crash, want := range map[int]string{0: "HardFault_Handler", 1: "poll_link"} {
		c := startAdapter(t, nil)
		must(c.Initialize())(t)
		if err := c.Launch(map[string]any{"executable": demoImage(t), "coreFile": log, "crash": crash}); err != nil {
			t.Fatal(err)
		}
		if err := c.ConfigurationDone(); err != nil {
			t.Fatal(err)
		}
		frames := must(c.StackTrace(1, 0, 1))(t).StackFrames
		if len(frames) != 1 || !strings.HasPrefix(frames[0].Name, want) {
			t.Errorf("crash %d: frames %+v", crash, frames)
		}
		var console strings.Builder
		for _, m := range c.Received() {
			if m.Event == "output" {
				console.Write(m.Body)
			}
		}
		for _, line := range []string{"1", "2"} {
			if crash == 0 && line == "2" || crash == 1 && line == "1" {
				line += " (open)"
			}
			if !strings.Contains(console.String(), `"`+line+": line ") {
				t.Errorf("crash %d: %q is not in the Debug Console: %s", crash, line, console.String())
			}
		}
	}
}
