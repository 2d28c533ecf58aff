package dap

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"

	"pushmask/core/gdbcommand"
	"pushmask/core/session"
)

// liveParts is what a launch configuration says of a live target. The
// attributes and their meaning are those of Cortex-Debug.
type liveParts struct {
	request    string // "launch" or "attach"
	gdbTarget  string
	serverType string // in lower case, "" where none is given

	symbolFiles []symbolFile // nil where not given
	loadFiles   []string     // nil where not given: the image
	commands    commandLists
	runTo       string // the function at which a launch stops first, "" for none

	breakAfterReset bool
	stopAtEntry     bool
	noDebug         bool
	breakpoints     hardwareUse
	watchpoints     hardwareUse
	tracePackets    bool
	liveWatch       bool
	targets         []furtherTarget

	given  map[string]json.RawMessage // everything, for those who start servers
	unused []string                   // attributes that ask for what is not done, sorted
}

// hardwareUse says how the comparators of the debug unit are used.
type hardwareUse struct {
	Require bool // all breakpoints must be of the hardware
	Limit   int  // how many there are, 0 for as many as the stub grants
}

// furtherTarget is another machine of the same session.
type furtherTarget struct {
	Name        string          `json:"name"`
	GDBTarget   string          `json:"gdbTarget"`
	Executable  string          `json:"executable"`
	SymbolFiles json.RawMessage `json:"symbolFiles"`

	files  []symbolFile        // SymbolFiles, read
	images []session.ImageFile // that its program has, none for those of the first
}

// launching reports whether the session starts the program, rather than joins
// it.
func (c *liveParts) launching() bool { return c.request == "launch" }

// commandLists are lists of gdb commands by the attribute that holds them. An
// attribute that is absent differs from an empty list.
type commandLists map[string][]string

// commandAliases are the lists with the older names of some of them
// (Cortex-Debug, package.json, "preRestartCommands").
var commandAliases = map[string]string{
	"preAttachCommands": "", "overrideAttachCommands": "", "postAttachCommands": "",
	"preLaunchCommands": "", "overrideLaunchCommands": "", "postLaunchCommands": "",
	"preResetCommands": "", "overrideResetCommands": "", "postResetCommands": "",
	"postStartSessionCommands": "", "postResetSessionCommands": "", "overridePreEndSessionCommands": "",
	"preRestartCommands":         "preResetCommands",
	"overrideRestartCommands":    "overrideResetCommands",
	"postRestartCommands":        "postResetCommands",
	"postRestartSessionCommands": "postResetSessionCommands",
}

// liveAttributes lists the attributes that have an effect on a live target.
var liveAttributes = liveSetters()

func liveSetters() map[string]setter {
	list := map[string]setter{
		"gdbTarget":             setPath(func(c *launchConfig) *string { return &c.gdbTarget }),
		"servertype":            setServerType,
		"symbolFiles":           setSymbolFiles,
		"loadFiles":             setLoadFiles,
		"runToEntryPoint":       setText(func(c *launchConfig) *string { return &c.runTo }),
		"runToMain":             setRunToMain,
		"breakAfterReset":       setFlag(func(c *launchConfig) *bool { return &c.breakAfterReset }),
		"stopAtEntry":           setFlag(func(c *launchConfig) *bool { return &c.stopAtEntry }),
		"stopOnEntry":           setFlag(func(c *launchConfig) *bool { return &c.stopAtEntry }),
		"noDebug":               setFlag(func(c *launchConfig) *bool { return &c.noDebug }),
		"hardwareBreakpoints":   setHardware(func(c *launchConfig) *hardwareUse { return &c.breakpoints }),
		"hardwareWatchpoints":   setHardware(func(c *launchConfig) *hardwareUse { return &c.watchpoints }),
		"showDevDebugOutput":    setPacketTrace,
		"liveWatch":             setLiveWatch,
		"targets":               setTargets,
		"rttConfig":             unusedWhenEnabled,
		"swoConfig":             unusedWhenEnabled,
		"chainedConfigurations": unusedWhenEnabled,
		"graphConfig":           unusedWhenFilled,
	}
	for name := range commandAliases {
		list[name] = setCommands
	}
	return list
}

