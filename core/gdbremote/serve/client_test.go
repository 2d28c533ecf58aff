package serve

import (
	"bytes"
	"context"
	"net"
	"testing"

	"pushmask/core"
	"pushmask/core/gdbremote"
)

// TestOwnClient attaches with our client: it gets the profile, and of the thread
// that crashed every register and every byte of memory.
func TestOwnClient(t *testing.T) {
	t.Parallel()
	for _, a := range []artefact{
		fixture("demo", "crash.core"), fixture("process-stack", "gdb.core"), fixture("m0-Os", "crash.core"),
		fixture("a32", "crash.core"), rawRAM(t), textLog(t),
	} {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			s := a.open(t)
			stub := newStub(t, s, Options{})
			near, far := net.Pipe()
			done := make(chan error, 1)
			go func() { done <- stub.Serve(ctx, far) }()
			c, err := gdbremote.New(ctx, near, gdbremote.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if p, ok := c.Profile(); !ok || p != s.Profile() {
				t.Errorf("profile %v, %v", p, ok)
			}
			regs, err := c.Registers(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for r := range core.Reg(core.NumRegs) {
				want, known := stub.threads[0].Regs.Get(r)
				if got, ok := regs.Get(r); got != want || ok != known {
					t.Errorf("%v is %#x (known %v), want %#x (known %v)", r, got, ok, want, known)
				}
			}
			for _, r := range stub.regions {
				got, want := make([]byte, r.end-r.start), make([]byte, r.end-r.start)
				if _, err := s.Memory().ReadAt(core.Addr(r.start), want); err != nil {
					t.Fatal(err)
				}
				if _, err := c.ReadMemory(ctx, core.Addr(r.start), got); err != nil || !bytes.Equal(got, want) {
					t.Errorf("memory at %#x differs, error %v", r.start, err)
				}
			}
			if err := c.Detach(ctx); err != nil {
				t.Error(err)
			}
			if err := <-done; err != nil {
				t.Errorf("Serve: %v", err)
			}
		})
	}
}
