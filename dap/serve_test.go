package dap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"pushmask/core/session"
	"pushmask/dap/dapclient"
)

// TestBadMessages sends messages that are wrong in themselves. Each must get
// an error response with its sequence number, and the session must live.
func TestBadMessages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, content string
		seq           int
		id            errorID
		text          string
	}{
		{"unknown command", `{"seq":7,"type":"request","command":"locations"}`, 7, errUnsupported, `does not support the request "locations"`},
		{"not offered", `{"seq":7,"type":"request","command":"stepBack"}`, 7, errUnsupported, `"stepBack"`},
		{"empty command", `{"seq":7,"type":"request"}`, 7, errUnsupported, `""`},
		{"number for string", `{"seq":8,"type":"request","command":"evaluate","arguments":{"expression":5}}`, 8, errMalformed, "expression is a JSON number where a string is expected"},
		{"string for number", `{"seq":8,"type":"request","command":"stackTrace","arguments":{"threadId":"one"}}`, 8, errMalformed, "a JSON string where a number is expected"},
		{"list for object", `{"seq":9,"type":"request","command":"scopes","arguments":[1]}`, 9, errMalformed, "a JSON array where an object is expected"},
		{"command of wrong type", `{"seq":10,"type":"request","command":{}}`, 10, errUnsupported, `""`},
		{"unknown type", `{"seq":11,"type":"question","command":"threads"}`, 11, errMalformed, `type is "question"`},
		{"no type", `{"seq":12}`, 12, errMalformed, `type is ""`},
		{"null", `null`, 0, errMalformed, `type is ""`},
		{"no object", `[1,2]`, 0, errMalformed, "not a JSON object"},
		{"no JSON", `hello`, 0, errMalformed, "not a JSON object"},
		{"empty", ``, 0, errMalformed, "not a JSON object"},
		{"seq of wrong type", `{"seq":"x","type":"request","command":"threads"}`, 0, errMalformed, "seq"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := startAdapter(t, nil)
			if err := c.WriteRaw([]byte(test.content)); err != nil {
				t.Fatal(err)
			}
			e := wantError(t, c.Expect(test.seq, nil), test.id)
			if !strings.Contains(e.Text, test.text) {
				t.Errorf("error text %q does not contain %q", e.Text, test.text)
			}
			if _, err := c.Initialize(); err != nil {
				t.Errorf("the session is dead: %v", err)
			}
		})
	}
}

// TestIgnoredMessages sends what needs no answer.
func TestIgnoredMessages(t *testing.T) {
	t.Parallel()
	c := startAdapter(t, nil)
	for _, content := range []string{
		`{"seq":1,"type":"event","event":"stopped"}`,
		`{"seq":2,"type":"response","request_seq":9,"command":"runInTerminal","success":true}`,
	} {
		if err := c.WriteRaw([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	must(c.Initialize())(t)
	if n := len(c.Received()); n != 1 {
		t.Errorf("got %d messages, want the response to initialize only", n)
	}
}

// stream is a client that sends all it has to say at once.
type stream struct {
	io.Reader
	bytes.Buffer
}

func (s *stream) Read(p []byte) (int, error) { return s.Reader.Read(p) }

func framed(content string) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(content), content)
}

func TestFraming(t *testing.T) {
	t.Parallel()
	request := `{"seq":1,"type":"request","command":"initialize","arguments":{}}`
	for _, test := range []struct {
		name, input string
		answered    bool   // initialize was answered
		err         string // "" for none
	}{
		{"nothing", "", false, ""},
		{"one message", framed(request), true, ""},
		{"more headers", "Content-Type: application/vscode-jsonrpc\r\n" + framed(request), true, ""},
		{"lower case and bare LF", fmt.Sprintf("content-length:%d\n\n%s", len(request), request), true, ""},
		{"http", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", false, "has no colon"},
		{"no length", "Content-Type: x\r\n\r\n{}", false, "Content-Length is missing"},
		{"length is no number", "Content-Length: ten\r\n\r\n", false, `Content-Length " ten" is not a number`},
		{"length is negative", "Content-Length: -1\r\n\r\n", false, "is not a number up to"},
		{"too long", "Content-Length: 99999999\r\n\r\n", false, "is not a number up to"},
		{"endless line", strings.Repeat("x", 1<<16), false, "longer than"},
		{"endless headers", strings.Repeat("a: b\r\n", 1<<10), false, "more than"},
		{"cut in the header", "Content-Le", false, "unexpected EOF"},
		{"cut in the content", "Content-Length: 10\r\n\r\n{}", false, "unexpected EOF"},
		{"garbage after a message", framed(request) + "garbage\r\n", true, "has no colon"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &stream{Reader: strings.NewReader(test.input)}
			err := Serve(t.Context(), s, Options{})
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("Serve: %v, want %q", err, test.err)
			}
			out := s.String()
			if got := strings.Contains(out, `"supportsCancelRequest":true`); got != test.answered {
				t.Errorf("initialize answered: %v, want %v", got, test.answered)
			}
			if errors.Is(err, errFraming) && !strings.Contains(out, "the session ends") {
				t.Errorf("the client is not told: %q", out)
			}
		})
	}
}

