package probe

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core/gdbcommand"
)

// commandLine returns the arguments of a configuration on fixed ports.
func commandLine(cfg Config) string {
	ports := Ports{}
	next := 50000
	for _, name := range programs[cfg.Type].ports {
		for range cfg.processors() {
			ports[name] = append(ports[name], next)
			next++
		}
	}
	return strings.Join(programs[cfg.Type].args(cfg, ports), " ")
}

// TestCommandLines has the command lines that Cortex-Debug builds, but for the
// differences that docs/probes.md lists.
func TestCommandLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		cfg  Config
		want string
	}{
		{
			Config{Type: OpenOCD, Dir: "/work", ConfigFiles: []string{"interface/stlink.cfg", "target/stm32f4x.cfg"}},
			"-c gdb_port 50000 -c tcl_port 50001 -c telnet_port 50002 -c gdb_report_data_abort enable -s /work -f interface/stlink.cfg -f target/stm32f4x.cfg",
		},
		{
			Config{
				Type: OpenOCD, Dir: "/work", ConfigFiles: []string{"a.cfg"}, SearchDirs: []string{"/s", "/t"}, RTOS: "FreeRTOS",
				PreConfigCommands: []string{"set X 1"}, LaunchCommands: []string{"init", "halt"}, Args: []string{"-d2"}, Processors: 2, Processor: 1,
			},
			"-c gdb_port 50000 -c tcl_port 50002 -c telnet_port 50004 -c gdb_report_data_abort enable -s /s -s /t -c set X 1 -f a.cfg" +
				" -c [target current] configure -rtos FreeRTOS -d2 -c init -c halt",
		},
		{
			Config{Type: JLink, Device: "STM32F407VG", SerialNumber: "12", IPAddress: "10.0.0.1", JLinkScript: "x.jlinkscript", Args: []string{"-speed", "4000"}},
			"-singlerun -nogui -if swd -port 50000 -swoport 50001 -telnetport 50002 -device STM32F407VG -localhostonly 1" +
				" -select usb=12 -jlinkscriptfile x.jlinkscript -speed 4000",
		},
		{
			Config{Type: JLink, Device: "X", Interface: "jtag", IPAddress: "10.0.0.1"},
			"-singlerun -nogui -if jtag -port 50000 -swoport 50001 -telnetport 50002 -device X -localhostonly 1 -select ip=10.0.0.1",
		},
		{
			Config{Type: PyOCD, BoardID: "b", TargetID: "stm32f4", CMSISPack: "p.pack", Args: []string{"-v"}},
			"gdbserver --port 50000 --telnet-port 50001 --board b --target stm32f4 --pack p.pack -v",
		},
		{Config{Type: STUtil, STLinkV1: true, SerialNumber: "s"}, "-p 50000 --no-reset --stlinkv1 --serial s"},
		{
			Config{Type: STLink, Programmer: "/cube/bin", SerialNumber: "s", Attach: true, Processor: 1},
			"-p 50000 -cp /cube/bin --swd --serial-number s --attach --halt -m 1",
		},
		{Config{Type: STLink, Programmer: "/cube/bin", Interface: "jtag"}, "-p 50000 -cp /cube/bin --halt"},
		{
			Config{Type: PE, Device: "NXP_K6x", IPAddress: "10.0.0.1", RTOS: "FreeRTOS", Interface: "jtag", ConfigFiles: []string{"c"}},
			"-startserver -singlesession -device=NXP_K6x -serverport=50000 -serverip=10.0.0.1 -kernal=FreeRTOS -usejtag -configfile=c",
		},
		{
			Config{Type: QEMU, Executable: "/fw.elf"},
			"-cpu cortex-m3 -machine lm3s6965evb -nographic -semihosting-config enable=on,target=native -gdb tcp:127.0.0.1:50000 -S -kernel /fw.elf",
		},
		{
			Config{Type: QEMU, Executable: "/fw.elf", Machine: "mps2-an386", Args: []string{"-icount", "3"}},
			"-machine mps2-an386 -nographic -semihosting-config enable=on,target=native -gdb tcp:127.0.0.1:50000 -S -kernel /fw.elf -icount 3",
		},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, commandLine(tt.cfg)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.cfg.Type, diff)
		}
		if err := tt.cfg.check(); err != nil {
			t.Errorf("%s: %v", tt.cfg.Type, err)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		cfg       Config
		attribute string
	}{
		{Config{Type: "jtag"}, "servertype"},
		{Config{Type: External}, "servertype"},
		{Config{Type: BMP}, "servertype"},
		{Config{Type: OpenOCD}, "configFiles"},
		{Config{Type: OpenOCD, ConfigFiles: []string{"a"}, RTOS: "freertos"}, "rtos"},
		{Config{Type: OpenOCD, ConfigFiles: []string{"a"}, Processor: 1}, "targetProcessor"},
		{Config{Type: OpenOCD, ConfigFiles: []string{"a"}, Processors: 11}, "numberOfProcessors"},
		{Config{Type: OpenOCD, ConfigFiles: []string{"a\x00"}}, "serverArgs"},
		{Config{Type: JLink}, "device"},
		{Config{Type: JLink, Device: "x", Interface: "usb"}, "interface"},
		{Config{Type: PE, Device: "x", ConfigFiles: []string{"a", "b"}}, "configFiles"},
		{Config{Type: PE}, "device"},
		{Config{Type: QEMU}, "executable"},
		{Config{Type: PyOCD, Dir: "no such folder"}, "cwd"},
		{Config{Type: PyOCD, Dir: "no such folder", WorkDir: "."}, "serverCwd"},
	}
	for _, tt := range tests {
		_, err := Start(t.Context(), tt.cfg, Options{})
		var got *ConfigError
		if !errors.As(err, &got) || got.Attribute != tt.attribute || !strings.Contains(err.Error(), tt.attribute) {
			t.Errorf("%+v: %v, want %s", tt.cfg, err, tt.attribute)
		}
	}
}

