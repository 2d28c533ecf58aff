package probe

import (
	"regexp"
	"strconv"
)

var stUtil = &program{
	name:        "st-util",
	executables: []string{"st-util"},
	ports:       []portName{gdbPort},
	perCore:     true,
	args:        stUtilArgs,
	// "Listening at *:4242..."
	ready: regexp.MustCompile(`Listening at \*`),
	hints: []hint{
		{`Couldn't find any ST-Link|unable to find|ST-Link .*not found`, noProbe + `; check "serialNumber", and "v1" for an ST-LINK V1`},
		{`[Aa]ccess denied|LIBUSB_ERROR_ACCESS|Could not open USB device`, "the probe may not be opened: on Linux, install the udev rules of the stlink project and plug the probe in again; close other programs that use the probe"},
		{`Failed to connect to target|unknown chip id|Failed to enter SWD|target voltage`, noTarget},
	},
}

func stUtilArgs(c Config, ports Ports) []string {
	args := []string{"-p", strconv.Itoa(ports.first(gdbPort)), "--no-reset"}
	if c.STLinkV1 {
		args = append(args, "--stlinkv1")
	}
	if c.SerialNumber != "" {
		args = append(args, "--serial", c.SerialNumber)
	}
	return append(args, c.Args...)
}
