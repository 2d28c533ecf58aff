package dap

import "strings"

// ignoredAttributes are known and have no effect here: those of the editor and
// its extensions, those of gdb, and those that only core/probe reads.
var ignoredAttributes = wordSet(`
	name type request presentation preLaunchTask postDebugTask internalConsoleOptions
	debugServer serverReadyAction restart console suppressMultipleSessionWarning
	windows osx linux env envFile args environment mode workspaceFolder

	device deviceName numberOfProcessors targetProcessor rtos
	gdbInterruptMode overrideGDBServerStartedRegex
	debuggerArgs gdbPath armToolchainPath toolchainPrefix objdumpPath
	serverpath serverArgs serverCwd configFiles searchDir openOCDLaunchCommands
	openOCDPreConfigLaunchCommands interface serialNumber ipAddress jlinkscript boardId
	cmsisPack targetId BMPGDBSerialPort powerOverBMP stlinkPath stm32cubeprogrammer v1
	cpu machine ctiOpenOCDConfig showDevDebugTimestamps
	svdAddrGapThreshold gdbServerConsolePort registerUseNaturalFormat variableUseNaturalFormat
	hostConfig serialConfig debugFlags cliOptions
`)

// ignored reports whether an attribute belongs to the editor itself, or to
// Cortex-Debug and its successor mcu-debug for what is not needed here.
func ignored(name string) bool {
	return ignoredAttributes[name] || strings.HasPrefix(name, "__") || strings.HasPrefix(name, "pvt")
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
