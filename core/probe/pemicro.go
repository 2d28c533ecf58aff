package probe

import (
	"regexp"
	"strconv"
)

var peMicro = &program{
	name:        "PEmicro GDB Server",
	executables: []string{"pegdbserver_console"},
	ports:       []portName{gdbPort, swoPort, telnetPort},
	perCore:     true,
	check: func(c Config) (attribute, msg string) {
		switch {
		case c.Device == "":
			return "device", `must name the target, see "pegdbserver_console -devicelist"`
		case len(c.ConfigFiles) > 1:
			return "configFiles", "may have one file at most"
		}
		return "", ""
	},
	args:  peMicroArgs,
	ready: regexp.MustCompile(`All Servers Running`),
	hints: []hint{
		{`(?i)no (hardware|interface|probe)|unable to find.*(hardware|interface)|could not (find|open)`, noProbe + `; check "ipAddress" for a probe in the network`},
		{`(?i)device .*(not found|unknown|invalid)`, `the server does not know the target: check "device" with "pegdbserver_console -devicelist"`},
		{`(?i)error .*(enter|connect|communicat)`, noTarget},
	},
}

func peMicroArgs(c Config, ports Ports) []string {
	args := []string{
		"-startserver", "-singlesession",
		"-device=" + c.Device,
		"-serverport=" + strconv.Itoa(ports.first(gdbPort)),
	}
	if c.IPAddress != "" {
		args = append(args, "-serverip="+c.IPAddress)
	}
	if c.RTOS != "" {
		args = append(args, "-kernal="+c.RTOS) // the option is spelled so
	}
	if c.wire() == "jtag" {
		args = append(args, "-usejtag")
	}
	if len(c.ConfigFiles) > 0 {
		args = append(args, "-configfile="+c.ConfigFiles[0])
	}
	return append(args, c.Args...)
}
