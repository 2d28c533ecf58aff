package dapclient

import (
	"bufio"
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-dap"
)

// answer runs a server that reads one request and sends the given contents.
func answer(contents ...string) func(io.ReadWriter) error {
	return func(rw io.ReadWriter) error {
		if _, err := dap.ReadBaseMessage(bufio.NewReader(rw)); err != nil {
			return err
		}
		for _, content := range contents {
			if err := dap.WriteBaseMessage(rw, []byte(content)); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	c, done := Start(answer(`{"seq":1,"type":"response","request_seq":1,"command":"threads","success":false,"message":"short",
		"body":{"error":{"id":7,"format":"no {what} in {where}","variables":{"what":"thread","where":"{what}"},"showUser":true}}}`))
	defer c.Close()
	_, err := c.Threads()
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("error %v", err)
	}
	if want := (Error{Command: "threads", ID: 7, Message: "short", Text: "no thread in {what}", ShowUser: true}); *e != want {
		t.Errorf("got  %+v\nwant %+v", *e, want)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestEventOrder takes events by name: those of other names wait.
func TestEventOrder(t *testing.T) {
	t.Parallel()
	c, _ := Start(answer(
		`{"seq":1,"type":"event","event":"output","body":{"output":"first"}}`,
		`{"seq":2,"type":"event","event":"stopped","body":{"threadId":3}}`,
		`{"seq":3,"type":"event","event":"output","body":{"output":"second"}}`,
	))
	defer c.Close()
	if _, err := c.Send("launch", nil); err != nil {
		t.Fatal(err)
	}
	var stopped dap.StoppedEventBody
	if err := c.Event("stopped", &stopped); err != nil || stopped.ThreadId != 3 {
		t.Errorf("stopped: %+v, %v", stopped, err)
	}
	for _, want := range []string{"first", "second"} {
		var out dap.OutputEventBody
		if err := c.Event("output", &out); err != nil || out.Output != want {
			t.Errorf("output: %q, %v; want %q", out.Output, err, want)
		}
	}
	if err := c.Event("output", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v, want %v", err, ErrClosed)
	}
	if n := len(c.Received()); n != 3 {
		t.Errorf("%d messages received, want 3", n)
	}
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		c, done := Start(func(rw io.ReadWriter) error {
			<-hang
			return nil
		})
		start := time.Now()
		if err := c.Event("stopped", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		if took := time.Since(start); took != DefaultTimeout {
			t.Errorf("took %v, want %v", took, DefaultTimeout)
		}
		close(hang)
		<-done
		c.Close()
	})
}
