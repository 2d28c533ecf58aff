// Package dapclient is a small client of the Debug Adapter Protocol with one
// method for each request that pushmask serves. Tests use it, and so do
// programs that want to drive the server in-process. It knows nothing of the
// server.
package dapclient

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/google/go-dap"
)

// DefaultTimeout is how long a [Client] waits for one message.
const DefaultTimeout = 20 * time.Second

// ErrClosed is what errors.Is finds in the error for a response or event that
// will not come, because the server has closed its end.
var ErrClosed = errors.New("the server closed the connection")

// Error is an error response.
type Error struct {
	Command  string
	ID       int    // ErrorMessage.id
	Message  string // Response.message
	Text     string // ErrorMessage.format with its variables put in
	ShowUser bool
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Command, e.Text) }

// Message is a response or an event as it came.
type Message struct {
	Seq        int             `json:"seq"`
	Type       string          `json:"type"`
	Event      string          `json:"event"`
	Command    string          `json:"command"`
	RequestSeq int             `json:"request_seq"`
	Success    bool            `json:"success"`
	Message    string          `json:"message"`
	Body       json.RawMessage `json:"body"`
}

// Client is the client's end of a session. It is safe for concurrent use.
//
// One goroutine reads messages until the connection ends.
type Client struct {
	// Timeout bounds the wait for one message; 0 means DefaultTimeout.
	Timeout time.Duration

	conn io.ReadWriteCloser
	send sync.Mutex // serialises writes and numbers them
	seq  int

	mu       sync.Mutex
	arrived  chan struct{} // closed and replaced when messages or err change
	messages []Message     // not yet taken, in the order received
	history  []Message     // all, in the order received
	err      error         // why no more will come
}

// New returns the client for a connection.
func New(conn io.ReadWriteCloser) *Client {
	c := &Client{conn: conn, arrived: make(chan struct{})}
	go c.read()
	return c
}

// Start runs serve with the server's end of a pipe and returns the client of
// it. Done delivers what serve returns.
func Start(serve func(rw io.ReadWriter) error) (c *Client, done <-chan error) {
	near, far := net.Pipe()
	result := make(chan error, 1)
	go func() {
		err := serve(far)
		far.Close()
		result <- err
	}()
	return New(near), result
}

// Close closes the connection.
func (c *Client) Close() error { return c.conn.Close() }

func (c *Client) read() {
	r := bufio.NewReader(c.conn)
	for {
		var m Message
		content, err := dap.ReadBaseMessage(r)
		if err == nil {
			err = json.Unmarshal(content, &m)
		}
		c.mu.Lock()
		if err != nil {
			c.err = fmt.Errorf("%w: %w", ErrClosed, err)
		} else {
			c.messages, c.history = append(c.messages, m), append(c.history, m)
		}
		close(c.arrived)
		c.arrived = make(chan struct{})
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Received returns every message received so far.
func (c *Client) Received() []Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Message(nil), c.history...)
}

// wait takes the first message that match accepts.
func (c *Client) wait(what string, match func(*Message) bool) (Message, error) {
	timeout := c.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for {
		c.mu.Lock()
		for i, m := range c.messages {
			if match(&m) {
				c.messages = append(c.messages[:i:i], c.messages[i+1:]...)
				c.mu.Unlock()
				return m, nil
			}
		}
		err, arrived := c.err, c.arrived
		c.mu.Unlock()
		if err != nil {
			return Message{}, fmt.Errorf("wait for %s: %w", what, err)
		}
		select {
		case <-arrived:
		case <-timer.C:
			return Message{}, fmt.Errorf("wait for %s: %w", what, context.DeadlineExceeded)
		}
	}
}

// WriteRaw sends content with a header and nothing else done to it.
func (c *Client) WriteRaw(content []byte) error {
	c.send.Lock()
	defer c.send.Unlock()
	return dap.WriteBaseMessage(c.conn, content)
}

// Send sends a request and returns its sequence number. Arguments are
// anything that marshals to the JSON wanted; nil leaves them out.
func (c *Client) Send(command string, arguments any) (seq int, err error) {
	c.send.Lock()
	defer c.send.Unlock()
	c.seq++
	content, err := json.Marshal(struct {
		Seq       int    `json:"seq"`
		Type      string `json:"type"`
		Command   string `json:"command"`
		Arguments any    `json:"arguments,omitempty"`
	}{c.seq, "request", command, arguments})
	if err != nil {
		return 0, fmt.Errorf("send %s: %w", command, err)
	}
	if err := dap.WriteBaseMessage(c.conn, content); err != nil {
		return 0, fmt.Errorf("send %s: %w", command, err)
	}
	return c.seq, nil
}

// Expect waits for the response to the request sent as seq and decodes its
// body into body, which may be nil. The error is an [*Error] where the server
// refuses.
func (c *Client) Expect(seq int, body any) error {
	m, err := c.wait(fmt.Sprintf("the response to request %d", seq), func(m *Message) bool {
		return m.Type == "response" && m.RequestSeq == seq
	})
	if err != nil {
		return err
	}
	if !m.Success {
		return refusal(m)
	}
	if body == nil {
		return nil
	}
	if err := json.Unmarshal(m.Body, body); err != nil {
		return fmt.Errorf("decode the response to %s: %w", m.Command, err)
	}
	return nil
}

// refusal makes an error of an error response.
func refusal(m Message) error {
	e := &Error{Command: m.Command, Message: m.Message, Text: m.Message}
	var body dap.ErrorResponseBody
	if json.Unmarshal(m.Body, &body) == nil && body.Error != nil {
		e.ID, e.ShowUser = body.Error.Id, body.Error.ShowUser
		e.Text = expand(body.Error.Format, body.Error.Variables)
	}
	return e
}

// Call sends a request and waits for its response.
func (c *Client) Call(command string, arguments, body any) error {
	seq, err := c.Send(command, arguments)
	if err != nil {
		return err
	}
	return c.Expect(seq, body)
}

// Event waits for the next event of the given name and decodes its body into
// body, which may be nil. Other events stay for later calls.
func (c *Client) Event(name string, body any) error {
	m, err := c.wait("the event "+name, func(m *Message) bool { return m.Type == "event" && m.Event == name })
	if err != nil || body == nil {
		return err
	}
	if err := json.Unmarshal(m.Body, body); err != nil {
		return fmt.Errorf("decode the event %s: %w", name, err)
	}
	return nil
}
