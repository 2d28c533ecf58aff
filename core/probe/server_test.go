package probe

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pushmask/core/gdbremote"

	"github.com/google/go-cmp/cmp"
)

const openOCDReady = "Info : Listening on port 50000 for gdb connections\n"

// lines collects what a server prints.
type lines struct {
	mu  sync.Mutex
	all []Line
}

func (l *lines) add(line Line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, line)
}

func (l *lines) text() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]string, len(l.all))
	for i, line := range l.all {
		out[i] = line.Text
	}
	return out
}

// start starts a server that has to become ready, and ends it after the test.
func start(t *testing.T, cfg Config, opts Options) *Server {
	t.Helper()
	if opts.Timeout == 0 {
		opts.Timeout = 30 * time.Second
	}
	s, err := Start(t.Context(), cfg, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Close()
		if _, running := <-s.Done(); running {
			t.Error("the server is still there")
		}
	})
	return s
}

// TestReadyLines has the line of each server by which it is known to be ready.
func TestReadyLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		typ  Type
		text string // before "|" on the standard output, behind it on the other
	}{
		{"OpenOCD 0.12", OpenOCD, "|Info : starting gdb server for stm32f4x.cpu on 50000\n" + openOCDReady},
		{"OpenOCD 0.10", OpenOCD, "|Info : Listening on port 3333 for gdb connections\r\n"},
		{"J-Link without a line's end", JLink, "Connected to target\nWaiting for GDB connection..."},
		{"pyOCD", PyOCD, "|0001234 I GDB server listening on port 50000 (core 0) [gdbserver]\n"},
		{"pyOCD 0.3x", PyOCD, "|0001234:INFO:gdbserver:GDB server started on port 3333 (core 0)\n"},
		{"st-util", STUtil, "|2026-01-01T00:00:00 INFO gdb-server.c: Listening at *:50000...\n"},
		{"ST-LINK", STLink, "Waiting for debugger connection...\n"},
		{"PEmicro", PE, "All Servers Running - Press CTRL+C to Exit\n"},
		{"QEMU", QEMU, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			mode := "ready"
			if tt.typ == QEMU {
				mode = "listen"
			}
			s := start(t, fake(t, tt.typ, mode, tt.text), Options{})
			if _, port, err := net.SplitHostPort(s.Address()); err != nil || port != strconv.Itoa(s.Ports().GDB(0)) {
				t.Errorf("address %s, %v", s.Address(), err)
			}
			if err := s.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
}

func TestOverrideReadyLine(t *testing.T) {
	t.Parallel()
	cfg := fake(t, OpenOCD, "ready", openOCDReady+"and now\nAll set on 3\n")
	cfg.StartedRegexp = `all set ON \d`
	var got lines
	start(t, cfg, Options{Output: got.add})
	if !slices.Contains(got.text(), "and now") {
		t.Errorf("ready after %q", got.text())
	}
	cfg.StartedRegexp = "(?<=x)y"
	var wrong *ConfigError
	if _, err := Start(t.Context(), cfg, Options{}); !errors.As(err, &wrong) || wrong.Attribute != "overrideGDBServerStartedRegex" {
		t.Errorf("a wrong expression: %v", err)
	}
}

// TestOutput expects all lines, of both streams, and lines of bounded length.
func TestOutput(t *testing.T) {
	t.Parallel()
	var got lines
	start(t, fake(t, OpenOCD, "flood", openOCDReady), Options{Output: got.add})
	got.mu.Lock()
	defer got.mu.Unlock()
	if n := len(got.all); n < 20003 {
		t.Errorf("%d lines", n)
	}
	for _, l := range got.all {
		if len(l.Text) > maxLine {
			t.Fatalf("a line of %d bytes", len(l.Text))
		}
	}
}

// TestWorkDir expects the server in the configuration's folder unless it says
// otherwise, with its variables and command line.
func TestWorkDir(t *testing.T) {
	t.Parallel()
	cfg := fake(t, OpenOCD, "arguments", openOCDReady)
	var err error
	if cfg.Dir, err = filepath.EvalSymlinks(cfg.Dir); err != nil {
		t.Fatal(err)
	}
	cfg.Args = []string{"-d2"}
	var got lines
	s := start(t, cfg, Options{Output: got.add})
	if !slices.Contains(got.text(), "in "+cfg.Dir) {
		t.Errorf("%q, want %s", got.text(), cfg.Dir)
	}
	if args := got.text()[0]; !strings.HasSuffix(args, `"-f" "target.cfg" "-d2"]`) {
		t.Errorf("arguments %s", args)
	}
	if diff := cmp.Diff(cfg.Path, s.Command()[0]); diff != "" {
		t.Error(diff)
	}
}

// TestFailures has servers that do not become ready.
func TestFailures(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*Config)
		mode   string
		text   string
		want   []string // in the error
		cause  error    // of it, nil for any
	}{
		{
			name: "no probe", mode: "fail",
			text: "Open On-Chip Debugger 0.12.0\nError: unable to find a matching CMSIS-DAP device\n\n",
			want: []string{"start OpenOCD", "exit status 1", `"Error: unable to find a matching CMSIS-DAP device"`, "No debug probe was found"}, cause: errEnded,
		},
		{
			name: "ends well", mode: "end", text: "shutdown command invoked\n",
			want: []string{"it ended before it was ready", "shutdown command invoked"}, cause: errEnded,
		},
		{
			name: "silent", mode: "ready", text: "busy\n",
			want: []string{"was not ready in time", "overrideGDBServerStartedRegex"}, cause: errTimeout,
		},
		{
			name: "not installed", change: func(c *Config) { c.Path = "no-such-openocd" },
			want: []string{`"no-such-openocd"`, "Install OpenOCD", `"serverpath"`}, cause: exec.ErrNotFound,
		},
		{
			name: "no such path", change: func(c *Config) { c.Path = "./tools/openocd" },
			want: []string{filepath.Join("tools", "openocd"), "Install OpenOCD", `"serverpath"`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := fake(t, OpenOCD, tt.mode, tt.text)
			if tt.change != nil {
				tt.change(&cfg)
			}
			s, err := Start(t.Context(), cfg, Options{Timeout: timeoutOf(tt.mode)})
			var typed *StartError
			if s != nil || !errors.As(err, &typed) {
				t.Fatalf("%v, %v", s, err)
			}
			if tt.cause != nil && !errors.Is(err, tt.cause) {
				t.Errorf("%v is not %v", err, tt.cause)
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q\nlacks %q", err, w)
				}
			}
		})
	}
}