// TestDefaults expects every default command to be one that is understood.
func TestDefaults(t *testing.T) {
	t.Parallel()
	for _, typ := range Types() {
		for _, cfg := range []Config{{Type: typ}, {Type: typ, Power: "enable", Interface: "jtag", TargetID: "2"}, {Type: typ, Power: "disable"}} {
			c := Defaults(cfg)
			for _, list := range [][]string{c.Connect, c.Launch(nil), c.Launch([]string{`C:\a b.elf`}), c.Attach, c.Reset} {
				for _, l := range gdbcommand.ParseLines(list) {
					if _, ok := l.Command.(gdbcommand.Unsupported); ok || l.Err != nil {
						t.Errorf("%s: %s: %v, %v", typ, l.Text, l.Command, l.Err)
					}
				}
			}
			if len(c.Reset) == 0 {
				t.Errorf("%s has no reset", typ)
			}
		}
	}
}

func TestLaunch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		typ   Type
		files []string
		want  []string
	}{
		{OpenOCD, nil, []string{"monitor reset halt", "load", "monitor reset halt"}},
		{OpenOCD, []string{}, []string{"monitor reset halt"}},
		{JLink, []string{`C:\a.hex`, "b.elf"}, []string{"monitor halt", "monitor reset", `load "C:/a.hex"`, `load "b.elf"`, "monitor reset"}},
		{STLink, nil, []string{"monitor reset", "load", "monitor reset", "monitor halt"}},
		{QEMU, nil, nil},
		{BMP, nil, []string{"load", "SoftwareReset 1"}},
		{External, nil, []string{"monitor reset halt", "load", "monitor reset halt"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, Defaults(Config{Type: tt.typ}).Launch(tt.files)); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", tt.typ, tt.files, diff)
		}
	}
	want := []string{"monitor tpwr enable", "shell sleep 0.1", "monitor swdp_scan", "attach 1"}
	if diff := cmp.Diff(want, Defaults(Config{Type: BMP, Power: "enable"}).Connect); diff != "" {
		t.Error(diff)
	}
}

