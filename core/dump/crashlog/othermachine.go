package crashlog

import (
	"strings"

	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// otherMachine finds the reports of machines that are not 32-bit ARM, so that
// they can be refused by name.
type otherMachine struct {
	machine string
	c       crash.Crash
}

// otherMachines are texts that only reports of one machine have: ESP-IDF's
// (components/esp_system/panic.c), Zephyr's (arch/*/core/fatal.c), those of Arduino
// for the ESP8266 (core_esp8266_postmortem.cpp) and of Linux (arch/x86/kernel).
var otherMachines = []struct{ text, machine string }{
	{"EXCVADDR", "Xtensa"}, {"EXCCAUSE", "Xtensa"}, {"MTVAL   :", "RISC-V"}, {"MEPC    :", "RISC-V"},
	{" mcause: ", "RISC-V"}, {"ELR_ELn: 0x", "AArch64"}, {"ESR_ELn: 0x", "AArch64"},
	{`"Synchronous Abort" handler`, "AArch64"}, {"sp_el0 0", "AArch64"}, {" elr 00000000", "AArch64"},
	{"epc1=0x", "Xtensa"}, {"RIP: 0010:", "x86-64"}, {"EIP: 0060:", "x86"},
}

// otherRegisters are names of registers that 32-bit ARM has not, in the
// spelling of NuttX.
var otherRegisters = map[string]string{
	"EPC": "RISC-V", "RA": "RISC-V", "A0": "RISC-V", "MTVAL": "RISC-V", "SAR": "Xtensa", "PS": "Xtensa", "A12": "Xtensa", "X0": "AArch64", "X29": "AArch64",
}

var otherMachineFormat = format{
	name: "crash report",
	begins: func(text string) bool {
		return strings.HasPrefix(text, "Guru Meditation Error: Core") || otherMachineOf(text) != ""
	},
	read: func() reading { return &otherMachine{} },
}

func otherMachineOf(text string) string {
	for _, m := range otherMachines {
		if strings.Contains(text, m.text) {
			return m.machine
		}
	}
	return ""
}

func (o *otherMachine) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	if strings.HasPrefix(text, "Guru Meditation Error: Core") {
		if o.c.Cause != "" || o.machine != "" {
			return next
		}
		o.c.Cause = text
		return part
	}
	if m := otherMachineOf(text); m != "" {
		o.machine = m
		return part
	}
	// The registers of these machines have names of ARM's among them.
	if strings.Contains(text, ": 0x") {
		return part
	}
	return foreign
}

func (o *otherMachine) crash() *crash.Crash {
	if o.machine == "" {
		return nil
	}
	o.c.Refused = crash.NotARM(o.machine)
	return &o.c
}
