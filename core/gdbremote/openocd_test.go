package gdbremote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"pushmask/core"
)

// TestOpenOCD speaks to OpenOCD itself. Its adapter is a dummy that reads ones
// from a scan chain without devices, which it takes for an ARM7TDMI: registers
// and memory are all ones, and the packets are real.
func TestOpenOCD(t *testing.T) {
	t.Parallel()
	c := startOpenOCD(t)
	ctx := t.Context()
	if name, err := c.ServerName(ctx); name != "OpenOCD" || err != nil {
		t.Errorf("server %q, %v", name, err)
	}
	if f := c.Features(); !f.NoAck || !f.Description || !f.ThreadList || f.PacketSize < 0x3000 {
		t.Errorf("features %+v", f)
	}
	if p, ok := c.Profile(); p != core.ProfileA || !ok {
		t.Errorf("profile %v, %v", p, ok)
	}
	if s, err := c.Halted(ctx); s.Kind != StopSignal || err != nil {
		t.Errorf("halted: %+v, %v", s, err)
	}
	if list, err := c.Threads(ctx); len(list) != 0 || err != nil {
		t.Errorf("threads without RTOS support: %+v, %v", list, err)
	}
	regs, err := c.Registers(ctx, core.PSR)
	if err != nil || regs.Value(core.R0) != 0xffffffff || !regs.Has(core.PSR) {
		t.Errorf("registers: r0 = %#x, %v", regs.Value(core.R0), err)
	}
	if err := c.WriteRegister(ctx, "", core.R3, 0x12345678); err != nil {
		t.Error(err)
	}
	if regs, err = c.Registers(ctx); err != nil || regs.Value(core.R3) != 0x12345678 {
		t.Errorf("r3 = %#x, %v", regs.Value(core.R3), err)
	}
	if err := c.WriteMemory(ctx, 0x20000000, []byte("$#}*")); err != nil {
		t.Error(err)
	}
	var out strings.Builder
	say := func(s string) { out.WriteString(s) }
	if err := c.Monitor(ctx, "targets", say); err != nil || !strings.Contains(out.String(), "arm7tdmi") {
		t.Errorf("monitor targets: %v\n%s", err, out.String())
	}
	out.Reset()
	if err := c.Monitor(ctx, "nonsense", say); !errors.Is(err, ErrRefused) || !strings.Contains(out.String(), "nonsense") {
		t.Errorf("monitor nonsense: %v\n%s", err, out.String())
	}
	run, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if s, err := c.Continue(run); s.Kind != StopSignal || !s.Interrupted || err != nil {
		t.Errorf("interrupt: %+v, %v", s, err)
	}
	if err := c.Extended(ctx); err != nil {
		t.Error(err)
	}
	if s, err := c.Restart(ctx); s.Kind != StopSignal || err != nil {
		t.Errorf("restart: %+v, %v", s, err)
	}
	if err := c.Detach(ctx); err != nil {
		t.Error(err)
	}
}

// startOpenOCD starts OpenOCD for as long as the test runs, and connects.
func startOpenOCD(t *testing.T) *Client {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	var args []string
	for _, command := range []string{
		"bindto 127.0.0.1", fmt.Sprintf("gdb_port %d", port), "telnet_port disabled", "tcl_port disabled",
		"adapter driver dummy", "transport select jtag", "adapter speed 1000",
		"jtag newtap x cpu -irlen 4 -ircapture 0xf -irmask 0xf",
		"target create x.arm arm7tdmi -chain-position x.cpu", "gdb_report_data_abort enable", "init",
	} {
		args = append(args, "-c", command)
	}
	cmd := exec.Command("openocd", args...)
	if err := cmd.Start(); errors.Is(err, exec.ErrNotFound) {
		t.Skip("SKIPPED: openocd is not installed")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return dialWhenThere(t, fmt.Sprintf("127.0.0.1:%d", port))
}
