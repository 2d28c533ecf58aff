package probe

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"unicode"
)

var stLink = &program{
	name:        "ST-LINK GDB server",
	executables: []string{stLinkExecutable},
	find: func(c Config) string {
		return stLinkSystem().serverPath()
	},
	ports: []portName{gdbPort, swoPort, gapPort1, gapPort2},
	args: func(c Config, ports Ports) []string {
		return stLinkArgs(c, ports, stLinkSystem())
	},
	ready: regexp.MustCompile(`(?i)waiting for debugger connection|listening at`),
	// Its libraries are found only from there.
	ownDir: true,
	hints: []hint{
		{`(?i)no ST-?LINK (detected|device)|ST-?LINK .*not (found|detected)|Error in STLINK`, noProbe + `; check "serialNumber"`},
		{`(?i)STM32_?Cube_?Programmer|STM32_Programmer_CLI`, `STM32CubeProgrammer was not found: set "stm32cubeprogrammer" to the folder of STM32_Programmer_CLI`},
		{`(?i)error in initializing ST-?LINK device|target unknown error|no target|unable to connect`, noTarget + "; another program may use the probe"},
		{`PARSE ERROR`, `this version of the server does not know an argument: check "serverArgs"`},
	},
}

const stLinkExecutable = "ST-LINK_gdbserver"

// stLinkArgs takes targetProcessor as the access port: a server serves one
// core, whatever numberOfProcessors is.
func stLinkArgs(c Config, ports Ports, system installation) []string {
	programmer := c.Programmer
	if programmer == "" {
		programmer = system.programmerPath()
	}
	args := []string{"-p", strconv.Itoa(ports.first(gdbPort)), "-cp", programmer}
	if c.wire() == "swd" {
		args = append(args, "--swd")
	}
	if c.SerialNumber != "" {
		args = append(args, "--serial-number", c.SerialNumber)
	}
	if c.Attach {
		args = append(args, "--attach")
	}
	args = append(args, "--halt") // a reset is to halt
	if c.Processor > 0 {
		args = append(args, "-m", strconv.Itoa(c.Processor))
	}
	return append(args, c.Args...)
}

// installation knows where the installers of STMicroelectronics put things.
type installation struct {
	clt        string // the folder of STM32CubeCLT_<version>
	ide        string // the folder of STM32CubeIDE_<version>, or of its content
	inIDE      string // from there to the folder of "plugins"
	programmer string // STM32CubeProgrammer by itself
	suffix     string // of executables
}

// stLinkSystem returns the installation folders of this system.
func stLinkSystem() installation {
	home, _ := os.UserHomeDir()
	return installationOf(runtime.GOOS, home, os.Getenv("ProgramFiles"))
}

func installationOf(system, home, programFiles string) installation {
	switch system {
	case "windows":
		return installation{
			clt: `C:\ST`, ide: `C:\ST`, inIDE: "STM32CubeIDE", suffix: ".exe",
			programmer: filepath.Join(programFiles, "STMicroelectronics", "STM32Cube", "STM32CubeProgrammer", "bin"),
		}
	case "darwin":
		return installation{
			clt: "/opt/ST", ide: "/Applications/STM32CubeIDE.app/Contents/Eclipse",
			programmer: "/Applications/STMicroelectronics/STM32Cube/STM32CubeProgrammer/STM32CubeProgrammer.app/Contents/MacOs/bin",
		}
	}
	st := filepath.Join(home, "st")
	if !isDir(st) {
		st = "/opt/st"
	}
	return installation{clt: st, ide: st, programmer: "/usr/local/STMicroelectronics/STM32Cube/STM32CubeProgrammer/bin"}
}

// The beginnings of the names of folders, which a version follows.
const (
	cltPrefix        = "STM32CubeCLT_"
	idePrefix        = "STM32CubeIDE_"
	pluginPrefix     = "com.st.stm32cube.ide.mcu.externaltools."
	serverPlugin     = pluginPrefix + "stlink-gdb-server."
	programmerPlugin = pluginPrefix + "cubeprogrammer."
)

// serverPath returns the server of STM32CubeCLT or of STM32CubeIDE, "" when
// there is none.
func (i installation) serverPath() string {
	name := stLinkExecutable + i.suffix
	if clt := newest(i.clt, cltPrefix, filepath.Join("STLink-gdb-server", "bin", name)); clt != "" {
		return clt
	}
	return newest(i.plugins(), serverPlugin, filepath.Join("tools", "bin", name))
}

// programmerPath returns the folder of STM32_Programmer_CLI.
func (i installation) programmerPath() string {
	if clt := newest(i.clt, cltPrefix, filepath.Join("STM32CubeProgrammer", "bin")); clt != "" {
		return clt
	}
	if p := newest(i.plugins(), programmerPlugin, filepath.Join("tools", "bin")); p != "" {
		return p
	}
	return i.programmer
}

// plugins returns the folder of the plugins of the newest STM32CubeIDE.
func (i installation) plugins() string {
	if isDir(filepath.Join(i.ide, "plugins")) {
		return filepath.Join(i.ide, "plugins")
	}
	return newest(i.ide, idePrefix, filepath.Join(i.inIDE, "plugins"))
}

// newest returns dir/PREFIX*/below for the highest version of which it exists,
// "" for none.
func newest(dir, prefix, below string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	best, bestName := "", ""
	for _, e := range entries {
		if len(e.Name()) <= len(prefix) || !strings.EqualFold(e.Name()[:len(prefix)], prefix) {
			continue
		}
		path := filepath.Join(dir, e.Name(), below)
		if _, err := os.Stat(path); err == nil && (best == "" || versionLess(bestName, e.Name())) {
			best, bestName = path, e.Name()
		}
	}
	return best
}

// versionLess compares names with the numbers in them as numbers.
func versionLess(a, b string) bool {
	for a != "" && b != "" {
		na, nb := leadingDigits(a), leadingDigits(b)
		if na == "" || nb == "" {
			if a[0] != b[0] {
				return a[0] < b[0]
			}
			a, b = a[1:], b[1:]
			continue
		}
		a, b = a[len(na):], b[len(nb):]
		na, nb = strings.TrimLeft(na, "0"), strings.TrimLeft(nb, "0")
		if len(na) != len(nb) {
			return len(na) < len(nb)
		}
		if na != nb {
			return na < nb
		}
	}
	return a == "" && b != ""
}

func leadingDigits(s string) string {
	return s[:len(s)-len(strings.TrimLeftFunc(s, unicode.IsDigit))]
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
