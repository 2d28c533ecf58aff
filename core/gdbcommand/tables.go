package gdbcommand

import "strings"

// reader reads the arguments of a command.
type reader = func(arguments) (Command, error)

// readers are the commands that mean something here, by their full names.
var readers = map[string]reader{
	"monitor": readMonitor, "target": readTarget, "attach": readAttach,
	"detach":     func(arguments) (Command, error) { return Detach{}, nil },
	"disconnect": func(arguments) (Command, error) { return Detach{}, nil },
	"kill":       func(arguments) (Command, error) { return Kill{}, nil },
	"load":       readLoad, "restore": readRestore,
	"flash-erase": func(a arguments) (Command, error) { return a.none(FlashErase{}) },
	"run":         func(arguments) (Command, error) { return Run{RunOn}, nil },
	"start":       func(arguments) (Command, error) { return Run{RunToMain}, nil },
	"starti":      func(arguments) (Command, error) { return Run{RunToNothing}, nil },

	"file":            choosing(File{Exec: true, Symbols: true}),
	"exec-file":       choosing(File{Exec: true}),
	"symbol-file":     choosing(File{Symbols: true}),
	"add-symbol-file": readAddSymbolFile, "remove-symbol-file": readRemoveSymbolFile, "directory": readDirectory,

	"break": breakpoint(Break{}), "tbreak": breakpoint(Break{Temporary: true}),
	"hbreak": breakpoint(Break{Hardware: true}), "thbreak": breakpoint(Break{Temporary: true, Hardware: true}),
	"watch": watchpoint(Write), "rwatch": watchpoint(Read), "awatch": watchpoint(ReadWrite),
	"delete": readDelete, "clear": readClear, "enable": enabling(false), "disable": enabling(true),
	"condition": readCondition,

	"continue": readContinue, "interrupt": func(arguments) (Command, error) { return Interrupt{}, nil },
	"step": stepping(Step{}), "next": stepping(Step{Over: true}),
	"stepi": stepping(Step{Instruction: true}), "nexti": stepping(Step{Instruction: true, Over: true}),
	"finish": readFinish, "until": readUntil, "advance": readAdvance, "jump": readJump,

	"set": readSet, "print": readPrint, "output": readOutput, "ptype": readDescribe(false), "whatis": readDescribe(true), "x": readExamine, "info": readInfo,
	"disassemble": readDisassemble, "backtrace": readBacktrace, "thread": readThread,
	"frame": readFrame, "select-frame": readFrame, "up": moving(1), "down": moving(-1),
	"up-silently": moving(1), "down-silently": moving(-1),
	"echo": readEcho, "printf": readPrintf, "shell": readShell,
	"interpreter-exec": readInterpreterExec, "with": readWith,
}

// miReaders are the GDB/MI commands with a syntax of their own.
var miReaders = map[string]reader{
	"interpreter-exec": readInterpreterExec, "break-insert": readBreakInsert, "break-watch": readBreakWatch,
	"gdb-set": unquoting("set", readSet), "data-evaluate-expression": unquoting("print", readPrint),
	"exec-until": unquoting("until", readUntil), "exec-jump": unquoting("jump", readJump),
	"break-condition": unquoting("condition", readCondition),
}

// readWith reads "SETTING -- COMMAND": the settings are about gdb's output.
func readWith(a arguments) (Command, error) {
	_, cmd, ok := strings.Cut(a.text, " -- ")
	if !ok {
		return Unsupported{Verb: a.verb, Args: a.text, Why: "it repeats the last command"}, nil
	}
	return a.inner(cmd)
}

// miSame are GDB/MI commands with the parameters of a command of the console.
var miSame = map[string]string{
	"target-download": "load", "target-select": "target", "target-attach": "attach",
	"target-detach": "detach", "target-disconnect": "disconnect", "target-flash-erase": "flash-erase",
	"file-exec-and-symbols": "file", "file-exec-file": "exec-file", "file-symbol-file": "symbol-file",
	"environment-directory": "directory",
	"exec-continue":         "continue", "exec-interrupt": "interrupt", "exec-run": "run",
	"exec-next": "next", "exec-step": "step", "exec-finish": "finish",
	"exec-next-instruction": "nexti", "exec-step-instruction": "stepi",
	"break-delete": "delete", "break-disable": "disable", "break-enable": "enable",
	"stack-list-frames": "backtrace", "stack-select-frame": "frame", "thread-select": "thread",
}

// miIgnored are GDB/MI commands about gdb itself.
var miIgnored = strings.Fields(`enable-pretty-printing enable-frame-filters list-features
	list-target-features gdb-version enable-timings inferior-tty-set gdb-exit`)

// miFamilies are the first words of GDB/MI commands.
var miFamilies = strings.Fields(`ada add break catch complete data dprintf enable environment exec file
	fix gdb inferior info interpreter list remove stack symbol target thread trace var`)

