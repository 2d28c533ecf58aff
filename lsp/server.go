package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// state is where a server is in its life (LSP 3.17, "Lifecycle Messages").
type state uint8

const (
	stateNew      state = iota // waiting for initialize
	stateRunning               // after initialize
	stateShutdown              // waiting for exit
)

// server is the state of one connection. The goroutine that runs [Serve]
// owns it; there are no locks.
type server struct {
	conn     *stream
	log      *slog.Logger
	version  string
	state    state
	markdown bool // hover texts may be Markdown
	docs     map[protocol.DocumentURI]*document
	firmware firmware
}

func newServer(conn *stream, log *slog.Logger, version string) *server {
	return &server{
		conn:    conn,
		log:     log,
		version: version,
		docs:    map[protocol.DocumentURI]*document{},
	}
}

func (s *server) close() {
	if err := s.firmware.close(); err != nil {
		s.log.Warn("close firmware", "err", err)
	}
}

// handler decodes the parameters of one method and runs it.
type handler func(*server, context.Context, json.RawMessage) (any, error)

// handlers are the methods the server knows; every other request is answered
// with MethodNotFound, every other notification is ignored.
var handlers = map[string]handler{
	"initialize":                       handle((*server).initialize),
	"shutdown":                         handle((*server).shutdown),
	"textDocument/didOpen":             handle((*server).didOpen),
	"textDocument/didChange":           handle((*server).didChange),
	"textDocument/didClose":            handle((*server).didClose),
	"textDocument/hover":               handle((*server).hover),
	"textDocument/definition":          handle((*server).definition),
	"textDocument/documentLink":        handle((*server).documentLink),
	"workspace/didChangeConfiguration": handle((*server).didChangeConfiguration),
}

// handle adapts a method with typed parameters. Missing parameters leave them
// zero.
func handle[P, R any](f func(*server, context.Context, *P) (R, error)) handler {
	return func(s *server, ctx context.Context, raw json.RawMessage) (any, error) {
		var params P
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &params); err != nil {
				return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error())
			}
		}
		return f(s, ctx, &params)
	}
}

// dispatch runs the handler of a message. A panic becomes the error of this
// one request.
func (s *server) dispatch(ctx context.Context, req jsonrpc2.Request) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Error("handler panicked", "method", req.Method(), "panic", r, "stack", string(debug.Stack()))
			err = jsonrpc2.NewError(jsonrpc2.InternalError, fmt.Sprintf("internal error in %s: %v", req.Method(), r))
		}
	}()
	if err := s.admits(req.Method()); err != nil {
		return nil, err
	}
	h, ok := handlers[req.Method()]
	if !ok {
		if _, call := req.(*jsonrpc2.Call); !call {
			return nil, nil
		}
		return nil, jsonrpc2.NewError(jsonrpc2.MethodNotFound, fmt.Sprintf("method %q is not supported", req.Method()))
	}
	return h(s, ctx, json.RawMessage(req.Params()))
}

// admits says why a method may not be called in the state the server is in.
func (s *server) admits(method string) error {
	first := method == "initialize"
	switch {
	case s.state == stateNew && !first:
		return jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "initialize has to come first")
	case s.state == stateRunning && first:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "initialize may come only once")
	case s.state == stateShutdown:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is shut down")
	}
	return nil
}

// initializeParams is the part of protocol.InitializeParams that the server
// looks at. The whole type describes the capabilities of LSP 3.16; a newer
// client that changed the type of one must not fail to connect.
type initializeParams struct {
	RootURI               string                     `json:"rootUri"`
	WorkspaceFolders      []protocol.WorkspaceFolder `json:"workspaceFolders"`
	InitializationOptions any                        `json:"initializationOptions"`
	Capabilities          struct {
		TextDocument struct {
			Hover struct {
				ContentFormat []protocol.MarkupKind `json:"contentFormat"`
			} `json:"hover"`
		} `json:"textDocument"`
	} `json:"capabilities"`
}

func (s *server) initialize(ctx context.Context, p *initializeParams) (*protocol.InitializeResult, error) {
	s.state = stateRunning
	s.markdown = slices.Contains(p.Capabilities.TextDocument.Hover.ContentFormat, protocol.Markdown)
	s.firmware.root = workspaceRoot(p.WorkspaceFolders, p.RootURI)
	s.configure(ctx, p.InitializationOptions)
	return &protocol.InitializeResult{
		Capabilities: protocol.ServerCapabilities{
			// Full, because protocol v0.12.0 cannot tell a change without a
			// range (the whole text) from one at the start of the document.
			TextDocumentSync: protocol.TextDocumentSyncOptions{
				OpenClose: true,
				Change:    protocol.TextDocumentSyncKindFull,
			},
			HoverProvider:        true,
			DefinitionProvider:   true,
			DocumentLinkProvider: &protocol.DocumentLinkOptions{},
		},
		ServerInfo: &protocol.ServerInfo{Name: "pushmask", Version: s.version},
	}, nil
}

func (s *server) shutdown(context.Context, *struct{}) (any, error) {
	s.state = stateShutdown
	return nil, nil
}

// warn shows a message to the user.
func (s *server) warn(text string) {
	s.log.Warn(text)
	n, err := jsonrpc2.NewNotification("window/showMessage", &protocol.ShowMessageParams{
		Type:    protocol.MessageTypeWarning,
		Message: text,
	})
	if err == nil {
		err = s.conn.write(n)
	}
	if err != nil {
		s.log.Warn("show message", "err", err)
	}
}