// timeoutOf is short for a server of which the timeout is expected.
func timeoutOf(mode string) time.Duration {
	if mode == "ready" {
		return time.Second
	}
	return 30 * time.Second
}

func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cfg := fake(t, OpenOCD, "ready", "busy\n")
	_, err := Start(ctx, cfg, Options{Output: func(Line) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestEndsByItself expects a server that is ready and ends later to be noticed.
func TestEndsByItself(t *testing.T) {
	t.Parallel()
	s := start(t, fake(t, JLink, "crash", "Waiting for GDB connection..."), Options{})
	select {
	case <-s.Done():
	case <-time.After(30 * time.Second):
		t.Fatal("it goes on")
	}
	var exit *exec.ExitError
	if err := s.Close(); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("close: %v", err)
	}
	if last := s.LastLines(); last[len(last)-1] != "Error: the probe is gone" {
		t.Errorf("last lines %q", last)
	}
}

// TestPorts expects servers of one process on different ports, cores on
// consecutive ones, and ports in use to be left out.
func TestPorts(t *testing.T) {
	t.Parallel()
	first, err := reservePorts([]portName{gdbPort, tclPort}, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer releasePorts(first)
	if first.GDB(1) != first.GDB(0)+1 || first.first(tclPort) != first.GDB(0)+2 || first.GDB(2) != 0 || first.GDB(-1) != 0 {
		t.Errorf("ports %v", first)
	}
	second, err := reservePorts([]portName{gdbPort}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer releasePorts(second)
	if slices.Contains(first.all(), second.GDB(0)) {
		t.Errorf("%v has %v", first, second)
	}
	for _, host := range []string{loopback, ""} {
		l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			t.Fatal(err)
		}
		if isFree(l.Addr().(*net.TCPAddr).Port) {
			t.Errorf("%v is in use", l.Addr())
		}
		_ = l.Close()
	}
	if _, err := reservePorts(make([]portName, lastPort), 1); !errors.Is(err, ErrNoPorts) {
		t.Errorf("too many ports: %v", err)
	}
}

// TestQEMU starts the real one and stops at the reset vector.
func TestQEMU(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("qemu-system-arm"); err != nil {
		t.Skip("qemu-system-arm is not installed")
	}
	elf, err := filepath.Abs("../../testdata/firmware/m3-O0/fw.elf")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Type: QEMU, Dir: t.TempDir(), Executable: elf, Machine: "mps2-an385"}
	s := start(t, cfg, Options{})
	client, err := gdbremote.Dial(t.Context(), s.Address(), gdbremote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Registers(t.Context()); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct {
		change func(*Config)
		hint   string
	}{
		{func(c *Config) { c.Machine = "mps3" }, `no such "machine"`},
		{func(c *Config) { c.CPU = "cortex-m99" }, `"cpu" is wrong`},
		{func(c *Config) { c.CPU = "cortex-m4" }, `"cpu" is wrong`},
		{func(c *Config) { c.Executable = "gone.elf" }, `check "executable"`},
		{func(c *Config) { c.Args = []string{"-nonsense"} }, `check "serverArgs"`},
	} {
		bad := cfg
		tt.change(&bad)
		_, err := Start(t.Context(), bad, Options{Timeout: 30 * time.Second})
		if err == nil || !strings.Contains(err.Error(), tt.hint) {
			t.Errorf("%v, want %q", err, tt.hint)
		}
	}
}

// dummyConfig has OpenOCD serve a core behind its adapter without hardware,
// whose every bit is read as one.
const dummyConfig = `adapter driver dummy
transport select jtag
adapter speed 100
jtag newtap x cpu -irlen 4 -ircapture 0xf -irmask 0xf
target create x.cpu arm7tdmi -chain-position x.cpu
`

// TestOpenOCD starts the real one, with no hardware and with none that it needs.
func TestOpenOCD(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("openocd"); err != nil {
		t.Skip("openocd is not installed")
	}
	cfg := Config{Type: OpenOCD, Dir: t.TempDir(), ConfigFiles: []string{"dummy.cfg"}}
	if err := os.WriteFile(filepath.Join(cfg.Dir, "dummy.cfg"), []byte(dummyConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, cfg, Options{})
	if !accepts(s.Ports().GDB(0)) || !accepts(s.Ports().first(telnetPort)) {
		t.Errorf("nobody listens at %v", s.Ports())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if accepts(s.Ports().GDB(0)) {
		t.Error("somebody still listens")
	}
	for _, tt := range []struct {
		file, args, hint string
	}{
		{"interface/cmsis-dap.cfg", "", "No debug probe was found"},
		{"interface/stlink.cfg", "-ftarget/stm32f4x.cfg", "No debug probe was found"},
		{"board/of-mine.cfg", "", `The file "board/of-mine.cfg" was not found`},
		{"dummy.cfg", "-cadapter_kHz 1", "is wrong for this version of OpenOCD"},
	} {
		bad := cfg
		bad.ConfigFiles = []string{tt.file}
		if tt.args != "" {
			bad.Args = []string{tt.args}
		}
		_, err := Start(t.Context(), bad, Options{Timeout: 30 * time.Second})
		if err == nil || !strings.Contains(err.Error(), tt.hint) {
			t.Errorf("%v, want %q", err, tt.hint)
		}
	}
}

// TestPortTaken has somebody else take a port that was found free.
func TestPortTaken(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("openocd"); err != nil {
		t.Skip("openocd is not installed")
	}
	l, err := net.Listen("tcp", loopback+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Type: OpenOCD, Dir: t.TempDir(), ConfigFiles: []string{"dummy.cfg"}, Args: []string{"-c", "gdb_port " + port}}
	if err := os.WriteFile(filepath.Join(cfg.Dir, "dummy.cfg"), []byte(dummyConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Start(t.Context(), cfg, Options{Timeout: 30 * time.Second})
	if !errors.Is(err, errHopeless) || !strings.Contains(err.Error(), "A port is in use") {
		t.Errorf("%v", err)
	}
}

// FuzzOutput expects lines to be the same whatever the pieces in which they
// arrive.
func FuzzOutput(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nlast"), 3)
	f.Add([]byte("x\xff\n\x00ready\n"), 1)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		if size < 1 || len(data) > 1<<16 {
			return
		}
		collect := func(size int) []string {
			var got lines
			s := newOutput(got.add, nil, nil).stream(false)
			for chunk := range slices.Chunk(data, size) {
				if n, err := s.Write(chunk); n != len(chunk) || err != nil {
					t.Fatalf("%d, %v", n, err)
				}
			}
			s.flush()
			return got.text()
		}
		if diff := cmp.Diff(collect(max(len(data), 1)), collect(size)); diff != "" {
			t.Errorf("in pieces of %d bytes:\n%s", size, diff)
		}
	})
}

func TestJLinkPlugin(t *testing.T) {
	t.Parallel()
	for system, want := range map[string]string{
		"linux": "GDBServer/RTOSPlugin_FreeRTOS.so", "darwin": "GDBServer/RTOSPlugin_FreeRTOS.dylib",
		"windows": "GDBServer/RTOSPlugin_FreeRTOS.dll",
	} {
		if got := jLinkPlugin("FreeRTOS", system); got != want {
			t.Errorf("%s: %s", system, got)
		}
	}
	if got := jLinkPlugin("/opt/plugin.so", runtime.GOOS); got != "/opt/plugin.so" {
		t.Error(got)
	}
}
