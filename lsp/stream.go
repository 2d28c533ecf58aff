package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.lsp.dev/jsonrpc2"
)

// maxMessage is the size of the largest body that is read, in bytes: a
// document of the largest size in JSON, where a control character takes six.
const maxMessage = 6*maxDocument + 1<<16

// errDropped is what errors.Is finds in the error for a message that was
// skipped; the stream goes on after it.
var errDropped = errors.New("message skipped")

// stream frames JSON-RPC messages with the base protocol's header (LSP 3.17,
// "Base Protocol"). It takes the place of jsonrpc2.NewStream, which allocates
// whatever Content-Length announces and writes each message in two pieces.
type stream struct {
	in  *bufio.Reader
	out io.Writer
}

func newStream(rw io.ReadWriter) *stream {
	return &stream{in: bufio.NewReader(rw), out: rw}
}

// read returns the next message. The error is io.EOF at the end of the stream
// and wraps errDropped where only this message is bad.
func (s *stream) read() (jsonrpc2.Message, error) {
	n, err := s.header()
	if err != nil {
		return nil, err
	}
	if n > maxMessage {
		if _, err := io.CopyN(io.Discard, s.in, n); err != nil {
			return nil, unexpected(err)
		}
		return nil, fmt.Errorf("body of %d bytes, the limit is %d: %w", n, maxMessage, errDropped)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(s.in, body); err != nil {
		return nil, unexpected(err)
	}
	msg, err := jsonrpc2.DecodeMessage(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDropped, err)
	}
	return msg, nil
}

// header reads the header part and returns the length of the body in bytes.
func (s *stream) header() (int64, error) {
	length := int64(-1)
	for first := true; ; first = false {
		line, err := s.in.ReadSlice('\n')
		if err == io.EOF && first && len(line) == 0 {
			return 0, io.EOF
		}
		if err != nil {
			return 0, fmt.Errorf("read header: %w", unexpected(err))
		}
		text := strings.TrimSpace(string(line))
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return 0, fmt.Errorf("header line %q has no colon", text)
		}
		if !strings.EqualFold(name, "Content-Length") {
			continue
		}
		if length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil || length < 0 {
			return 0, fmt.Errorf("header line %q is no length", text)
		}
	}
	if length < 0 {
		return 0, errors.New("header has no Content-Length")
	}
	return length, nil
}

// unexpected turns the end of input in the middle of a message into an error
// of its own.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// write sends a message in one piece.
func (s *stream) write(msg jsonrpc2.Message) error {
	body, err := json.Marshal(msg)
	if err != nil {
		return err
	}
	_, err = s.out.Write(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body))
	return err
}