// topics are those of "info" that are printed, with what each may be followed by.
var topics = map[Topic]Argument{
	InfoRegisters: ArgumentRegisters, InfoAllRegisters: ArgumentRegisters, InfoThreads: ArgumentNone,
	InfoBreakpoints: ArgumentNone, InfoLocals: ArgumentNone, InfoArgs: ArgumentNone, InfoFrame: ArgumentNone,
	InfoFiles: ArgumentNone, InfoLine: ArgumentLocation, InfoScope: ArgumentLocation,
	InfoSymbol: ArgumentExpression, InfoAddress: ArgumentSymbol, InfoTypes: ArgumentType,
	InfoVariables: ArgumentSymbol, InfoFunctions: ArgumentSymbol,
}

// commandNames are the commands of gdb 13.1 ("complete", "help").
var commandNames = newNames(map[string]string{
	"b": "break", "br": "break", "bre": "break", "brea": "break", "bt": "backtrace", "where": "backtrace",
	"c": "continue", "fg": "continue", "cl": "clear", "d": "delete", "del": "delete", "dis": "disable", "disa": "disable",
	"do": "down", "dow": "down", "en": "enable", "exit": "quit", "f": "frame", "fin": "finish", "h": "help", "i": "info",
	"inf": "info", "inspect": "print", "j": "jump", "k": "kill", "l": "list", "mt": "maintenance",
	"n": "next", "ni": "nexti", "p": "print", "q": "quit", "r": "run", "rc": "reverse-continue", "rev": "reverse-search",
	"rn": "reverse-next", "rni": "reverse-nexti", "rs": "reverse-step", "rsi": "reverse-stepi",
	"s": "step", "si": "stepi", "t": "thread", "tb": "tbreak", "thb": "thbreak", "tp": "tracepoint",
	"u": "until", "w": "with", "forward-search": "search",
	"fo": "search", "gu": "guile", "po": "print-object", "py": "python", "pi": "python-interactive",
	"rec": "record", "tr": "tracepoint", "tra": "tracepoint", "trac": "tracepoint",
}, strings.Fields(gdbCommands))

// infoNames are the topics of "info".
var infoNames = newNames(map[string]string{
	"b": "breakpoints", "dll": "sharedlibrary", "f": "frame", "gu": "guile", "r": "registers",
	"rec": "record", "s": "stack", "tp": "tracepoints", "handle": "signals",
}, strings.Fields(gdbInfoTopics))

// settingNames are what "set" sets.
var settingNames = newNames(map[string]string{
	"var": "variable", "p": "print", "pr": "print", "c": "check", "ch": "check", "g": "gnutarget",
}, strings.Fields(gdbSettings))

// unsupportedSettings are those whose meaning would be lost if they were
// ignored.
var unsupportedSettings = map[string]string{
	"exec-direction":         "the program cannot run backwards",
	"observer":               "the session can change the target; attach to a dump for one that cannot",
	"may-write-memory":       "the session can change the target",
	"may-write-registers":    "the session can change the target",
	"may-insert-breakpoints": "the session can change the target",
	"may-interrupt":          "the session can stop the target",
	"write":                  "the executable is not written to",
}

