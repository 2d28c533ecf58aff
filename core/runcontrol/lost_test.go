package runcontrol_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"pushmask/core/gdbremote"
	"pushmask/core/live"
	"pushmask/core/runcontrol"
)

// cut relays a connection to a stub until it has seen a request for the nth
// time, and closes both ends then: before the request goes on, or behind it.
type cut struct {
	request string
	times   int
	after   bool
}

// relay returns the client's end of a connection that is cut.
func (c cut) relay(t *testing.T, address string) net.Conn {
	t.Helper()
	stub, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := net.Pipe()
	closeBoth := func() { stub.Close(); theirs.Close() }
	t.Cleanup(closeBoth)
	go func() {
		defer closeBoth()
		_, _ = io.Copy(theirs, stub)
	}()
	go func() {
		defer closeBoth()
		buf := make([]byte, 4096)
		for {
			n, err := theirs.Read(buf)
			if err != nil {
				return
			}
			hit := strings.Contains(string(buf[:n]), c.request)
			if hit {
				c.times--
			}
			if hit && c.times == 0 && !c.after {
				return
			}
			if _, err := stub.Write(buf[:n]); err != nil || hit && c.times == 0 {
				time.Sleep(20 * time.Millisecond) // the target is on its way
				return
			}
		}
	}()
	return ours
}

// TestLost loses the connection in each state: everybody gets ErrLost, nobody
// waits.
func TestLost(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		cut  cut
	}{
		{"before the target runs", cut{request: "vCont;c", times: 2}},
		{"while it runs", cut{request: "vCont;c", times: 2, after: true}},
		{"while it steps", cut{request: "vCont;s", times: 1, after: true}},
		{"while registers are read", cut{request: "$g#", times: 4}},
		{"while a breakpoint is set", cut{request: "$Z0", times: 3}},
		{"while a breakpoint is lifted", cut{request: "$z0", times: 2, after: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			address := m3O0.machineAt(t)
			client, err := gdbremote.New(t.Context(), tt.cut.relay(t, address), gdbremote.Options{})
			if err != nil {
				t.Fatal(err)
			}
			d := m3O0.attach(t, client, runcontrol.Options{})
			d.breakOn("leaf")
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			for err == nil && ctx.Err() == nil {
				if _, err = d.Resume(ctx, runcontrol.Motion{}); err == nil {
					_, err = d.Resume(ctx, next)
				}
				if err == nil {
					_, err = d.SetBreakpoints(ctx, "more", []runcontrol.Spec{{Kind: runcontrol.FunctionBreakpoint, Function: "tail"}})
				}
			}
			if ctx.Err() != nil || err == nil {
				t.Fatalf("the connection lives: %v", err)
			}
			if _, err := d.Resume(t.Context(), next); !errors.Is(err, runcontrol.ErrLost) {
				t.Errorf("a step after the loss: %v", err)
			}
			if err := d.Do(t.Context(), func(context.Context, *live.Machine) error { return nil }); !errors.Is(err, runcontrol.ErrLost) {
				t.Errorf("an errand after the loss: %v", err)
			}
			if _, err := d.Session(); !errors.Is(err, runcontrol.ErrLost) {
				t.Errorf("the session after the loss: %v", err)
			}
		})
	}
}
