// Package qemu starts QEMU's system emulation as the live target of tests and
// of the oracle.
package qemu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// ErrMissing is what errors.Is finds when QEMU is not installed.
var ErrMissing = errors.New("qemu-system-arm is not installed")

// StartTime bounds how long QEMU may take to listen.
const StartTime = 20 * time.Second

// Config is a machine and what it runs.
type Config struct {
	Machine string // of -M
	CPU     string // of -cpu, "" for the machine's own
	ELF     string
	Args    []string // further arguments
}

// Machine is a QEMU that was started here.
type Machine struct {
	// Address is where its GDB stub listens, on the loopback interface. The
	// machine is halted before its first instruction.
	Address string

	cmd    *exec.Cmd
	stderr bytes.Buffer
	exited chan struct{}
}

// Start starts QEMU and waits until its stub listens.
func Start(ctx context.Context, cfg Config) (*Machine, error) {
	const attempts = 5 // another process may take the port that was free
	for n := 1; ; n++ {
		m, err := start(ctx, cfg)
		if err == nil || n == attempts || !strings.Contains(err.Error(), "Address already in use") {
			return m, err
		}
	}
}

func start(ctx context.Context, cfg Config) (*Machine, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	args := []string{"-M", cfg.Machine, "-nodefaults", "-display", "none", "-kernel", cfg.ELF, "-S", "-gdb", "tcp:" + address}
	if cfg.CPU != "" {
		args = append(args, "-cpu", cfg.CPU)
	}
	m := &Machine{
		Address: address,
		cmd:     exec.Command("qemu-system-arm", append(args, cfg.Args...)...),
		exited:  make(chan struct{}),
	}
	m.cmd.Stderr = &m.stderr
	endWithParent(m.cmd)
	started := make(chan error)
	go func() { // until QEMU ends
		runtime.LockOSThread() // which QEMU ends with: see endWithParent
		defer runtime.UnlockOSThread()
		err := m.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		_ = m.cmd.Wait() // it is killed, or its end shows in the connection
		close(m.exited)
	}()
	if err := <-started; errors.Is(err, exec.ErrNotFound) {
		return nil, ErrMissing
	} else if err != nil {
		return nil, fmt.Errorf("start QEMU: %w", err)
	}
	if err := m.listening(ctx); err != nil {
		m.Stop()
		return nil, fmt.Errorf("wait for QEMU: %w\n%s", err, m.stderr.Bytes())
	}
	return m, nil
}

// StartTest starts QEMU for as long as a test runs, and skips the test where
// QEMU is not installed.
func StartTest(t testing.TB, cfg Config) *Machine {
	t.Helper()
	m, err := Start(t.Context(), cfg)
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Stop)
	return m
}

// freeAddress finds a port of the loopback interface that nobody uses.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// listening waits until somebody listens on the stub's port. Connecting to try
// is harmless: the machine is halted.
func (m *Machine) listening(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, StartTime)
	defer cancel()
	var d net.Dialer
	for {
		c, err := d.DialContext(ctx, "tcp", m.Address)
		if err == nil {
			c.Close()
			return m.running()
		}
		select {
		case <-m.exited:
			return errors.New("QEMU ended")
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// running fails where QEMU has ended: somebody else listens on the port.
func (m *Machine) running() error {
	select {
	case <-m.exited:
		return errors.New("QEMU ended")
	default:
		return nil
	}
}

// Stop ends QEMU, by its process, and waits for its end.
func (m *Machine) Stop() {
	_ = m.cmd.Process.Kill()
	<-m.exited
}
