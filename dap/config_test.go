package dap

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pushmask/core/session"
)

// TestBadLaunch is the list of what goes wrong with a launch, and of what the
// user reads then.
func TestBadLaunch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte("not a firmware"), 0o644); err != nil {
		t.Fatal(err)
	}
	image, core := demoImage(t), demoCore(t)
	type config = map[string]any
	for _, test := range []struct {
		name   string
		config config
		id     errorID
		want   string
	}{
		{"nothing", nil, errConfig, `no firmware image is given: set "executable" (or "program") to the ELF file of the firmware`},
		{"no image", config{"coreFile": core}, errConfig, `set "executable"`},
		{"empty image", config{"executable": "", "coreFile": core}, errConfig, `set "executable"`},
		{"null image", config{"executable": nil, "coreFile": core}, errConfig, `set "executable"`},
		{"no dump", config{"program": image}, errConfig, `nothing to debug is given: set "coreFile" to the core file, dump or log`},
		{"two targets", config{"executable": image, "coreFile": core, "gdbTarget": "localhost:3333"}, errConfig, `"coreFile" opens a dump and "gdbTarget" a live target`},
		{"dump and server", config{"executable": image, "coreFile": core, "servertype": "openocd"}, errConfig, `"servertype" "openocd" a live target: give one`},
		{"running server and new one", config{"executable": image, "gdbTarget": "localhost:3333", "servertype": "JLink"}, errConfig, `"servertype" "jlink" starts one: remove "gdbTarget"`},
		{"external without address", config{"executable": image, "servertype": "external"}, errConfig, `"gdbTarget" is missing`},
		{"probe without device", config{"executable": image, "servertype": "bmp"}, errConfig, `set "BMPGDBSerialPort"`},
		{"unknown server", config{"executable": image, "servertype": "trace32"}, errConfig, `"servertype" "trace32" is not known`},
		{"server is a number", config{"executable": image, "servertype": 1}, errConfig, `"servertype" has the wrong type`},
		{"commands are a text", config{"executable": image, "gdbTarget": "x", "preLaunchCommands": "load"}, errConfig, `"preLaunchCommands" has the wrong type: give a list of gdb commands`},
		{"no such symbols", config{"gdbTarget": "x", "symbolFiles": []string{image, dir + "/none"}}, errFile, `"symbolFiles": entry 2: there is no file`},
		{"no such symbols of a dump", config{"coreFile": core, "symbolFiles": []string{dir + "/none"}}, errFile, `"symbolFiles": entry 1: there is no file`},
		{"symbols are a text", config{"coreFile": core, "symbolFiles": []string{image, text}}, errOpenImage, `"symbolFiles": entry 2: ` + text + " cannot be opened as the ELF image: "},
		{"placed symbols are a text", config{"coreFile": core, "symbolFiles": []any{config{"file": text, "textaddress": 0}}}, errOpenImage, `"symbolFiles": entry 1: ` + text + " cannot be opened as the ELF image: "},
		{"empty path", config{"coreFile": core, "symbolFiles": []string{""}}, errConfig, `"symbolFiles": entry 1: the path is empty`},
		{"sections move apart", config{"coreFile": core, "symbolFiles": []any{config{"file": image, "textaddress": "0x8000", "sections": []any{config{"name": ".data", "address": "0x20000000"}}}}},
			errConfig, `"symbolFiles": entry 1: section .data at 0x20000000 is 0x00000000 from where it is linked, by section .text it is 0x00008000: an ELF is moved as a whole`},
		{"no such section", config{"coreFile": core, "symbolFiles": []any{config{"file": image, "sections": []any{config{"name": ".code", "address": 1}}}}}, errConfig, `"symbolFiles": entry 1: the ELF has no section .code in memory`},
		{"wrong symbols", config{"gdbTarget": "x", "symbolFiles": []any{config{"offset": 1}}}, errConfig, `entry 1: give a path in quotes`},
		{"wrong offset", config{"gdbTarget": "x", "symbolFiles": []any{config{"file": image, "offset": "here"}}}, errConfig, `entry 1: "offset": "here" is no address`},
		{"wrong sections", config{"gdbTarget": "x", "symbolFiles": []any{config{"file": image, "sections": []any{config{"name": ".data"}}}}}, errConfig, `"sections" holds no objects`},
		{"no file to load", config{"executable": image, "gdbTarget": "x", "loadFiles": []string{dir + "/none"}}, errFile, `"loadFiles": entry 1: there is no file`},
		{"no bytes to load", config{"executable": image, "gdbTarget": "x", "loadFiles": []string{image, dir + "/none@16"}}, errFile, `"loadFiles": entry 2: there is no file ` + dir + "/none:"},
		{"no image of a target", config{"executable": image, "gdbTarget": "x", "targets": []any{config{"gdbTarget": "y", "executable": dir + "/none"}}}, errFile, `"targets": entry 1: "executable": there is no file`},
		{"no symbols of a target", config{"executable": image, "gdbTarget": "x", "targets": []any{config{"gdbTarget": "y", "symbolFiles": []string{image, dir + "/none"}}}}, errFile, `"targets": entry 1: "symbolFiles": entry 2: there is no file`},
		{"wrong symbols of a target", config{"executable": image, "gdbTarget": "x", "targets": []any{config{"gdbTarget": "y", "symbolFiles": []any{5}}}}, errConfig, `"targets": entry 1: "symbolFiles": entry 1: give a path`},
		{"wrong limit", config{"executable": image, "gdbTarget": "x", "hardwareBreakpoints": true}, errConfig, `"hardwareBreakpoints" has the wrong type`},
		{"target without address", config{"executable": image, "gdbTarget": "x", "targets": []any{config{"name": "core 1"}}}, errConfig, `entry 1 lacks "gdbTarget"`},
		{"nobody listens", config{"executable": image, "gdbTarget": "127.0.0.1:1"}, errConnect, `"gdbTarget": connect to 127.0.0.1:1: nothing listens`},
		{"image is a number", config{"executable": 5}, errConfig, `"executable" has the wrong type: give a path in quotes`},
		{"cwd is a list", config{"cwd": []string{"x"}}, errConfig, `"cwd" has the wrong type`},
		{"two images", config{"executable": image, "program": text}, errConfig, "another name for the same attribute"},
		{"two dumps", config{"coreFile": core, "coreDumpPath": text}, errConfig, "give one of them"},
		{"no such image", config{"executable": dir + "/none.elf", "coreFile": core}, errFile, "there is no file " + dir + "/none.elf: correct the path"},
		{"no such dump", config{"executable": image, "coreFile": "none.core", "cwd": dir}, errFile, `"coreFile": there is no file ` + dir + "/none.core"},
		{"variable left", config{"executable": "${workspaceFolder}/fw.elf", "coreFile": core}, errFile, "the editor did not replace the variable"},
		{"image is a folder", config{"executable": dir, "coreFile": core}, errFile, "is a folder: give the file in it"},
		{"image is a text", config{"executable": text, "coreFile": core}, errOpenImage, text + " cannot be opened as the ELF image: "},
		{"dump is a text", config{"executable": image, "coreFile": text}, errOpenDump, text + " cannot be opened as the crash dump: "},
		{"two addresses", config{"executable": image, "coreFile": core + "@16", "coreFileBase": "32"}, errConfig, "give one of them"},
		{"wrong address", config{"executable": image, "coreFile": core, "coreFileBase": "here"}, errConfig, "an address like"},
		{"wrong crash", config{"executable": image, "coreFile": core, "crash": "last"}, errConfig, "the number of a crash"},
		{"no such crash", config{"executable": image, "coreFile": text, "crash": 2}, errOpenDump, text + " cannot be opened"},
		{"wrong list", config{"executable": image, "coreFile": core, "with": core}, errConfig, "a list like"},
		{"no such part", config{"executable": image, "coreFile": core, "with": []string{dir + "/none"}}, errFile, `"with": entry 1: there is no file`},
		{"wrong registers", config{"executable": image, "coreFile": core, "registers": []string{}}, errConfig, "an object like"},
		{"wrong register", config{"executable": image, "coreFile": core, "registers": map[string]any{"eax": 1}}, errConfig, `"eax" is no register`},
		{"wrong value", config{"executable": image, "coreFile": core, "registers": map[string]any{"pc": "x"}}, errConfig, `the value of "pc"`},
		{"swapped", config{"executable": core, "coreFile": image}, errOpenImage, "give the firmware ELF first and the dump second"},
		{"dump is an image", config{"executable": image, "coreFile": image}, errOpenDump, "not a core file"},
		{"map is a string", config{"sourceFileMap": "a=b"}, errConfig, `"sourceFileMap" has the wrong type: give an object like`},
		{"map entry is a number", config{"sourceFileMap": config{"/a": 1}}, errConfig, `has the wrong type: give a path in quotes`},
		{"list is an object", config{"substitutePath": config{}}, errConfig, `"substitutePath" has the wrong type: give a list like`},
		{"list entry lacks to", config{"substitutePath": []config{{"from": "/a"}}}, errConfig, `entry 1 lacks "from" or "to"`},
		{"trace is a list", config{"trace": []int{}}, errConfig, `"trace" has the wrong type: give true or false`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := startAdapter(t, nil)
			must(c.Initialize())(t)
			for name, launch := range map[string]func(map[string]any) error{"launch": c.Launch, "attach": c.Attach} {
				e := wantError(t, launch(test.config), test.id)
				if !strings.Contains(e.Text, test.want) {
					t.Errorf("%s: error text\n%q lacks\n%q", name, e.Text, test.want)
				}
				if !e.ShowUser || strings.Contains(e.Text, "\n") {
					t.Errorf("%s: %q is not one line for the user", name, e.Text)
				}
			}
			// The session goes on: the user corrects the configuration.
			if err := c.Launch(config{"executable": image, "coreFile": core}); err != nil {
				t.Errorf("launch after the failure: %v", err)
			}
		})
	}
}

