package main

import (
	"io"
	"log/slog"
	"os"
)

// stdio joins the standard streams to the one stream of a server.
type stdio struct {
	io.Reader
	io.Writer
}

func (e *env) stdio() stdio { return stdio{e.stdin, e.stdout} }

// Close closes standard input where it can be closed, which ends a read that
// waits for the editor.
func (s stdio) Close() error {
	if c, ok := s.Reader.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// openLog returns a logger that writes to the file at path, nil for "". The
// standard streams of a server belong to the editor.
func openLog(path string) (log *slog.Logger, done func(), err error) {
	if path == "" {
		return nil, func() {}, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, err
	}
	log = slog.New(slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return log, func() { f.Close() }, nil
}