// TestHints has what servers say when they fail, and what is to be checked.
// That of OpenOCD 0.12, st-util 1.7 and QEMU 7.2 was recorded, that of the
// others is from public reports.
func TestHints(t *testing.T) {
	t.Parallel()
	tests := []struct {
		typ  Type
		said string
		want string
	}{
		{OpenOCD, "embedded:startup.tcl:28: Error: Can't find nosuch.cfg\nin procedure 'script'", `"nosuch.cfg" was not found`},
		{OpenOCD, "Info : clock speed 2000 kHz\nError: open failed", "no debug probe"},
		{OpenOCD, "Error: libusb_open() failed with LIBUSB_ERROR_ACCESS\nError: open failed", "udev rules"},
		{OpenOCD, "Error: init mode failed (unable to connect to the target)", "does not reach the target"},
		{OpenOCD, "Error: couldn't bind gdb to socket on port 50000: Address already in use", "a port is in use"},
		{OpenOCD, `invalid command name "adapter_khz"`, "wrong for this version"},
		{JLink, "Connecting to J-Link...\nConnecting to J-Link failed.", "no debug probe"},
		{JLink, "ERROR: Could not connect to target.\nTarget connection failed. GDBServer will be closed...", "does not reach the target"},
		{JLink, "ERROR: Unknown device selected: STM32", `check "device"`},
		{PyOCD, "0000512 C No available debug probes are connected [__main__]", "no debug probe"},
		{PyOCD, "Waiting for a debug probe to be connected...", "no debug probe"},
		{PyOCD, "0000700 C Target type foo not recognized. Use 'pyocd list --targets' [__main__]", `check "targetId"`},
		{PyOCD, "Waiting for a debug probe to be connected...\n0026001 C Target type foo not recognized.", `check "targetId"`},
		{PyOCD, "[Errno 13] Access denied (insufficient permissions)", "udev rules"},
		{STUtil, "2026-11-30T15:22:28 WARN usb.c: Couldn't find any ST-Link devices", "no debug probe"},
		{STLink, "Error in initializing ST-LINK device.\nReason: Unknown. Please check power and cabling to target.", "does not reach the target"},
		{STLink, "Error in initializing ST-LINK device.\nReason: No ST-LINK detected.", "no debug probe"},
		{STLink, "PARSE ERROR: Argument: --no-reset", `check "serverArgs"`},
		{QEMU, "qemu-system-arm: unsupported machine type", `no such "machine"`},
		{QEMU, "qemu-system-arm: Could not load kernel 'nosuch'", `check "executable"`},
		{QEMU, "qemu-system-arm: -gdb tcp:127.0.0.1:1: Failed to find an available port: Address already in use", "a port is in use"},
		{PE, "INVALID: device not found", `check "device"`},
		{OpenOCD, "openocd: error while loading shared libraries: libusb-1.0.so.0: cannot open", "library libusb-1.0.so.0"},
		{OpenOCD, "all is well", ""},
	}
	for _, tt := range tests {
		got := programs[tt.typ].explain(errEnded, strings.Split(tt.said, "\n"))
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q\nis explained by %q, want %q", tt.typ, tt.said, got, tt.want)
		}
	}
	for _, p := range programs {
		for _, h := range append(p.hints, commonHints...) {
			if _, err := regexp.Compile(h.pattern); err != nil {
				t.Errorf("%s: %v", p.name, err)
			}
		}
	}
	if got := stLink.explain(os.ErrPermission, nil); !strings.Contains(got, "may not be executed") {
		t.Error(got)
	}
}

// TestInstallation lays out folders as the installers of STMicroelectronics do.
func TestInstallation(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	plugins := filepath.Join(home, "st", "STM32CubeIDE_1.10.1", "plugins")
	old := filepath.Join(home, "st", "STM32CubeIDE_1.9.0", "plugins")
	server := filepath.Join(plugins, serverPlugin+"linux64_2.1.0", "tools", "bin", stLinkExecutable)
	programmer := filepath.Join(plugins, programmerPlugin+"linux64_2.0.0", "tools", "bin")
	for _, dir := range []string{old, filepath.Dir(server), programmer} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(server, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	ide := installationOf("linux", home, "")
	if got := ide.serverPath(); got != server {
		t.Errorf("server %s", got)
	}
	if got := ide.programmerPath(); got != programmer {
		t.Errorf("programmer %s", got)
	}
	clt := filepath.Join(home, "st", "STM32CubeCLT_1.14.0")
	for _, dir := range []string{filepath.Join(clt, "STLink-gdb-server", "bin", stLinkExecutable), filepath.Join(clt, "STM32CubeProgrammer", "bin")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got := ide.serverPath(); !strings.HasPrefix(got, clt) {
		t.Errorf("server %s", got)
	}
	if got := ide.programmerPath(); !strings.HasPrefix(got, clt) {
		t.Errorf("programmer %s", got)
	}
	none := installation{clt: filepath.Join(home, "no"), ide: filepath.Join(home, "no"), programmer: "/p"}
	if none.serverPath() != "" || none.programmerPath() != "/p" {
		t.Errorf("nothing is installed: %q, %q", none.serverPath(), none.programmerPath())
	}
}

func TestVersionLess(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"x_1.9.0", "x_1.10.0"}, {"x_1", "x_1.0"}, {"x_2.0", "x_10"}, {"x_1.0.0a", "x_1.0.0b"}, {"x_09", "x_10"}} {
		if !versionLess(pair[0], pair[1]) || versionLess(pair[1], pair[0]) {
			t.Errorf("%s is older than %s", pair[0], pair[1])
		}
	}
}
