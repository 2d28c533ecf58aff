package gdbremote

import (
	"context"

	"pushmask/core"
	"pushmask/core/gdbremote/fileio"
)

// fileIO carries a file request of the program out, while the target waits for
// the answer, and returns it.
func (c *Client) fileIO(ctx context.Context, request string) string {
	host := fileio.Host{Memory: waitingMemory{c}, Console: c.conn.console}
	return host.Handle(ctx, request)
}

// waitingMemory is the memory of a target that waits for a file request. Its
// exchanges belong to the run and end with their own time, not with the run's:
// an interrupt must not break the connection.
type waitingMemory struct{ client *Client }

// ReadMemory implements [fileio.Memory].
func (m waitingMemory) ReadMemory(_ context.Context, addr core.Addr, p []byte) (int, error) {
	return m.client.readMemory(addr, p, m.exchange)
}

// WriteMemory implements [fileio.Memory].
func (m waitingMemory) WriteMemory(_ context.Context, addr core.Addr, p []byte) error {
	lacks, known := m.client.lacking["X"]
	return m.client.writeMemory(known && !lacks, addr, p, func(packet string) error {
		reply, err := m.exchange(packet)
		if err != nil {
			return err
		}
		return isOK(packet, reply)
	})
}

func (m waitingMemory) exchange(packet string) (string, error) {
	conn := m.client.conn
	ctx, cancel := context.WithTimeoutCause(context.Background(), conn.timeout, ErrNoAnswer)
	defer cancel()
	payload, err := conn.roundTrip(ctx, packet, conn.output)
	return conn.finish(packet, payload, err)
}