// TestOrder sends requests at the wrong time.
func TestOrder(t *testing.T) {
	t.Parallel()
	c := startAdapter(t, nil)
	wantError(t, c.Launch(nil), errOutOfOrder)
	must(c.Initialize())(t)
	_, err := c.Initialize()
	wantError(t, err, errOutOfOrder)
	for command, r := range routeTable() {
		if r.needs == phaseOpen {
			e := wantError(t, c.Call(command, map[string]any{}, nil), errOutOfOrder)
			if want := "send launch or attach first"; !strings.Contains(e.Text, want) {
				t.Errorf("%s: %q lacks %q", command, e.Text, want)
			}
		}
	}
}

func TestLaunchTwice(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	wantError(t, c.Launch(map[string]any{"executable": demoImage(t), "coreFile": demoCore(t)}), errOutOfOrder)
}

// TestPanic makes a handler panic: the request fails, the session lives.
func TestPanic(t *testing.T) {
	t.Parallel()
	c := startAdapter(t, func(a *adapter) {
		a.open = func(context.Context, session.Config, string, session.DumpOptions) (*session.Program, *session.Session, error) {
			panic("out of luck")
		}
	})
	must(c.Initialize())(t)
	e := wantError(t, c.Launch(map[string]any{"executable": demoImage(t), "coreFile": demoCore(t)}), errInternal)
	if want := "out of luck"; !strings.Contains(e.Text, want) {
		t.Errorf("error text %q lacks %q", e.Text, want)
	}
	wantError(t, c.Launch(nil), errConfig)
}

// TestManyInFlight sends hundreds of requests without waiting, from several
// goroutines, and expects an answer to each.
func TestManyInFlight(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	var senders sync.WaitGroup
	for range 8 {
		senders.Go(func() {
			var seqs []int
			for i := range 100 {
				command, args := "threads", map[string]any(nil)
				switch i % 4 {
				case 1:
					command, args = "stackTrace", map[string]any{"threadId": 1}
				case 2:
					command, args = "readMemory", map[string]any{"memoryReference": "0x0", "count": 64}
				case 3:
					command, args = "cancel", map[string]any{"requestId": 1}
				}
				seq, err := c.Send(command, args)
				if err != nil {
					t.Error(err)
					return
				}
				seqs = append(seqs, seq)
			}
			for _, seq := range seqs {
				if err := c.Expect(seq, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	senders.Wait()
}

// TestSequence checks the numbers of all messages of a session.
func TestSequence(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	for i, m := range c.Received() {
		if m.Seq != i+1 {
			t.Errorf("message %d has the sequence number %d", i+1, m.Seq)
		}
	}
}

func TestDisconnectEndsServe(t *testing.T) {
	t.Parallel()
	c, done := dapclient.Start(func(rw io.ReadWriter) error { return Serve(t.Context(), rw, Options{}) })
	must(c.Open(demoImage(t), demoCore(t)))(t)
	if err := c.Terminate(); err != nil {
		t.Error(err)
	}
	if err := c.Event("terminated", nil); err != nil {
		t.Error(err)
	}
	_, err := c.StackTrace(1, 0, 0)
	wantError(t, err, errOutOfOrder)
	if err := c.Disconnect(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// TestContextEndsServe cancels the server while it waits for a request.
func TestContextEndsServe(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c, done := dapclient.Start(func(rw io.ReadWriter) error { return Serve(ctx, rw, Options{}) })
	must(c.Initialize())(t)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve: %v, want %v", err, context.Canceled)
	}
	if err := c.Event("none", nil); !errors.Is(err, dapclient.ErrClosed) {
		t.Errorf("the connection is open: %v", err)
	}
}
