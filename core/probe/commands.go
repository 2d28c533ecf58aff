package probe

import "strings"

// Commands are what Cortex-Debug sends to a server of a type unless the
// configuration overrides it: command lines of gdb.
type Commands struct {
	Connect []string // once, after the connection

	// A launch executes BeforeLaunch; when files are loaded BeforeLoad and the
	// loading; then AfterLoad.
	BeforeLaunch, BeforeLoad, AfterLoad []string
	// NoLoad: the server has loaded the executable already.
	NoLoad bool

	Attach []string
	Reset  []string
}

// Launch returns the commands of a launch. files is loadFiles: nil loads the
// executable, an empty list nothing. Paths are written with slashes, as gdb
// wants them.
func (c Commands) Launch(files []string) []string {
	out := append([]string(nil), c.BeforeLaunch...)
	switch {
	case c.NoLoad || files != nil && len(files) == 0:
	case files == nil:
		out = append(append(out, c.BeforeLoad...), "load")
	default:
		out = append(out, c.BeforeLoad...)
		for _, f := range files {
			path := strings.NewReplacer(`\`, "/", `"`, `\"`).Replace(f)
			out = append(out, `load "`+path+`"`)
		}
	}
	return append(out, c.AfterLoad...)
}

// Defaults returns the commands for a configuration. Left out is what is for
// gdb alone: memory that gdb's map leaves out (pyOCD, Black Magic Probe) and
// the step that has gdb read the registers again (OpenOCD after a reset).
func Defaults(cfg Config) Commands {
	one := func(s string) []string { return []string{s} }
	switch cfg.Type {
	case JLink, STUtil:
		return Commands{
			BeforeLaunch: one("monitor halt"),
			BeforeLoad:   one("monitor reset"), AfterLoad: one("monitor reset"),
			Attach: one("monitor halt"),
			Reset:  []string{"monitor halt", "monitor reset"},
		}
	case PyOCD:
		return Commands{
			BeforeLoad: one("monitor reset halt"), AfterLoad: one("monitor reset halt"),
			Attach: one("monitor halt"),
			Reset:  one("monitor reset"),
		}
	case STLink: // --halt and --attach are on its command line
		return Commands{
			BeforeLoad: one("monitor reset"), AfterLoad: []string{"monitor reset", "monitor halt"},
			Reset: one("monitor reset"),
		}
	case PE:
		return Commands{
			BeforeLoad: one("monitor _reset"), AfterLoad: one("monitor _reset"),
			Attach: one("monitor halt"),
			Reset:  one("monitor _reset"),
		}
	case QEMU: // it stands before the first instruction of what -kernel loaded
		return Commands{NoLoad: true, Reset: []string{"monitor stop", "monitor system_reset"}}
	case BMP:
		return Commands{
			Connect:   blackMagicConnect(cfg),
			AfterLoad: one("SoftwareReset 1"),
			Reset:     one("SoftwareReset"),
		}
	}
	return Commands{ // OpenOCD, external
		BeforeLoad: one("monitor reset halt"), AfterLoad: one("monitor reset halt"),
		Attach: one("monitor halt"),
		Reset:  one("monitor reset halt"),
	}
}

// blackMagicConnect powers the target as asked, finds it and attaches to it.
func blackMagicConnect(cfg Config) []string {
	var out []string
	switch cfg.Power {
	case "enable":
		out = append(out, "monitor tpwr enable", "shell sleep 0.1")
	case "disable":
		out = append(out, "monitor tpwr disable")
	}
	if cfg.wire() == "jtag" {
		out = append(out, "monitor jtag_scan")
	} else {
		out = append(out, "monitor swdp_scan")
	}
	id := cfg.TargetID
	if id == "" {
		id = "1"
	}
	return append(out, "attach "+id)
}
