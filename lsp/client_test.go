package lsp

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
	"go.uber.org/zap"
)

// client is an editor that talks to a server over a pipe.
type client struct {
	protocol.Server // typed requests
	conn            jsonrpc2.Conn
	messages        chan string // of window/showMessage
	served          chan error  // what Serve returned
}

// dial starts a server and connects to it.
func dial(t *testing.T) *client {
	t.Helper()
	near, far := net.Pipe()
	c := &client{
		conn:     jsonrpc2.NewConn(jsonrpc2.NewStream(near)),
		messages: make(chan string, 16),
		served:   make(chan error, 1),
	}
	ctx := t.Context()
	go func() { c.served <- Serve(ctx, far, Options{Version: "test"}) }()
	c.conn.Go(ctx, c.handle)
	c.Server = protocol.ServerDispatcher(c.conn, zap.NewNop())
	t.Cleanup(func() { c.conn.Close() })
	return c
}

func (c *client) handle(ctx context.Context, reply jsonrpc2.Replier, req jsonrpc2.Request) error {
	if req.Method() == "window/showMessage" {
		c.messages <- string(req.Params())
	}
	return reply(ctx, nil, nil)
}

// start is dial and a handshake with the given options and hover formats.
func start(t *testing.T, root string, options any, formats ...protocol.MarkupKind) *client {
	t.Helper()
	c := dial(t)
	_, err := c.Initialize(t.Context(), &protocol.InitializeParams{
		WorkspaceFolders:      []protocol.WorkspaceFolder{{URI: fileURI(root), Name: "root"}},
		InitializationOptions: options,
		Capabilities: protocol.ClientCapabilities{TextDocument: &protocol.TextDocumentClientCapabilities{
			Hover: &protocol.HoverTextDocumentClientCapabilities{ContentFormat: formats},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Initialized(t.Context(), &protocol.InitializedParams{}); err != nil {
		t.Fatal(err)
	}
	return c
}

// open opens a document.
func (c *client) open(t *testing.T, id, language, text string) {
	t.Helper()
	err := c.DidOpen(t.Context(), &protocol.DidOpenTextDocumentParams{TextDocument: protocol.TextDocumentItem{
		URI: uri.URI(id), LanguageID: protocol.LanguageIdentifier(language), Text: text,
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// message waits for a message to the user that contains part.
func (c *client) message(t *testing.T, part string) {
	t.Helper()
	select {
	case got := <-c.messages:
		if !strings.Contains(got, part) {
			t.Errorf("message %s, want one with %q", got, part)
		}
	case <-time.After(10 * time.Second):
		t.Fatalf("no message with %q", part)
	}
}

// at is a position in a document.
func at(id string, line, character uint32) protocol.TextDocumentPositionParams {
	return protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: uri.URI(id)},
		Position:     protocol.Position{Line: line, Character: character},
	}
}

// code is the JSON-RPC error code of an error.
func code(err error) jsonrpc2.Code {
	if e, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		return e.Code
	}
	return 0
}

// testdata is the absolute path of the package's test data.
func testdata(t *testing.T, elem ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{"testdata"}, elem...)...))
	if err != nil {
		t.Fatal(err)
	}
	return path
}
