package dap

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParseLiveConfig reads configurations that people have for Cortex-Debug.
func TestParseLiveConfig(t *testing.T) {
	t.Parallel()
	image := demoImage(t)
	files := `"executable":` + quoted(image) + `,"gdbTarget":"localhost:3333"`
	external := func(change func(*launchConfig)) launchConfig {
		c := launchConfig{executable: image, liveParts: liveParts{
			request: "launch", gdbTarget: "localhost:3333", loadFiles: []string{image},
		}}
		change(&c)
		return c
	}
	for _, test := range []struct {
		name, json string
		want       launchConfig
	}{
		{"minimal", `{` + files + `,"servertype":"external","svdFile":"x.svd","gdbPath":"gdb-multiarch","armToolchainPath":"/opt"}`,
			external(func(c *launchConfig) { c.serverType, c.svdFile = "external", "x.svd" })},
		{"old names", `{` + files + `,"runToMain":true,"preRestartCommands":["monitor halt"],"postRestartSessionCommands":[]}`,
			external(func(c *launchConfig) {
				c.runTo = "main"
				c.commands = commandLists{"preResetCommands": {"monitor halt"}, "postResetSessionCommands": {}}
			})},
		{"new name wins", `{` + files + `,"runToMain":true,"runToEntryPoint":"app_main","preResetCommands":["a"],"preRestartCommands":["b"]}`,
			external(func(c *launchConfig) {
				c.runTo = "app_main"
				c.commands = commandLists{"preResetCommands": {"a"}}
			})},
		{"nothing to load", `{` + files + `,"loadFiles":[]}`, external(func(c *launchConfig) { c.loadFiles = []string{} })},
		{"limits", `{` + files + `,"hardwareBreakpoints":{"require":true,"limit":6},"hardwareWatchpoints":{"limit":4},"breakAfterReset":true,"stopAtEntry":true,"noDebug":true}`,
			external(func(c *launchConfig) {
				c.breakpoints, c.watchpoints = hardwareUse{Require: true, Limit: 6}, hardwareUse{Limit: 4}
				c.breakAfterReset, c.stopAtEntry, c.noDebug = true, true, true
			})},
		{"views of others", `{` + files + `,"rttConfig":{"enabled":true},"swoConfig":{"enabled":false},"graphConfig":[{}],"liveWatch":{"enabled":true},"showDevDebugOutput":"raw"}`,
			external(func(c *launchConfig) {
				c.unused = []string{"graphConfig", "rttConfig"}
				c.liveWatch, c.tracePackets = true, true
			})},
		{"quiet", `{` + files + `,"showDevDebugOutput":"none","liveWatch":{}}`, external(func(*launchConfig) {})},
		{"black magic", `{"executable":` + quoted(image) + `,"servertype":"bmp","BMPGDBSerialPort":"/dev/ttyACM0"}`,
			external(func(c *launchConfig) { c.serverType, c.gdbTarget = "bmp", "/dev/ttyACM0" })},
		{"server", `{"executable":` + quoted(image) + `,"servertype":"OpenOCD","configFiles":["board.cfg"]}`,
			external(func(c *launchConfig) { c.serverType, c.gdbTarget = "openocd", "" })},
		{"several cores", `{` + files + `,"targets":[{"name":"core 1","gdbTarget":"localhost:3334"}]}`,
			external(func(c *launchConfig) {
				c.targets = []furtherTarget{{Name: "core 1", GDBTarget: "localhost:3334"}}
			})},
		{"raw bytes to load", `{` + files + `,"loadFiles":[` + quoted(image) + `,` + quoted(image+"@0x8000") + `]}`,
			external(func(c *launchConfig) { c.loadFiles = []string{image, image + "@0x00008000"} })},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseConfig("launch", []byte(test.json))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, compareConfigs); diff != "" {
				t.Errorf("configuration differs (-want +got):\n%s", diff)
			}
		})
	}
}
