package probe

import (
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// jLinkRTOS are the systems for which J-Link brings a plugin.
var jLinkRTOS = []string{"Azure", "ChibiOS", "embOS", "FreeRTOS", "NuttX", "Zephyr"}

var jLink = &program{
	name:        "J-Link GDB Server",
	executables: []string{"JLinkGDBServerCLExe", "JLinkGDBServerCL", "JLinkGDBServer"},
	ports:       []portName{gdbPort, swoPort, telnetPort},
	perCore:     true,
	check: func(c Config) (attribute, msg string) {
		if c.Device == "" {
			return "device", "must name the target, see https://www.segger.com/supported-devices/jlink/"
		}
		return "", ""
	},
	args:  jLinkArgs,
	ready: regexp.MustCompile(`(?i)waiting for gdb connection`),
	// It prints the line before it can serve a client, which then reads
	// registers as 0xdeadbeef (Cortex-Debug pull request 488).
	settle: 500 * time.Millisecond,
	hints: []hint{
		{`(?i)connecting to j-?link failed|could not connect to j-?link|no emulators? connected|cannot connect to j-?link`, noProbe + `; check "serialNumber" and "ipAddress"`},
		{`(?i)unknown device|device .*(unknown|not supported)|failed to (get|set) device`, `J-Link does not know the target: check "device" against https://www.segger.com/supported-devices/jlink/`},
		{`(?i)could not connect to target|connecting to target failed|target voltage too low|failed to power up`, noTarget + `; check "device" and "interface"`},
		{`(?i)(failed to open|could not open).*script`, `the file of "jlinkscript" cannot be read`},
	},
}

// jLinkArgs adds one option to Cortex-Debug's: the server would else accept
// connections from the whole network. One in serverArgs follows and wins.
func jLinkArgs(c Config, ports Ports) []string {
	args := []string{
		"-singlerun", "-nogui",
		"-if", c.wire(),
		"-port", strconv.Itoa(ports.first(gdbPort)),
		"-swoport", strconv.Itoa(ports.first(swoPort)),
		"-telnetport", strconv.Itoa(ports.first(telnetPort)),
		"-device", c.Device,
		"-localhostonly", "1",
	}
	switch {
	case c.SerialNumber != "":
		args = append(args, "-select", "usb="+c.SerialNumber)
	case c.IPAddress != "":
		args = append(args, "-select", "ip="+c.IPAddress)
	}
	if c.RTOS != "" {
		args = append(args, "-rtos", jLinkPlugin(c.RTOS, runtime.GOOS))
	}
	if c.JLinkScript != "" {
		args = append(args, "-jlinkscriptfile", c.JLinkScript)
	}
	return append(args, c.Args...)
}

// jLinkPlugin returns the path of a plugin of J-Link's own, or that of the
// user's.
func jLinkPlugin(rtos, system string) string {
	if !slices.Contains(jLinkRTOS, rtos) {
		return rtos
	}
	extension := map[string]string{"windows": ".dll", "darwin": ".dylib"}[system]
	if extension == "" {
		extension = ".so"
	}
	return "GDBServer/RTOSPlugin_" + rtos + extension
}
