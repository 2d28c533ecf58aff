package oracle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"time"

	"pushmask/core/gdbremote"
)

// ErrNoQEMU is what errors.Is finds when QEMU is not installed.
var ErrNoQEMU = errors.New("qemu-system-arm is not installed")

// machine is a QEMU that was started here.
type machine struct {
	cmd    *exec.Cmd
	client *gdbremote.Client
	stderr bytes.Buffer
	exited chan struct{}
}

// startTime bounds how long QEMU may take to listen.
const startTime = 20 * time.Second

// startMachine starts QEMU, halted before the first instruction, and connects.
func startMachine(ctx context.Context, cfg Config) (*machine, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	args := []string{
		"-M", cfg.Machine, "-nodefaults", "-display", "none",
		"-kernel", cfg.ELF, "-S", "-gdb", "tcp:" + address,
	}
	if cfg.CPU != "" {
		args = append(args, "-cpu", cfg.CPU)
	}
	m := &machine{cmd: exec.Command("qemu-system-arm", args...), exited: make(chan struct{})}
	m.cmd.Stderr = &m.stderr
	if err := m.cmd.Start(); errors.Is(err, exec.ErrNotFound) {
		return nil, ErrNoQEMU
	} else if err != nil {
		return nil, fmt.Errorf("start QEMU: %w", err)
	}
	go func() {
		defer close(m.exited)
		_ = m.cmd.Wait() // it is killed, or its end shows in the connection
	}()
	if err := m.connect(ctx, address); err != nil {
		m.stop()
		return nil, fmt.Errorf("connect to QEMU: %w\n%s", err, m.stderr.Bytes())
	}
	return m, nil
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

// connect waits for QEMU to listen, and has interrupts and timers go on while
// it steps.
func (m *machine) connect(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		client, err := gdbremote.Dial(ctx, address, gdbremote.Options{Timeout: startTime, AckWait: startTime})
		if err == nil {
			m.client = client
			break
		}
		select {
		case <-m.exited:
			return errors.New("QEMU ended")
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
	select {
	case <-m.exited: // somebody else listens on the port
		return errors.New("QEMU ended")
	default:
	}
	const packet = "Qqemu.sstep=1" // 2 would mask interrupts, 4 stop timers
	reply, err := m.client.Exchange(ctx, packet)
	if err == nil && reply != "OK" {
		err = fmt.Errorf("QEMU answers %q to %s", reply, packet)
	}
	return err
}

// stop ends QEMU, by its process, and waits for its end.
func (m *machine) stop() {
	if m.client != nil {
		_ = m.client.Close()
	}
	_ = m.cmd.Process.Kill()
	<-m.exited
}