func setCommands(c *launchConfig, name string, raw json.RawMessage) error {
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil {
		return wrongType(name, `a list of gdb commands like ["monitor reset halt"]`)
	}
	if to := commandAliases[name]; to != "" {
		if _, both := c.given[to]; both {
			return nil
		}
		name = to
	}
	if c.commands == nil {
		c.commands = commandLists{}
	}
	c.commands[name] = list
	return nil
}

func setServerType(c *launchConfig, name string, raw json.RawMessage) error {
	var t string
	if err := json.Unmarshal(raw, &t); err != nil {
		return wrongType(name, `a word like "openocd" or "external"`)
	}
	c.serverType = strings.ToLower(t)
	return nil
}

func setRunToMain(c *launchConfig, name string, raw json.RawMessage) error {
	var on bool
	if err := json.Unmarshal(raw, &on); err != nil {
		return wrongType(name, "true or false")
	}
	if on && c.runTo == "" {
		c.runTo = "main"
	}
	return nil
}

func setHardware(field func(*launchConfig) *hardwareUse) setter {
	return func(c *launchConfig, name string, raw json.RawMessage) error {
		h := field(c)
		if err := json.Unmarshal(raw, h); err != nil || h.Limit < 0 {
			return wrongType(name, `an object like {"require": true, "limit": 6}`)
		}
		return nil
	}
}

// setPacketTrace accepts the levels of Cortex-Debug: all but "none" ask for the
// traffic with the server.
func setPacketTrace(c *launchConfig, name string, raw json.RawMessage) error {
	var level string
	if json.Unmarshal(raw, &c.tracePackets) == nil {
		return nil
	}
	if json.Unmarshal(raw, &level) != nil {
		return wrongType(name, `"none" or "raw"`)
	}
	c.tracePackets = level != "" && level != "none"
	return nil
}

func setLiveWatch(c *launchConfig, name string, raw json.RawMessage) error {
	var w struct{ Enabled bool }
	if err := json.Unmarshal(raw, &w); err != nil {
		return wrongType(name, `an object like {"enabled": true}`)
	}
	c.liveWatch = w.Enabled
	return nil
}

// unusedWhenEnabled notes an object that asks for something with "enabled".
func unusedWhenEnabled(c *launchConfig, name string, raw json.RawMessage) error {
	var o struct{ Enabled bool }
	if json.Unmarshal(raw, &o) == nil && o.Enabled {
		c.unused = append(c.unused, name)
	}
	return nil
}

// unusedWhenFilled notes a list that is not empty.
func unusedWhenFilled(c *launchConfig, name string, raw json.RawMessage) error {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		c.unused = append(c.unused, name)
	}
	return nil
}

func setTargets(c *launchConfig, name string, raw json.RawMessage) error {
	if err := json.Unmarshal(raw, &c.targets); err != nil {
		return wrongType(name, `a list like [{"name": "core 1", "gdbTarget": "localhost:3334"}]`)
	}
	for i := range c.targets {
		t := &c.targets[i]
		if t.GDBTarget == "" {
			return failf(errConfig, `%s lacks "gdbTarget"`, entry(quote(name), i))
		}
		if len(t.SymbolFiles) == 0 {
			continue
		}
		var err error
		if t.files, err = parseSymbolFiles(entry(quote(name), i)+`: "symbolFiles"`, "symbolFiles", t.SymbolFiles); err != nil {
			return err
		}
	}
	return nil
}

func setLoadFiles(c *launchConfig, name string, raw json.RawMessage) error {
	c.loadFiles = []string{}
	if err := json.Unmarshal(raw, &c.loadFiles); err != nil {
		return wrongType(name, `a list like ["build/fw.hex"]`)
	}
	return nil
}

func setText(field func(*launchConfig) *string) setter {
	return func(c *launchConfig, name string, raw json.RawMessage) error {
		if err := json.Unmarshal(raw, field(c)); err != nil {
			return wrongType(name, "a text in quotes")
		}
		return nil
	}
}

