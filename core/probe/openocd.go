package probe

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// openOCDRTOS are the systems that OpenOCD knows (src/rtos/rtos.c), spelled as
// there.
var openOCDRTOS = []string{
	"auto", "FreeRTOS", "ThreadX", "chibios", "Chromium-EC", "eCos", "embKernel", "hwthread", "linux", "mqx",
	"nuttx", "RIOT", "uCOS-III", "Zephyr",
}

var openOCD = &program{
	name:        "OpenOCD",
	executables: []string{"openocd"},
	ports:       []portName{gdbPort, tclPort, telnetPort, swoPort},
	perCore:     true,
	check: func(c Config) (attribute, msg string) {
		switch {
		case len(c.ConfigFiles) == 0 && len(c.Args) == 0 && len(c.LaunchCommands) == 0:
			return "configFiles", `needs at least one file, such as "interface/stlink.cfg"`
		case c.RTOS != "" && !slices.Contains(openOCDRTOS, c.RTOS):
			return "rtos", "must be one of " + strings.Join(openOCDRTOS, ", ")
		}
		return "", ""
	},
	args: openOCDArgs,
	// "Info : Listening on port 3333 for gdb connections"; "gdb connection" is
	// in all versions.
	ready: regexp.MustCompile(`(?i)info\s*:.*listening on port \d+ for gdb connection`),
	fatal: regexp.MustCompile(`couldn't bind gdb`),
	hints: []hint{
		{`Can't find (\S+)`, `the file "$1" was not found: check "configFiles", and that "searchDir" has its folder`},
		{
			`LIBUSB_ERROR_ACCESS|[Ii]nsufficient permissions|Access denied`,
			"the probe may not be opened: on Linux, install OpenOCD's udev rules and plug the probe in again; on Windows, check its driver",
		},
		{
			`unable to find a matching CMSIS-DAP device|no device found|No J-Link device found|unable to open (ftdi|libusb) device|Error: open failed|couldn't find`,
			noProbe + `; check the interface file in "configFiles"`,
		},
		{
			`init mode failed|cannot read IDR|[Ii]nvalid ACK|IR capture error|unable to connect to the target|target voltage may be too low|UNEXPECTED idcode|examination failed`,
			noTarget + `; check the target file in "configFiles" and lower the "adapter speed"`,
		},
		{`[Ii]nvalid command name|wrong # args|syntax error`, `a command of "configFiles", "openOCDLaunchCommands" or "serverArgs" is wrong for this version of OpenOCD`},
	},
}

// openOCDArgs differs from Cortex-Debug in two points: the commands of its file
// openocd-helpers.tcl are written out where they are needed ("-rtos"), and memory
// that cannot be read is an error instead of zeros, which would be taken for its
// contents. That is a command of the configuration stage (gdb_server.c,
// gdb_subcommand_handlers, COMMAND_CONFIG); before the files, it leaves them the
// last word.
func openOCDArgs(c Config, ports Ports) []string {
	args := []string{
		"-c", "gdb_port " + strconv.Itoa(ports.first(gdbPort)),
		"-c", "tcl_port " + strconv.Itoa(ports.first(tclPort)),
		"-c", "telnet_port " + strconv.Itoa(ports.first(telnetPort)),
		"-c", "gdb_report_data_abort enable",
	}
	dirs := c.SearchDirs
	if len(dirs) == 0 && c.Dir != "" {
		dirs = []string{c.Dir}
	}
	args = appendEach(args, "-s", dirs)
	args = appendEach(args, "-c", c.PreConfigCommands)
	args = appendEach(args, "-f", c.ConfigFiles)
	if c.RTOS != "" {
		args = append(args, "-c", "[target current] configure -rtos "+c.RTOS)
	}
	// Cortex-Debug has serverArgs before these.
	args = append(args, c.Args...)
	return appendEach(args, "-c", c.LaunchCommands)
}

// appendEach appends option and value for each value.
func appendEach(args []string, option string, values []string) []string {
	for _, v := range values {
		args = append(args, option, v)
	}
	return args
}
