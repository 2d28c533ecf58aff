package probe

import (
	"regexp"
	"strconv"
)

var pyOCD = &program{
	name:        "pyOCD",
	executables: []string{"pyocd"},
	ports:       []portName{gdbPort, telnetPort, swoPort},
	perCore:     true,
	args:        pyOCDArgs,
	// "GDB server started on port 3333 (core 0)", "GDB server listening on port 3333"
	ready: regexp.MustCompile(`GDB server (listening|started) (at|on) port`),
	// It waits for a probe and then goes on, so that hint is the last.
	hints: []hint{
		{`[Tt]arget type .* not recognized|[Uu]nknown target`, `pyOCD does not know the target: check "targetId" with "pyocd list --targets", or set "cmsisPack"`},
		{`No such file|[Ff]ailed to open.*pack`, `a file was not found: check "cmsisPack" and "serverArgs"`},
		{`unrecognized arguments|usage: pyocd`, `this version of pyOCD does not know an argument: check "serverArgs", and that pyOCD is 0.30 or later`},
		{`No ACK|[Tt]ransferTimeout|SWD/JTAG communication failure|Unexpected ACK`, noTarget},
		{
			`[Ii]nsufficient permissions|Access denied|udev`,
			"the probe may not be opened: on Linux, install pyOCD's udev rules (https://github.com/pyocd/pyOCD/tree/main/udev) and plug the probe in again",
		},
		{`No available debug probes|No connected debug probes|No probe selected|Waiting for a debug probe`, noProbe + `; check "boardId"`},
	},
}

func pyOCDArgs(c Config, ports Ports) []string {
	args := []string{
		"gdbserver",
		"--port", strconv.Itoa(ports.first(gdbPort)),
		"--telnet-port", strconv.Itoa(ports.first(telnetPort)),
	}
	if c.BoardID != "" {
		args = append(args, "--board", c.BoardID)
	}
	if c.TargetID != "" {
		args = append(args, "--target", c.TargetID)
	}
	if c.CMSISPack != "" {
		args = append(args, "--pack", c.CMSISPack)
	}
	return append(args, c.Args...)
}
