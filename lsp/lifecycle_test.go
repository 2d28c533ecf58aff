package lsp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

func TestHandshake(t *testing.T) {
	t.Parallel()
	c := dial(t)
	ctx := t.Context()
	if _, err := c.Hover(ctx, &protocol.HoverParams{}); code(err) != jsonrpc2.ServerNotInitialized {
		t.Errorf("hover before initialize: %v", err)
	}
	got, err := c.Initialize(ctx, &protocol.InitializeParams{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&protocol.ServerInfo{Name: "pushmask", Version: "test"}, got.ServerInfo); diff != "" {
		t.Errorf("server info (-want +got):\n%s", diff)
	}
	if got.Capabilities.HoverProvider != true || got.Capabilities.DefinitionProvider != true || got.Capabilities.DocumentLinkProvider == nil {
		t.Errorf("capabilities: %+v", got.Capabilities)
	}
	if _, err := c.Initialize(ctx, &protocol.InitializeParams{}); code(err) != jsonrpc2.InvalidRequest {
		t.Errorf("second initialize: %v", err)
	}
	if err := c.Shutdown(ctx); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	if _, err := c.Hover(ctx, &protocol.HoverParams{}); code(err) != jsonrpc2.InvalidRequest {
		t.Errorf("hover after shutdown: %v", err)
	}
	if err := c.Exit(ctx); err != nil {
		t.Errorf("exit: %v", err)
	}
	if err := <-c.served; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// TestNewerClient connects with capabilities that have other types than in
// LSP 3.16.
func TestNewerClient(t *testing.T) {
	t.Parallel()
	c := dial(t)
	params := map[string]any{
		"processId": nil, "rootUri": nil, "rootPath": nil, "workspaceFolders": nil, "trace": "off",
		"capabilities": map[string]any{
			"workspace":    map[string]any{"configuration": "yes", "symbol": 1},
			"textDocument": map[string]any{"completion": true, "hover": map[string]any{"contentFormat": []string{"markdown"}}},
			"general":      map[string]any{"positionEncodings": []string{"utf-16"}},
		},
	}
	if _, err := c.conn.Call(t.Context(), "initialize", params, nil); err != nil {
		t.Errorf("initialize: %v", err)
	}
}

func TestUnknownMethods(t *testing.T) {
	t.Parallel()
	c := start(t, "", nil)
	ctx := t.Context()
	if _, err := c.Completion(ctx, &protocol.CompletionParams{}); code(err) != jsonrpc2.MethodNotFound {
		t.Errorf("completion: %v", err)
	}
	if _, err := c.conn.Call(ctx, "pushmask/nothing", nil, nil); code(err) != jsonrpc2.MethodNotFound {
		t.Errorf("request without parameters: %v", err)
	}
	if err := c.conn.Notify(ctx, "$/nothing", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.conn.Call(ctx, "textDocument/hover", []int{1}, nil); code(err) != jsonrpc2.InvalidParams {
		t.Errorf("wrong parameters: %v", err)
	}
}

func TestServeEnds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  func(c *client, cancel func())
		want error
	}{
		{"exit without shutdown", func(c *client, _ func()) { c.Exit(context.Background()) }, ErrNoShutdown},
		{"client goes away", func(c *client, _ func()) { c.conn.Close() }, nil},
		{"context ends", func(_ *client, cancel func()) { cancel() }, context.Canceled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			near, far := net.Pipe()
			c := &client{conn: jsonrpc2.NewConn(jsonrpc2.NewStream(near))}
			c.Server = protocol.ServerDispatcher(c.conn, zap.NewNop())
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c.conn.Go(t.Context(), jsonrpc2.MethodNotFoundHandler)
			t.Cleanup(func() { c.conn.Close() })
			go tt.end(c, cancel)
			if err := Serve(ctx, far, Options{}); !errors.Is(err, tt.want) || tt.want == nil && err != nil {
				t.Errorf("Serve: %v, want %v", err, tt.want)
			}
		})
	}
}

// TestPanic sends a request whose handler panics: only that request fails.
func TestPanic(t *testing.T) {
	t.Parallel()
	s := newServer(newStream(&bytes.Buffer{}), slog.New(slog.DiscardHandler), "")
	s.state = stateRunning
	s.docs = nil // didOpen writes to it
	call, err := jsonrpc2.NewCall(jsonrpc2.NewNumberID(1), "textDocument/didOpen", &protocol.DidOpenTextDocumentParams{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.dispatch(t.Context(), call); code(err) != jsonrpc2.InternalError {
		t.Errorf("error %v, want an internal error", err)
	}
}

func TestStreamRead(t *testing.T) {
	t.Parallel()
	const ping = `{"jsonrpc":"2.0","method":"ping"}`
	tests := []struct {
		name, in string
		method   string
		err      error  // found with errors.Is
		text     string // part of the error
	}{
		{name: "message", in: "Content-Length: 33\r\n\r\n" + ping, method: "ping"},
		{name: "more headers", in: "Content-Type: x\r\ncontent-length:33\r\n\r\n" + ping, method: "ping"},
		{name: "bare newlines", in: "Content-Length: 33\n\n" + ping, method: "ping"},
		{name: "end", in: "", err: io.EOF},
		{name: "end in the header", in: "Content-Length: 33\r\n", err: io.ErrUnexpectedEOF},
		{name: "end in the body", in: "Content-Length: 33\r\n\r\n{", err: io.ErrUnexpectedEOF},
		{name: "no length", in: "\r\n", text: "no Content-Length"},
		{name: "negative length", in: "Content-Length: -1\r\n\r\n", text: "no length"},
		{name: "no header", in: "hello\r\n", text: "no colon"},
		{name: "endless header", in: strings.Repeat("x", 1<<16), text: "read header"},
		{name: "empty body", in: "Content-Length: 0\r\n\r\n", err: errDropped},
		{name: "no JSON-RPC", in: "Content-Length: 2\r\n\r\n{}", err: errDropped},
		{name: "huge body that never comes", in: "Content-Length: 9999999999\r\n\r\n", err: io.ErrUnexpectedEOF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			msg, err := newStream(bytes.NewBufferString(tt.in)).read()
			if tt.method != "" {
				if req, ok := msg.(jsonrpc2.Request); err != nil || !ok || req.Method() != tt.method {
					t.Fatalf("got %v, %v", msg, err)
				}
				return
			}
			if err == nil || tt.err != nil && !errors.Is(err, tt.err) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want %v %q", err, tt.err, tt.text)
			}
		})
	}
}

// TestStreamSkips reads on after a body that is over the limit.
func TestStreamSkips(t *testing.T) {
	t.Parallel()
	const ping = "Content-Length: 33\r\n\r\n" + `{"jsonrpc":"2.0","method":"ping"}`
	huge := io.LimitReader(zeros{}, maxMessage+1)
	in := io.MultiReader(strings.NewReader("Content-Length: "+strconv.Itoa(maxMessage+1)+"\r\n\r\n"), huge, strings.NewReader(ping))
	s := newStream(struct {
		io.Reader
		io.Writer
	}{in, io.Discard})
	if _, err := s.read(); !errors.Is(err, errDropped) {
		t.Fatalf("error %v, want errDropped", err)
	}
	if _, err := s.read(); err != nil {
		t.Errorf("message after it: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
