// Package probe starts the GDB servers of debug probes and of QEMU the way
// Cortex-Debug does, so that a launch configuration written for it works
// unchanged: the same attributes, the same command lines, the same lines that
// tell when a server is ready, the same default commands after the connection.
// It finds free ports, hands on what the server prints, says what to check
// when a server does not start, and ends it with everything it started.
//
// What is said here of Cortex-Debug was read in its sources, version 1.13.0
// (https://github.com/Marus/cortex-debug, commit 428af021): src/openocd.ts,
// jlink.ts, pyocd.ts, stutil.ts, stlink.ts, pemicro.ts, bmp.ts, qemu.ts,
// external.ts for the servers, src/frontend/configprovider.ts for the checks
// and defaults, src/backend/server.ts and gdb.ts for ports and timeouts. Where
// this package differs, the place says so and why; docs/probes.md lists it.
package probe

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Type is the "servertype" of a configuration.
type Type string

// The server types of Cortex-Debug.
const (
	OpenOCD  Type = "openocd"
	JLink    Type = "jlink"  // SEGGER J-Link GDB Server
	PyOCD    Type = "pyocd"  // pyocd gdbserver
	STUtil   Type = "stutil" // st-util of the stlink project
	STLink   Type = "stlink" // ST-LINK_gdbserver of STMicroelectronics
	PE       Type = "pe"     // PEmicro
	QEMU     Type = "qemu"
	BMP      Type = "bmp"      // Black Magic Probe: the server is in the probe
	External Type = "external" // somebody else starts the server
)

// Types returns the server types that Cortex-Debug knows.
func Types() []Type {
	return []Type{OpenOCD, JLink, PyOCD, STUtil, STLink, PE, QEMU, BMP, External}
}

// Starts reports whether a server of the type is a program that [Start] starts.
func (t Type) Starts() bool { return programs[t] != nil }

// Name returns the name of the server for people.
func (t Type) Name() string {
	switch {
	case programs[t] != nil:
		return programs[t].name
	case t == BMP:
		return "Black Magic Probe"
	}
	return string(t)
}

// Config has the attributes of a launch configuration that concern the server,
// under their names in Cortex-Debug. The zero value of each is its default.
type Config struct {
	Type    Type              // servertype
	Attach  bool              // request is "attach"
	Dir     string            // cwd; relative paths of the others are below it
	Env     map[string]string // env: variables to set for the server
	Path    string            // serverpath: the program, or its name in PATH
	Args    []string          // serverArgs: they follow all others
	WorkDir string            // serverCwd, "" for Dir

	// StartedRegexp is overrideGDBServerStartedRegex: what the server prints
	// when it is ready, as a regular expression of Go (RE2), in any case.
	StartedRegexp string

	Executable   string // executable: the ELF, for QEMU
	Device       string // device: J-Link's or PEmicro's name of the target
	Interface    string // interface: "swd" (default), "jtag" or "cjtag"
	SerialNumber string // serialNumber of the probe
	IPAddress    string // ipAddress of a probe in the network
	RTOS         string // rtos: whose threads the server lists
	Processors   int    // numberOfProcessors, 0 for 1
	Processor    int    // targetProcessor, from 0

	ConfigFiles       []string // configFiles
	SearchDirs        []string // searchDir
	LaunchCommands    []string // openOCDLaunchCommands
	PreConfigCommands []string // openOCDPreConfigLaunchCommands

	JLinkScript string // jlinkscript
	BoardID     string // boardId
	TargetID    string // targetId: pyOCD's name of the target, BMP's number
	CMSISPack   string // cmsisPack
	Programmer  string // stm32cubeprogrammer: the folder of STM32_Programmer_CLI
	STLinkV1    bool   // v1
	CPU         string // cpu
	Machine     string // machine
	SerialPort  string // BMPGDBSerialPort
	Power       string // powerOverBMP: "enable", "disable" or "" to leave it
}

// maxProcessors is the maximum of numberOfProcessors in Cortex-Debug.
const maxProcessors = 10

// ConfigError is an attribute that the server type cannot work with.
type ConfigError struct {
	Type      Type
	Attribute string // as in the configuration: "configFiles"
	Msg       string // what it should be
}

// Error implements error.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("servertype %q: %q %s", e.Type, e.Attribute, e.Msg)
}

// check finds attributes that cannot work, for all types that start a program.
func (c Config) check() error {
	wrong := func(attribute, msg string) error { return &ConfigError{c.Type, attribute, msg} }
	p := programs[c.Type]
	if p == nil {
		return wrong("servertype", "is no server that can be started")
	}
	if c.Processors < 0 || c.Processors > maxProcessors {
		return wrong("numberOfProcessors", fmt.Sprintf("must be 1 to %d", maxProcessors))
	}
	if c.Processor < 0 || c.Processor >= maxProcessors || p.perCore && c.Processor >= c.processors() {
		return wrong("targetProcessor", "must be at least 0 and less than numberOfProcessors")
	}
	if !slices.Contains([]string{"", "swd", "jtag", "cjtag"}, c.Interface) {
		return wrong("interface", `must be "swd", "jtag" or "cjtag"`)
	}
	for _, s := range slices.Concat([]string{c.Path, c.Executable, c.Device}, c.Args, c.ConfigFiles, c.SearchDirs) {
		if strings.ContainsRune(s, 0) {
			return wrong("serverArgs", "must not have zero bytes")
		}
	}
	if p.check == nil {
		return nil
	}
	if attribute, msg := p.check(c); attribute != "" {
		return wrong(attribute, msg)
	}
	return nil
}

// processors is how many the target has.
func (c Config) processors() int { return max(c.Processors, 1) }

// wire is the debug interface, swd unless said otherwise.
func (c Config) wire() string {
	if c.Interface == "" {
		return "swd"
	}
	return c.Interface
}

// abs returns path below the configuration's folder.
func (c Config) abs(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.Dir, path)
}