func TestParseConfig(t *testing.T) {
	t.Parallel()
	image, core := demoImage(t), demoCore(t)
	dir := filepath.Dir(image)
	platform := runtime.GOOS
	if platform == "darwin" {
		platform = "osx"
	}
	files := `"executable":` + quoted(image) + `,"coreFile":` + quoted(core)
	for _, test := range []struct {
		name, json string
		want       launchConfig
	}{
		{"relative to cwd", `{"program":"fw.elf","coreDumpPath":"crash.core","cwd":` + quoted(dir) + `}`,
			launchConfig{executable: image, coreFile: core, cwd: dir}},
		{"same path twice", `{"program":` + quoted(image) + `,"coreFilePath":` + quoted(core) + `,` + files + `}`,
			launchConfig{executable: image, coreFile: core}},
		{"path rules", `{` + files + `,"sourceFileMap":{"/a":"/x","/a/b":{"editorPath":"/y","useForBreakpoints":true}},"substitutePath":[{"from":"/a/b/c","to":""}]}`,
			launchConfig{executable: image, coreFile: core, rules: []session.PathRule{{From: "/a/b/c"}}, sourceMap: map[string]string{"/a": "/x", "/a/b": "/y"}}},
		{"trace", `{` + files + `,"trace":true}`, launchConfig{executable: image, coreFile: core, trace: true}},
		{"trace level", `{` + files + `,"trace":"verbose"}`, launchConfig{executable: image, coreFile: core, trace: true}},
		{"trace off", `{` + files + `,"trace":"off"}`, launchConfig{executable: image, coreFile: core}},
		{"platform", `{"executable":"/none","coreFile":` + quoted(core) + `,"` + platform + `":{"executable":` + quoted(image) + `}}`,
			launchConfig{executable: image, coreFile: core}},
		{"parts of a crash", `{"executable":` + quoted(image) + `,"coreFile":"crash.core@0x20000000","crash":2,"with":["fw.elf@16","crash.core"],"registers":{"pc":"0x8001234","SP":4096},"cwd":` + quoted(dir) + `}`,
			launchConfig{executable: image, coreFile: core, cwd: dir, dumpParts: dumpParts{
				crash: 2, base: 0x20000000, hasBase: true,
				with:      []session.DumpSource{{Path: image, Base: 16, HasBase: true}, {Path: core}},
				registers: map[string]uint32{"pc": 0x8001234, "SP": 4096},
			}}},
		{"address of the dump", `{` + files + `,"coreFileBase":"0x20000000"}`,
			launchConfig{executable: image, coreFile: core, dumpParts: dumpParts{base: 0x20000000, hasBase: true}}},
		{"address as a number, and twice", `{"executable":` + quoted(image) + `,"coreFile":` + quoted(core+"@0x20000000") + `,"coreFileBase":536870912}`,
			launchConfig{executable: image, coreFile: core, dumpParts: dumpParts{base: 0x20000000, hasBase: true}}},
		{"no address", `{` + files + `,"coreFileBase":""}`, launchConfig{executable: image, coreFile: core}},
		{"no part of a dump", `{` + files + `,"servertype":"external","runToEntryPoint":"main","preLaunchCommands":["monitor halt"]}`,
			launchConfig{executable: image, coreFile: core, liveParts: liveParts{
				serverType: "external", runTo: "main", commands: commandLists{"preLaunchCommands": {"monitor halt"}},
			}}},
		{"unknown attributes", `{` + files + `,"corefile":"x","name":"n","type":"pushmask","__sessionId":"1","svdFile":"x.svd","rttConfig":{},"zebra":1}`,
			launchConfig{executable: image, coreFile: core, svdFile: "x.svd", unknown: []string{"corefile", "zebra"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseConfig("", []byte(test.json))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, compareConfigs); diff != "" {
				t.Errorf("configuration differs (-want +got):\n%s", diff)
			}
		})
	}
}

