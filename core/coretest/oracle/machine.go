package oracle

import (
	"context"
	"fmt"

	"pushmask/core/coretest/qemu"
	"pushmask/core/gdbremote"
)

// machine is a QEMU that was started here, with a connection to its stub.
type machine struct {
	qemu   *qemu.Machine
	client *gdbremote.Client
}

// startMachine starts QEMU, halted before the first instruction, connects, and
// has interrupts and timers go on while it steps.
func startMachine(ctx context.Context, cfg Config) (*machine, error) {
	q, err := qemu.Start(ctx, qemu.Config{Machine: cfg.Machine, CPU: cfg.CPU, ELF: cfg.ELF, Args: cfg.Args})
	if err != nil {
		return nil, err
	}
	m := &machine{qemu: q}
	opt := gdbremote.Options{Timeout: qemu.StartTime, AckWait: qemu.StartTime}
	if m.client, err = gdbremote.Dial(ctx, q.Address, opt); err != nil {
		m.stop()
		return nil, fmt.Errorf("connect to QEMU: %w", err)
	}
	const packet = "Qqemu.sstep=1" // 2 would mask interrupts, 4 stop timers
	reply, err := m.client.Exchange(ctx, packet)
	if err == nil && reply != "OK" {
		err = fmt.Errorf("QEMU answers %q to %s", reply, packet)
	}
	if err != nil {
		m.stop()
		return nil, err
	}
	return m, nil
}

// stop ends QEMU and waits for its end.
func (m *machine) stop() {
	if m.client != nil {
		_ = m.client.Close()
	}
	m.qemu.Stop()
}
