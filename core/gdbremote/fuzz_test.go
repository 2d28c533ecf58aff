package gdbremote

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"pushmask/core"
)

// FuzzClient gives the lines of its input as answers, in turn and again and
// again, and does all that a client can do: it must end, and not for long.
func FuzzClient(f *testing.F) {
	f.Add("PacketSize=40;qXfer:features:read+;multiprocess+\nl" + describe(integers) + "\nT05thread:p1.1;watch:20;\n" + words(0, 17) + "\nOK")
	f.Add("PacketSize=100;qXfer:memory-map:read+;qXfer:threads:read+;binary-upload+\nT050f:00000000;\nl<threads><thread id='1'/></threads>\nb12")
	f.Add("\nE01\nm1,2\nl\nOK\nFwrite,1,20000000,5\nO6869\nS05\nW00")
	f.Fuzz(func(t *testing.T, text string) {
		answers := strings.Split(text, "\n")
		ours, theirs := net.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			i := -1
			answer(theirs, &requests{}, func(string) string {
				i++
				return answers[i%len(answers)]
			})
		}()
		defer func() { <-done }()
		defer ours.Close()
		start := time.Now()
		useAll(t.Context(), ours)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// useAll makes every kind of request, whatever came of the one before.
func useAll(ctx context.Context, nc net.Conn) {
	opt := Options{Timeout: 50 * time.Millisecond, AckWait: 20 * time.Millisecond}
	c, err := New(ctx, nc, opt)
	if err != nil {
		return
	}
	p := make([]byte, 100)
	_, _ = c.Halted(ctx)
	list, _ := c.Threads(ctx)
	for _, th := range list[:min(len(list), 3)] {
		_, _ = c.RegistersOf(ctx, th.ID, core.MSP, core.S0)
	}
	_, _ = c.Registers(ctx, core.PSR, core.CONTROL)
	_ = c.WriteRegister(ctx, "", core.S0, 1)
	_, _ = c.ReadMemory(ctx, 0x20000000, p)
	_ = c.WriteMemory(ctx, 0x20000000, p)
	_ = c.Load(ctx, []Segment{{Addr: 0x08000000, Data: p}}, nil)
	_ = c.InsertBreakpoint(ctx, SoftwareBreakpoint, 0, 2)
	_, _ = c.ServerName(ctx)
	_, _ = c.Attach(ctx, 1)
	run, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
	defer cancel()
	_, _ = c.Resume(run, Action{Kind: RangeStepAction, End: 4}, Action{Kind: ContinueAction, Thread: "1"})
	_, _ = c.Restart(ctx)
	_ = c.Detach(ctx)
}