// compareConfigs compares configurations by what was read out of the attributes.
var compareConfigs = cmp.Options{
	cmp.AllowUnexported(launchConfig{}, dumpParts{}, liveParts{}, furtherTarget{}),
	cmpopts.IgnoreFields(liveParts{}, "given"),
	cmpopts.IgnoreFields(launchConfig{}, "images"), // see TestConfigImages
}

// TestPathRules checks that substitutePath keeps its order, as in Delve, and
// that the longest prefix of sourceFileMap comes first.
func TestPathRules(t *testing.T) {
	t.Parallel()
	c := launchConfig{
		rules:     []session.PathRule{{From: "/a", To: "/first"}, {From: "/a/b/c", To: "/second"}},
		sourceMap: map[string]string{"/a": "/x", "/a/b": "/y"},
	}
	want := append(slices.Clone(c.rules), session.PathRule{From: "/a/b", To: "/y"}, session.PathRule{From: "/a", To: "/x"})
	if diff := cmp.Diff(want, c.sessionConfig().SourceMap); diff != "" {
		t.Errorf("rules differ (-want +got):\n%s", diff)
	}
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, `\`, `\\`) + `"` }

// TestUnknownAttributes checks that a misspelled attribute is named once.
func TestUnknownAttributes(t *testing.T) {
	t.Parallel()
	c := startAdapter(t, nil)
	must(c.Initialize())(t)
	config := map[string]any{"executable": demoImage(t), "coreFile": demoCore(t), "sourcefilemap": 1, "servertype": "external"}
	if err := c.Launch(config); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range c.Received() {
		if strings.Contains(string(m.Body), "ignored unknown attributes") {
			found = append(found, string(m.Body))
		}
	}
	if len(found) != 1 || !strings.Contains(found[0], "sourcefilemap") || strings.Contains(found[0], "servertype") {
		t.Errorf("messages about unknown attributes: %q", found)
	}
}

// TestOpenFailure checks that an error without a wording of its own is kept.
func TestOpenFailure(t *testing.T) {
	t.Parallel()
	cause := errors.New("boom")
	if got := (&launchConfig{}).openFailure(cause); !errors.Is(got, cause) {
		t.Errorf("openFailure = %v, want %v", got, cause)
	}
}
