package probe

import "strconv"

var qemu = &program{
	name:        "QEMU",
	executables: []string{"qemu-system-arm"},
	ports:       []portName{gdbPort},
	check: func(c Config) (attribute, msg string) {
		if c.Executable == "" {
			return "executable", "must be the ELF that QEMU runs"
		}
		return "", ""
	},
	args: qemuArgs,
	hints: []hint{
		{`unsupported machine type`, `QEMU has no such "machine": see "qemu-system-arm -machine help"`},
		{`(?i)unable to find CPU model|invalid CPU (type|model)|can only be used with CPU`, `"cpu" is wrong for the "machine": leave it out, or see "qemu-system-arm -cpu help"`},
		{`(?i)could not load kernel|could not load elf|loading .*failed`, `QEMU cannot read the file: check "executable"`},
		{`invalid option|unknown option|requires an argument`, `QEMU does not know an option: check "serverArgs"`},
	},
}

// What Cortex-Debug takes when a configuration has neither machine nor cpu.
const (
	qemuMachine = "lm3s6965evb"
	qemuCPU     = "cortex-m3"
)

// qemuArgs differs from Cortex-Debug in two points: QEMU listens to this
// machine alone, not to the whole network; and a machine without a cpu keeps
// the processor that it has, since QEMU refuses a wrong one.
func qemuArgs(c Config, ports Ports) []string {
	machine, cpu := c.Machine, c.CPU
	if machine == "" {
		machine = qemuMachine
		if cpu == "" {
			cpu = qemuCPU
		}
	}
	var args []string
	if cpu != "" {
		args = append(args, "-cpu", cpu)
	}
	args = append(args,
		"-machine", machine,
		"-nographic",
		"-semihosting-config", "enable=on,target=native",
		"-gdb", "tcp:"+loopback+":"+strconv.Itoa(ports.first(gdbPort)),
		"-S",
		"-kernel", c.Executable,
	)
	return append(args, c.Args...)
}
