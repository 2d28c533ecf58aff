package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
)

// dapClient speaks the Debug Adapter Protocol from the editor's side, as far
// as the demo needs it: one request at a time.
type dapClient struct {
	w      io.Writer
	r      *bufio.Reader
	seq    int
	events map[string]bool // names of the events seen so far
}

func newDAPClient(rw io.ReadWriter) *dapClient {
	return &dapClient{w: rw, r: bufio.NewReader(rw), events: make(map[string]bool)}
}

// dapMessage is a response or an event.
type dapMessage struct {
	Type       string          `json:"type"`
	Event      string          `json:"event"`
	RequestSeq int             `json:"request_seq"`
	Success    bool            `json:"success"`
	Message    string          `json:"message"`
	Body       json.RawMessage `json:"body"`
}

// request sends a request and decodes the body of its response into body,
// unless that is nil.
func (c *dapClient) request(command string, arguments, body any) error {
	c.seq++
	content, err := json.Marshal(map[string]any{
		"seq": c.seq, "type": "request", "command": command, "arguments": arguments,
	})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c.w, "Content-Length: %d\r\n\r\n%s", len(content), content); err != nil {
		return fmt.Errorf("send %s: %w", command, err)
	}
	for {
		m, err := c.read()
		switch {
		case err != nil:
			return fmt.Errorf("wait for the answer to %s: %w", command, err)
		case m.Type != "response" || m.RequestSeq != c.seq:
			continue
		case !m.Success:
			return fmt.Errorf("%s: %s", command, m.Message)
		case body == nil:
			return nil
		}
		return json.Unmarshal(m.Body, body)
	}
}

// await reads until an event has been seen.
func (c *dapClient) await(event string) error {
	for !c.events[event] {
		if _, err := c.read(); err != nil {
			return fmt.Errorf("wait for event %s: %w", event, err)
		}
	}
	return nil
}

// read reads one message (Base protocol).
func (c *dapClient) read() (dapMessage, error) {
	var m dapMessage
	header, err := textproto.NewReader(c.r).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || n < 0 {
		return m, errors.New("message without a length")
	}
	content := make([]byte, n)
	if _, err := io.ReadFull(c.r, content); err != nil {
		return m, err
	}
	if err := json.Unmarshal(content, &m); err != nil {
		return m, fmt.Errorf("decode message: %w", err)
	}
	if m.Type == "event" {
		c.events[m.Event] = true
	}
	return m, nil
}
