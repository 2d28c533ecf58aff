package dap

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/google/go-dap"
)

// Limits of the base protocol that protect the server from a broken client.
const (
	maxHeaderLine = 4 << 10 // bytes of one header line
	maxHeaders    = 16      // header lines of one message
	maxContent    = 4 << 20 // bytes of one message's content
)

// errFraming is what errors.Is finds in the error for a stream that is not
// framed as the base protocol demands. Nothing after it can be read.
var errFraming = errors.New("not a Debug Adapter Protocol message")

// readContent reads one message's content from r, which must have been made
// with a buffer of maxHeaderLine bytes. It differs from go-dap's reader in
// that headers other than Content-Length are skipped (the base protocol is
// that of LSP, whose clients may send Content-Type) and that lines are
// bounded. It returns io.EOF only between messages.
func readContent(r *bufio.Reader) ([]byte, error) {
	length := -1
	for n := 0; ; n++ {
		line, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) && n == 0 && len(line) == 0:
			return nil, io.EOF
		case errors.Is(err, io.EOF):
			return nil, io.ErrUnexpectedEOF
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("%w: a header line is longer than %d bytes", errFraming, maxHeaderLine)
		case err != nil:
			return nil, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		if n == maxHeaders {
			return nil, fmt.Errorf("%w: more than %d header lines", errFraming, maxHeaders)
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return nil, fmt.Errorf("%w: header line %.60q has no colon", errFraming, text)
		}
		if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			continue
		}
		length, err = strconv.Atoi(strings.TrimSpace(value))
		if err != nil || length < 0 || length > maxContent {
			return nil, fmt.Errorf("%w: Content-Length %.60q is not a number up to %d", errFraming, value, maxContent)
		}
	}
	if length < 0 {
		return nil, fmt.Errorf("%w: Content-Length is missing", errFraming)
	}
	content := make([]byte, length)
	if _, err := io.ReadFull(r, content); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return content, nil
}

// envelope holds the fields that every message has.
type envelope struct {
	Seq     int
	Type    string
	Command string
}

// parseEnvelope reads the envelope of a message field by field, so that a
// wrong type in one of them leaves the others usable for an error response.
// It fails only where content is not a JSON object.
func parseEnvelope(content []byte) (envelope, error) {
	var fields struct {
		Seq     json.RawMessage `json:"seq"`
		Type    json.RawMessage `json:"type"`
		Command json.RawMessage `json:"command"`
	}
	if err := json.Unmarshal(content, &fields); err != nil {
		return envelope{}, err
	}
	var e envelope
	for _, f := range []struct {
		raw json.RawMessage
		to  any
	}{{fields.Seq, &e.Seq}, {fields.Type, &e.Type}, {fields.Command, &e.Command}} {
		if len(f.raw) > 0 {
			// A field of the wrong type keeps its zero value.
			_ = json.Unmarshal(f.raw, f.to)
		}
	}
	return e, nil
}

// writer sends messages, one at a time, each with the next sequence number.
// It is safe for concurrent use. The first failure is kept and reported to
// the failed function once; later messages are dropped.
type writer struct {
	mu     sync.Mutex
	w      *bufio.Writer
	seq    int
	err    error
	failed func(error)
}

func newWriter(w io.Writer, failed func(error)) *writer {
	return &writer{w: bufio.NewWriter(w), failed: failed}
}

// respond sends resp as the successful answer to the request.
func (w *writer) respond(to envelope, resp dap.ResponseMessage) {
	r := resp.GetResponse()
	r.Type, r.RequestSeq, r.Command, r.Success = "response", to.Seq, to.Command, true
	w.send(&r.Seq, resp)
}

// respondError sends e as the answer to the request.
func (w *writer) respondError(to envelope, e *requestError) {
	resp := &dap.ErrorResponse{
		Response: dap.Response{RequestSeq: to.Seq, Command: to.Command, Message: e.message()},
		Body: dap.ErrorResponseBody{Error: &dap.ErrorMessage{
			Id: int(e.id),
			// Format would take braces in the text as names of variables.
			Format:    "{error}",
			Variables: map[string]string{"error": e.text},
			ShowUser:  e.show,
		}},
	}
	resp.Type = "response"
	w.send(&resp.Seq, resp)
}

// emit sends an event of the given name.
func (w *writer) emit(name string, event dap.EventMessage) {
	e := event.GetEvent()
	e.Type, e.Event = "event", name
	w.send(&e.Seq, event)
}

// send numbers and writes one message; seq points into it.
func (w *writer) send(seq *int, message any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	w.seq++
	*seq = w.seq
	content, err := json.Marshal(message)
	if err == nil {
		err = dap.WriteBaseMessage(w.w, content)
	}
	if err == nil {
		err = w.w.Flush()
	}
	if err != nil {
		w.err = fmt.Errorf("write message: %w", err)
		w.failed(w.err)
	}
}
