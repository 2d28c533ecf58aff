package main

import (
	"bufio"
	"context"
	"fmt"

	"pushmask/core/inspect"
	"pushmask/core/session"
)

// jsonType is a line of print --ptype --json.
type jsonType struct {
	Expression string `json:"expression"`
	Error      string `json:"error,omitempty"`
	Type       string `json:"type,omitempty"`
	Definition string `json:"definition,omitempty"` // as it is printed without --json
	Size       uint32 `json:"size,omitempty"`       // bytes, where it is known
}

// printType prints the type that an expression has, or that it names.
func (o *printOptions) printType(ctx context.Context, w *bufio.Writer, s *session.Session, f *session.Frame, expr string) error {
	line, t := jsonType{Expression: expr}, (*inspect.Type)(nil)
	frame, err := s.InspectFrame(ctx, f)
	if err == nil {
		t, _, err = s.Inspect().TypeOf(frame, expr)
	}
	if err != nil {
		line.Error = err.Error()
	} else {
		line.Type, line.Definition = t.Name(), t.Definition(o.offsets)
		line.Size, _ = t.Size()
	}
	switch {
	case o.json:
		writeJSONLine(w, line)
	case err == nil:
		fmt.Fprintln(w, line.Definition)
	}
	return err
}
