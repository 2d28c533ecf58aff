package dap

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-dap"

	"pushmask/core/session"
	"pushmask/dap/dapclient"
)

// slowOpener opens after d, telling a step at a third and two thirds of it.
func slowOpener(d time.Duration) func(*adapter) {
	return func(a *adapter) {
		open := a.open
		a.open = func(ctx context.Context, cfg session.Config, dump string, opt session.DumpOptions) (*session.Program, *session.Session, error) {
			for _, step := range []string{"reading symbols", "indexing lines", ""} {
				select {
				case <-time.After(d / 3):
				case <-ctx.Done():
					return nil, nil, ctx.Err()
				}
				if step != "" {
					cfg.Progress(step)
				}
			}
			cfg.Progress = nil // the steps above are all of them
			return open(ctx, cfg, dump, opt)
		}
	}
}

// inBubble runs a session under a fake clock.
func inBubble(t *testing.T, setup func(*adapter), run func(t *testing.T, c *dapclient.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c, done := dapclient.Start(func(rw io.ReadWriter) error {
			a := newAdapter(rw, Options{})
			setup(a)
			return a.serve(context.Background(), rw)
		})
		c.Timeout = time.Hour
		must(c.Initialize())(t)
		run(t, c)
		// An error says that run has disconnected.
		_ = c.Disconnect()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
		c.Close()
	})
}

func demoConfig(t testing.TB) map[string]any {
	return map[string]any{"executable": demoImage(t), "coreFile": demoCore(t)}
}

// progressOf returns the progress events received, in order.
func progressOf(c *dapclient.Client) []string {
	var list []string
	for _, m := range c.Received() {
		switch m.Event {
		case "progressStart", "progressUpdate", "progressEnd":
			list = append(list, m.Event)
		}
	}
	return list
}

func TestProgress(t *testing.T) {
	for _, test := range []struct {
		name string
		took time.Duration
		want []string
	}{
		{"quick", progressDelay - time.Millisecond, nil},
		{"slow", 3 * time.Second, []string{"progressStart", "progressUpdate", "progressUpdate", "progressEnd"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, slowOpener(test.took), func(t *testing.T, c *dapclient.Client) {
				if err := c.Launch(demoConfig(t)); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, progressOf(c)); diff != "" {
					t.Errorf("progress events differ (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestProgressNotSupported checks that a client that did not ask for progress
// gets none.
func TestProgressNotSupported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, done := dapclient.Start(func(rw io.ReadWriter) error {
			a := newAdapter(rw, Options{})
			slowOpener(time.Minute)(a)
			return a.serve(context.Background(), rw)
		})
		c.Timeout = time.Hour
		if err := c.Call("initialize", dap.InitializeRequestArguments{}, nil); err != nil {
			t.Fatal(err)
		}
		if err := c.Launch(demoConfig(t)); err != nil {
			t.Fatal(err)
		}
		if got := progressOf(c); got != nil {
			t.Errorf("got %v", got)
		}
		c.Close()
		<-done
	})
}

// TestCancel ends a launch in three ways, after which the session must live.
func TestCancel(t *testing.T) {
	for _, test := range []struct {
		name   string
		cancel func(c *dapclient.Client, seq int) error
		after  time.Duration
	}{
		{"request", func(c *dapclient.Client, seq int) error { return c.Cancel(seq) }, 0},
		{"progress", func(c *dapclient.Client, seq int) error { return c.CancelProgress(progressID(seq)) }, 0},
		{"terminate", func(c *dapclient.Client, _ int) error { return c.Terminate() }, interruptGrace},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, slowOpener(time.Minute), func(t *testing.T, c *dapclient.Client) {
				start := time.Now()
				seq := must(c.Send("launch", demoConfig(t)))(t)
				if err := c.Event("progressStart", nil); err != nil {
					t.Fatal(err)
				}
				if err := test.cancel(c, seq); err != nil {
					t.Fatal(err)
				}
				if e := wantError(t, c.Expect(seq, nil), errCancelled); e.Message != "cancelled" {
					t.Errorf("message %q, want cancelled", e.Message)
				}
				if took, want := time.Since(start), progressDelay+test.after; took != want {
					t.Errorf("took %v, want %v", took, want)
				}
				if err := c.Event("progressEnd", nil); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestCancelQueued cancels a request that waits for its turn.
func TestCancelQueued(t *testing.T) {
	inBubble(t, slowOpener(time.Minute), func(t *testing.T, c *dapclient.Client) {
		launch := must(c.Send("launch", demoConfig(t)))(t)
		threads := must(c.Send("threads", nil))(t)
		stack := must(c.Send("stackTrace", map[string]any{"threadId": 1}))(t)
		if err := c.Cancel(stack); err != nil {
			t.Fatal(err)
		}
		if err := c.Expect(launch, nil); err != nil {
			t.Error(err)
		}
		if err := c.Expect(threads, nil); err != nil {
			t.Error(err)
		}
		wantError(t, c.Expect(stack, nil), errCancelled)
	})
}

// TestCancelUnknown cancels what is not there, which is no error.
func TestCancelUnknown(t *testing.T) {
	t.Parallel()
	c := startAdapter(t, nil)
	for _, args := range []any{nil, map[string]any{}, map[string]any{"requestId": 99}, map[string]any{"progressId": "x"}} {
		if err := c.Call("cancel", args, nil); err != nil {
			t.Errorf("cancel %v: %v", args, err)
		}
	}
}

// TestDisconnectWhileOpening must not wait for the launch.
func TestDisconnectWhileOpening(t *testing.T) {
	inBubble(t, slowOpener(time.Hour), func(t *testing.T, c *dapclient.Client) {
		start := time.Now()
		must(c.Send("launch", demoConfig(t)))(t)
		if err := c.Disconnect(); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != interruptGrace {
			t.Errorf("took %v, want %v", took, interruptGrace)
		}
	})
}

// TestAllAtOnce sends a whole session without waiting for any answer.
func TestAllAtOnce(t *testing.T) {
	t.Parallel()
	c := startAdapter(t, nil)
	var seqs []int
	for _, r := range []struct {
		command string
		args    any
	}{
		{"initialize", map[string]any{}}, {"launch", demoConfig(t)}, {"configurationDone", nil},
		{"stackTrace", map[string]any{"threadId": 1}}, {"disconnect", nil},
	} {
		seqs = append(seqs, must(c.Send(r.command, r.args))(t))
	}
	for _, seq := range seqs {
		if err := c.Expect(seq, nil); err != nil {
			t.Error(err)
		}
	}
}
