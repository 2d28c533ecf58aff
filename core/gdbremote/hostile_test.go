package gdbremote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A stub that lies costs bounded memory and time: what follows ends by itself,
// or with the time that an exchange may take.

// flood is a stub that greets and then writes text again and again, whatever
// it is asked.
func flood(t *testing.T, opt Options, text string) *Client {
	t.Helper()
	ours, theirs := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer theirs.Close()
		if err := perform(theirs, [][]turn{greeting("")}); err != nil {
			t.Error(err)
			return
		}
		go func() { _, _ = io.Copy(io.Discard, theirs) }()
		block := []byte(strings.Repeat(text, 1+4096/len(text)))
		for {
			if _, err := theirs.Write(block); err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		ours.Close()
		<-done
	})
	c, err := New(t.Context(), ours, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// slack is what a busy machine may add to a limit.
const slack = 10 * time.Second

// within fails when f takes longer than slack more than limit, or more than
// some megabytes.
func within(t *testing.T, limit time.Duration, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	f()
	took := time.Since(start)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if took > limit+slack {
		t.Errorf("took %v", took)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 64<<20 {
		t.Errorf("holds %d bytes more", grown)
	}
}

// TestFlood has answers without end in place of one.
func TestFlood(t *testing.T) {
	t.Parallel()
	opt := Options{Timeout: 300 * time.Millisecond, AckWait: 50 * time.Millisecond}
	for name, tt := range map[string]struct {
		text string
		want []error
	}{
		"output":           {pkt("O6869"), []error{ErrNoAnswer, ErrNoAck}},
		"output that acks": {"+" + pkt("O6869"), []error{ErrNoAnswer}},
		"notifications":    {"+%Stop:T05#99", []error{ErrNoAnswer}},
		"acknowledgements": {"+", []error{ErrNoAnswer}},
		"refusals":         {"-", []error{ErrNoAck, ErrNoAnswer}},
		"damaged packets":  {"+$x#00", []error{ErrChecksum}},
		"no packet":        {"noise ", []error{ErrNoAck, ErrNoAnswer}},
		"one packet":       {"+$xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" + strings.Repeat("x", 4096), []error{ErrNoAnswer, ErrTooLong}},
		"bytes of one":     {strings.Repeat("x", 4096), []error{ErrNoAck, ErrNoAnswer}},
	} {
		t.Run(name, func(t *testing.T) {
			c := flood(t, opt, tt.text)
			within(t, opt.Timeout, func() {
				_, err := c.Exchange(t.Context(), "qC")
				for _, want := range tt.want {
					if errors.Is(err, want) {
						return
					}
				}
				t.Errorf("got %v, want %v", err, tt.want)
			})
		})
	}
}

// TestFloodWhileRunning has a target that prints and asks for files without
// end, and does not heed the interrupt.
func TestFloodWhileRunning(t *testing.T) {
	t.Parallel()
	opt := Options{Timeout: 300 * time.Millisecond, AckWait: 100 * time.Millisecond}
	for _, text := range []string{"+" + pkt("O6869"), "+" + pkt("Fisatty,1"), "+" + pkt("Fwrite,1,0,0")} {
		c := flood(t, opt, text)
		c.asked = true
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		within(t, 4*opt.Timeout, func() {
			if s, err := c.Continue(ctx); err == nil {
				t.Errorf("%q: stopped with %+v", text, s)
			}
		})
		cancel()
	}
}

// TestLies has answers that are well-formed and without end.
func TestLies(t *testing.T) {
	t.Parallel()
	id := 0
	c, _ := answering(t, Options{Timeout: time.Minute}, func(request string) string {
		switch {
		case strings.HasPrefix(request, "qSupported"):
			return "PacketSize=ffffffff;qXfer:memory-map:read+;qXfer:threads:read+"
		case strings.HasPrefix(request, "qXfer:threads"):
			return "m<"
		case strings.HasPrefix(request, "qXfer:memory-map"):
			return "m" + strings.Repeat(" ", 1<<16)
		case strings.HasSuffix(request, "fThreadInfo"), strings.HasPrefix(request, "qsThreadInfo"):
			id++
			return fmt.Sprintf("m%x", id)
		case request[0] == 'm':
			return strings.Repeat("00", 1<<17)
		case request[0] == 'g':
			return strings.Repeat("00", 1<<19)
		}
		return ""
	})
	ctx := t.Context()
	within(t, time.Minute, func() {
		if _, err := c.MemoryMap(ctx); !errors.Is(err, ErrTooLong) {
			t.Errorf("memory map: %v", err)
		}
		if _, err := c.readObject(ctx, "threads", ""); !errors.Is(err, ErrTooLong) {
			t.Errorf("document by the byte: %v", err)
		}
		if _, err := c.pagedThreads(ctx); !errors.Is(err, ErrTooLong) || id > maxThreads+1 {
			t.Errorf("threads: %v after %d", err, id)
		}
		if n, err := c.ReadMemory(ctx, 0, make([]byte, 16)); n != 0 || !errors.Is(err, ErrMalformed) {
			t.Errorf("memory: %d bytes, %v", n, err)
		}
		if r, err := c.Registers(ctx); err != nil || r.Empty() {
			t.Errorf("registers of 512 KiB: %v", err)
		}
	})
}

// TestDocumentsWithoutEnd has a description that includes others for ever.
func TestDocumentsWithoutEnd(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("<!-- -->", 1<<10)
	ours, theirs := net.Pipe()
	go answer(theirs, &requests{}, func(request string) string {
		if strings.HasPrefix(request, "qSupported") {
			return "PacketSize=10000;qXfer:features:read+"
		}
		name := strings.Split(request, ":")
		if len(name) < 4 {
			return ""
		}
		return document(request, "features", name[3], filler+`<xi:include href="`+name[3]+`a"/>`)
	})
	within(t, time.Minute, func() {
		if c, err := New(t.Context(), ours, Options{}); !errors.Is(err, ErrMalformed) {
			t.Errorf("%v, %v", c, err)
		}
	})
}

// TestCancel ends every kind of exchange with its context.
func TestCancel(t *testing.T) {
	t.Parallel()
	calls := map[string]func(context.Context, *Client) error{
		"exchange":  func(ctx context.Context, c *Client) error { _, err := c.Exchange(ctx, "qC"); return err },
		"registers": func(ctx context.Context, c *Client) error { _, err := c.Registers(ctx); return err },
		"memory": func(ctx context.Context, c *Client) error {
			_, err := c.ReadMemory(ctx, 0, make([]byte, 4))
			return err
		},
		"write":   func(ctx context.Context, c *Client) error { return c.WriteMemory(ctx, 0, make([]byte, 4)) },
		"threads": func(ctx context.Context, c *Client) error { _, err := c.Threads(ctx); return err },
		"monitor": func(ctx context.Context, c *Client) error { return c.Monitor(ctx, "x", nil) },
		"erase":   func(ctx context.Context, c *Client) error { return c.FlashErase(ctx, 0, 1) },
		"halted":  func(ctx context.Context, c *Client) error { _, err := c.Halted(ctx); return err },
		"restart": func(ctx context.Context, c *Client) error { _, err := c.Restart(ctx); return err },
		"detach":  func(ctx context.Context, c *Client) error { return c.Detach(ctx) },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, ack := range []string{"", "+"} {
				ours, theirs := net.Pipe()
				go func() {
					defer theirs.Close()
					_ = perform(theirs, [][]turn{greeting("")})
					p := make([]byte, 4096)
					for {
						if _, err := theirs.Read(p); err != nil {
							return
						}
						if _, err := io.WriteString(theirs, ack); err != nil {
							return
						}
					}
				}()
				c, err := New(t.Context(), ours, Options{Timeout: time.Minute, AckWait: time.Minute})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
				start := time.Now()
				if err := call(ctx, c); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 5*time.Second {
					t.Errorf("acknowledged by %q: %v after %v", ack, err, time.Since(start))
				}
				cancel()
				c.Close()
			}
		})
	}
}