func setFlag(field func(*launchConfig) *bool) setter {
	return func(c *launchConfig, name string, raw json.RawMessage) error {
		if err := json.Unmarshal(raw, field(c)); err != nil {
			return wrongType(name, "true or false")
		}
		return nil
	}
}

// startedServers are the values of "servertype" for which a program is started
// that serves the target.
var startedServers = []string{"openocd", "jlink", "pyocd", "stutil", "stlink", "pe", "qemu"}

// pathRules are the rules that commands of gdb in the configuration set.
func (c *liveParts) pathRules() []session.PathRule {
	var rules []session.PathRule
	for _, name := range sortedKeys(c.commands) {
		for _, line := range gdbcommand.ParseLines(c.commands[name]) {
			if r, ok := line.Command.(gdbcommand.SubstitutePath); ok {
				rules = append(rules, session.PathRule{From: r.From, To: r.To})
			}
		}
	}
	return rules
}

// checkTarget makes sure that exactly one thing is to be debugged, and names
// the address of a server that is there already.
func (c *launchConfig) checkTarget() error {
	starts := slices.Contains(startedServers, c.serverType)
	switch {
	case c.coreFile != "" && c.gdbTarget != "":
		return failf(errConfig, `"coreFile" opens a dump and "gdbTarget" a live target: give one of them`)
	case c.coreFile != "" && starts:
		return failf(errConfig, `"coreFile" opens a dump and "servertype" %q a live target: give one of them`, c.serverType)
	case c.gdbTarget != "" && starts:
		return failf(errConfig, `"gdbTarget" names a server that runs and "servertype" %q starts one: remove "gdbTarget", or set "servertype" to "external"`, c.serverType)
	case c.coreFile != "" || starts:
		return nil
	case c.serverType == "bmp":
		return c.checkBlackMagic()
	case c.serverType != "" && c.serverType != "external":
		return failf(errConfig, `"servertype" %q is not known: give "external" with "gdbTarget", or one of %s`, c.serverType, strings.Join(append(startedServers, "bmp"), ", "))
	case c.gdbTarget == "" && c.serverType == "external":
		return failf(errConfig, `"servertype" is "external" and "gdbTarget" is missing: set it to the address of the GDB server, like "localhost:3333"`)
	case c.gdbTarget == "":
		return failf(errConfig, `nothing to debug is given: set "coreFile" to the core file, dump or log that a crash left behind, or "gdbTarget" to the address of a GDB server`)
	}
	return nil
}

// checkBlackMagic finds the serial device on which a Black Magic Probe serves.
func (c *launchConfig) checkBlackMagic() error {
	if c.gdbTarget != "" {
		return nil
	}
	_ = json.Unmarshal(c.given["BMPGDBSerialPort"], &c.gdbTarget) // a wrong type is as good as none
	if c.gdbTarget == "" {
		return failf(errConfig, `"servertype" is "bmp": set "BMPGDBSerialPort" to the serial device of the probe, like %q`, exampleSerial())
	}
	return nil
}

func exampleSerial() string {
	if runtime.GOOS == "windows" {
		return "COM3"
	}
	return "/dev/ttyACM0"
}

// checkLive resolves the files that only a live target has, and chooses what is
// loaded.
func (c *launchConfig) checkLive() error {
	for i, f := range c.loadFiles {
		src := session.ParseSource(c.fromCwd(f))
		if err := c.checkFile(entry(quote("loadFiles"), i), &src.Path); err != nil {
			return err
		}
		c.loadFiles[i] = src.Path
		if src.HasBase {
			c.loadFiles[i] += "@" + src.Base.String()
		}
	}
	if c.loadFiles == nil && c.executable != "" {
		c.loadFiles = []string{c.executable}
	}
	for i := range c.targets {
		t, label := &c.targets[i], entry(quote("targets"), i)
		if t.Executable != "" {
			if err := c.checkFile(label+`: "executable"`, &t.Executable); err != nil {
				return err
			}
		}
		if t.Executable == "" && len(t.files) == 0 {
			continue
		}
		var err error
		if t.images, err = c.placed(label+`: "symbolFiles"`, t.Executable, t.files); err != nil {
			return err
		}
	}
	return nil
}