// ignored are commands about gdb itself.
var ignored = wordSet(`add-auto-load-safe-path add-auto-load-scripts-directory alias complete
	dont-repeat focus handle help layout macro maintenance mem new-ui quit refresh
	sharedlibrary nosharedlibrary show skip tty tui undisplay unset update winheight winwidth`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// unsupportedReasons say why commands are not supported, by reason.
var unsupportedReasons = []struct {
	why   string
	block bool
	verbs map[string]bool
}{
	{"gdb's scripting language is not supported; write the commands of the script into the configuration", true,
		wordSet("define document if while python guile commands actions")},
	{"gdb scripts are not supported; write the commands of the file into the configuration", false,
		wordSet("source define-prefix eval python-interactive guile-repl end")},
	{"no other program is started; use a preLaunchTask", false, wordSet("shell pipe make edit")},
	{"no function of the program is called", false, wordSet("call compile expression print-object return")},
	{"the program cannot run backwards", false, wordSet(`reverse-continue reverse-finish reverse-next
		reverse-nexti reverse-step reverse-stepi record restart checkpoint bookmark goto-bookmark`)},
	{"the editor's Watch view shows values at every stop", false, wordSet("display explore")},
	{"the editor shows the source", false, wordSet("list search reverse-search")},
}

// whyUnsupported returns why a command that gdb has is not supported, and
// whether a block follows it.
func whyUnsupported(verb string) (why string, block bool) {
	for _, r := range unsupportedReasons {
		if r.verbs[verb] {
			return r.why, r.block
		}
	}
	return "the command is not supported", false
}

const gdbCommands = `actions add-auto-load-safe-path add-auto-load-scripts-directory add-inferior
	add-symbol-file add-symbol-file-from-memory adi advance agent-printf alias append apropos attach
	awatch backtrace bookmark break break-range call catch cd checkpoint clear clone-inferior collect
	commands compare-sections compile complete condition continue core-file define define-prefix delete
	demangle detach directory disable disassemble disconnect display document dont-repeat down
	down-silently dprintf dump echo edit enable end eval exec-file explore expression faas file find
	finish flash-erase flushregs focus frame fs ftrace function generate-core-file gcore
	goto-bookmark guile guile-repl handle hbreak help if ignore inferior info init-if-undefined
	internals interpreter-exec interrupt jit-reader-load jit-reader-unload jump kill layout list load
	macro maintenance make mem memory-tag monitor new-ui next nexti nosharedlibrary output overlay
	passcount path pipe print print-object printf ptype pwd python python-interactive queue-signal quit
	rbreak record refresh remote remove-inferiors remove-symbol-file restart restore return
	reverse-continue reverse-finish reverse-next reverse-nexti reverse-search reverse-step
	reverse-stepi run running rwatch save save-tracepoints search section select-frame set sharedlibrary shell show
	signal skip source stack start starti status step stepi stepping stop strace symbol-file taas
	target task tbreak tcatch tdump teval tfaas tfind thbreak thread tracepoint trace tsave tstart
	tstatus tstop tty tui tvariable undisplay unset until up up-silently update watch wh
	whatis while while-stepping winheight winwidth with ws x`

const gdbInfoTopics = `address all-registers args auto-load auto-load-scripts auxv breakpoints
	checkpoints classes common connections copying dcache display exceptions extensions files float
	frame frame-filter functions guile inferiors line locals macro macros mem module modules os
	pretty-printer probes proc program record registers scope selectors set sharedlibrary signals
	skip source sources stack static-tracepoint-markers symbol target tasks terminal threads
	tracepoints tvariables type-printers types unwinder variables vector vtbl warranty watchpoints win
	xmethod`

const gdbSettings = `ada agent annotate architecture args arm auto-connect-native-target auto-load auto-load-scripts
	auto-solib-add backtrace basenames-may-differ breakpoint can-use-hw-watchpoints case-sensitive
	charset check circular-trace-buffer code-cache coerce-float-to-double compile-args compile-gcc
	complaints confirm cp-abi cwd data-directory dcache debug debug-file-directory debuginfod
	default-collect demangle-style detach-on-fork directories disable-randomization
	disassemble-next-line disassembler-options disassembly-flavor disconnected-dprintf
	disconnected-tracing displaced-stepping dprintf-channel dprintf-function dprintf-style
	dump-excluded-mappings editing endian environment exec-direction exec-done-display
	exec-file-mismatch exec-wrapper extended-prompt extension-language filename-display
	follow-exec-mode follow-fork-mode fortran frame-filter gnutarget guile height
	heuristic-fence-post history host-charset index-cache inferior-tty input-radix interactive-mode
	language libthread-db-search-path listsize logging max-completions max-user-call-depth
	max-value-size may-call-functions may-insert-breakpoints may-insert-fast-tracepoints
	may-insert-tracepoints may-interrupt may-write-memory may-write-registers mem mi-async mips mipsfpu
	mpx multiple-symbols non-stop observer opaque-type-resolution osabi output-radix
	overload-resolution pagination powerpc print processor prompt python radix range-stepping ravenscar record
	remote remote-mips64-transfers-32bit-regs remoteaddresssize remotebreak remotecache remoteflow
	remotelogbase remotelogfile remotetimeout remotewritesize riscv schedule-multiple
	scheduler-locking script-extension serial sh solib-absolute-prefix solib-search-path source
	stack-cache startup-quietly startup-with-shell step-mode stop-on-solib-events struct-convention
	style substitute-path suppress-cli-notifications sysroot target-async target-charset
	target-file-system-kind target-wide-charset tcp tdesc trace-buffer-size trace-commands trace-notes
	trace-stop-notes trace-user trust-readonly-sections tui unwind-on-terminating-exception
	unwindonsignal use-coredump-filter use-deprecated-index-sections variable varsize-limit verbose
	watchdog width write`

// cortexDebugMacro knows the commands that Cortex-Debug defines in
// support/gdbsupport.init and configurations use. Those about trace are of no
// use without a consumer of the trace.
func cortexDebugMacro(word, args string) (Command, bool) {
	switch {
	case word == "SoftwareReset" && (args == "" || args == "0" || args == "1"):
		return Reset{Halt: args == "1"}, true
	case traceMacros[word]:
		return Ignored{Verb: word, Args: args}, true
	}
	return nil, false
}

var traceMacros = wordSet(`EnableITMAccess BaseSWOSetup SetITMTimestampFrequency
	SetITMTimestampPrescale EnableITMPorts DisableITMPorts SetITMId ITMGlobalEnable ITMGlobalDisable
	ITMTimestampEnable ITMTimestampDisable ITMSyncEnable ITMSyncDisable ITMDWTTransferEnable
	ITMDWTTransferDisable EnableDWTSync DisableDWTSync EnablePCSample DisablePCSample SWO_Init
	SWO_Init_Pre SWO_Init_Post`)
