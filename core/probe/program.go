package probe

import (
	"regexp"
	"time"
)

// program is a server that runs on this machine.
type program struct {
	name string // for people

	// executables are the names under which it may be in PATH, the preferred
	// first. find, when it is set, knows where installers put it.
	executables []string
	find        func(Config) string

	ports   []portName // that its command line has, in the order of their numbers
	perCore bool       // it serves every core on ports of its own

	check func(Config) (attribute, msg string) // what is wrong, "" for nothing
	args  func(Config, Ports) []string         // without Config.Args

	// ready matches the line with which it says that it accepts connections;
	// nil when it does not say and its port has to be tried.
	ready *regexp.Regexp
	// fatal matches a line after which it will not become ready, although it
	// goes on; nil when it ends then.
	fatal *regexp.Regexp
	// settle is how long it takes from that line until it does.
	settle time.Duration
	// ownDir: it has to run in the folder of its executable.
	ownDir bool

	hints []hint
}

// programs are the servers that [Start] starts.
var programs = map[Type]*program{
	OpenOCD: openOCD, JLink: jLink, PyOCD: pyOCD, STUtil: stUtil, STLink: stLink, PE: peMicro, QEMU: qemu,
}
