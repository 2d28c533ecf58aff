package lsp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"go.lsp.dev/jsonrpc2"
)

// recording is a client that sends a fixed text and keeps the answers.
type recording struct {
	io.Reader
	bytes.Buffer
}

func (r *recording) Read(p []byte) (int, error) { return r.Reader.Read(p) }
func (*recording) Close() error                 { return nil }

// frame puts the header in front of a message.
func frame(body string) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// FuzzServe sends any bytes after a handshake. Each call is answered once, in
// order, and the server ends when the bytes do.
func FuzzServe(f *testing.F) {
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`
	open := frame(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"untitled:a","languageId":"log","text":"0x08000024"}}}`)
	for _, seed := range []string{
		open + frame(`{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"untitled:a"},"position":{"line":0,"character":3}}}`),
		open + frame(`{"jsonrpc":"2.0","id":"x","method":"textDocument/documentLink","params":{"textDocument":{"uri":"untitled:a"}}}`),
		frame(`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":{"pushmask":{"executable":"/nonexistent"}}}}`),
		frame(`{"jsonrpc":"2.0","id":3,"method":"shutdown"}`) + frame(`{"jsonrpc":"2.0","method":"exit"}`),
		frame(`{"jsonrpc":"2.0","id":4,"result":null}`) + frame(`[]`) + frame(`{"jsonrpc":"1.0"}`),
		"Content-Length: 99999999999\r\n\r\n{",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		client := &recording{Reader: io.MultiReader(bytes.NewReader([]byte(frame(hello))), bytes.NewReader(in))}
		// Any error is fine: the input ends where it likes.
		_ = Serve(t.Context(), client, Options{})
		asked := calls([]byte(frame(hello) + string(in)))
		answers := newStream(&client.Buffer)
		for {
			msg, err := answers.read()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("the server's output: %v", err)
			}
			resp, ok := msg.(*jsonrpc2.Response)
			if !ok {
				continue
			}
			if len(asked) == 0 || asked[0] != resp.ID() {
				t.Fatalf("answer to %v, due are %v", resp.ID(), asked)
			}
			asked = asked[1:]
		}
		if len(asked) > 0 {
			t.Fatalf("no answer to %v", asked)
		}
	})
}

// calls lists the requests that a server reading the bytes has to answer.
func calls(in []byte) []jsonrpc2.ID {
	var ids []jsonrpc2.ID
	s := newStream(bytes.NewBuffer(in))
	for {
		msg, err := s.read()
		if msg, ok := msg.(jsonrpc2.Request); ok && msg.Method() == "exit" {
			return ids
		}
		if call, ok := msg.(*jsonrpc2.Call); ok {
			ids = append(ids, call.ID())
		}
		if err != nil && !errors.Is(err, errDropped) {
			return ids
		}
	}
}
