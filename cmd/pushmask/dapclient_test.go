package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// answers is a debug adapter that has said all it will say.
type answers struct {
	io.Reader
	sent bytes.Buffer
}

func (a *answers) Write(p []byte) (int, error) { return a.sent.Write(p) }

func adapterSays(messages ...string) *answers {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(m), m)
	}
	return &answers{Reader: strings.NewReader(b.String())}
}

func TestDAPClient(t *testing.T) {
	t.Parallel()
	a := adapterSays(
		`{"type":"event","event":"initialized"}`,
		`{"type":"response","request_seq":1,"success":true,"body":{"value":7}}`,
		`{"type":"event","event":"stopped"}`)
	c := newDAPClient(a)
	var body struct{ Value int }
	if err := c.request("evaluate", map[string]any{"expression": "x"}, &body); err != nil || body.Value != 7 {
		t.Errorf("answer %+v, error %v", body, err)
	}
	if !strings.Contains(a.sent.String(), `"command":"evaluate"`) {
		t.Errorf("sent %q", a.sent.String())
	}
	for _, event := range []string{"initialized", "stopped"} {
		if err := c.await(event); err != nil {
			t.Error(err)
		}
	}
	if err := c.await("terminated"); err == nil {
		t.Error("an event that never came was awaited")
	}
}

func TestDAPClientErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		rw   *answers
		want string
	}{
		{"refused", adapterSays(`{"type":"response","request_seq":1,"success":false,"message":"no such file"}`), "launch: no such file"},
		{"silence", adapterSays(), "wait for the answer to launch: EOF"},
		{"no length", &answers{Reader: strings.NewReader("X: 1\r\n\r\n")}, "message without a length"},
		{"cut short", &answers{Reader: strings.NewReader("Content-Length: 10\r\n\r\n{}")}, "unexpected EOF"},
		{"no JSON", adapterSays("hello"), "decode message"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := newDAPClient(tt.rw).request("launch", nil, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}
