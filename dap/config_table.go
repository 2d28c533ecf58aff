package dap

import "strings"

// ignoredAttributes are known and have no effect on a dump.
var ignoredAttributes = wordSet(`
	name type request presentation preLaunchTask postDebugTask internalConsoleOptions
	debugServer serverReadyAction noDebug restart console suppressMultipleSessionWarning
	windows osx linux env envFile args environment stopAtEntry stopOnEntry mode
	workspaceFolder

	servertype symbolFiles loadFiles svdFile svdPath device deviceName
	preAttachCommands postAttachCommands overrideAttachCommands
	preLaunchCommands postLaunchCommands overrideLaunchCommands
	preResetCommands postResetCommands overrideResetCommands postResetSessionCommands
	preRestartCommands postRestartCommands overrideRestartCommands postRestartSessionCommands
	postStartSessionCommands overridePreEndSessionCommands
	runToEntryPoint runToMain breakAfterReset numberOfProcessors targetProcessor
	chainedConfigurations rtos rttConfig swoConfig graphConfig liveWatch
	hardwareBreakpoints hardwareWatchpoints gdbInterruptMode overrideGDBServerStartedRegex
	debuggerArgs gdbPath armToolchainPath toolchainPrefix objdumpPath
	serverpath serverArgs serverCwd configFiles searchDir openOCDLaunchCommands
	openOCDPreConfigLaunchCommands interface serialNumber ipAddress jlinkscript boardId
	cmsisPack targetId BMPGDBSerialPort powerOverBMP stlinkPath stm32cubeprogrammer v1
	cpu machine ctiOpenOCDConfig showDevDebugOutput showDevDebugTimestamps
	svdAddrGapThreshold gdbServerConsolePort registerUseNaturalFormat variableUseNaturalFormat
	hostConfig serialConfig debugFlags cliOptions
`)

// ignored reports whether an attribute belongs to the editor itself, or to
// Cortex-Debug and its successor mcu-debug for what a dump has no use for.
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
