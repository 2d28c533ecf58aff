package main

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"pushmask/core"
	"pushmask/core/session"
)

// printRows prints a function with the rows before each instruction.
func printRows(ctx context.Context, w io.Writer, s *session.Session, function string) error {
	v, err := s.Evaluate(ctx, function, nil)
	if err != nil {
		return err
	}
	addr := core.Addr(v.U32 &^ 1)
	name, lines, err := s.DisassembleFunc(ctx, addr)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s:\n", name)
	for _, l := range lines {
		fmt.Fprintf(out, "%v  %-9s  %-32s | %s\n", l.Addr, halfwords(l.Bytes), l.Text, rowsAt(s.Program(), l))
	}
	return out.Flush()
}

// rowsAt returns the rows that hold before the instruction of a line, the
// analysis first, then each table that the image has. A table's row that the
// analysis does not admit is marked "!=".
func rowsAt(p *session.Program, l session.Line) string {
	if l.Data || l.Invalid {
		return "-"
	}
	text := "-"
	for _, r := range p.RowsAt(l.Addr) {
		switch {
		case r.Source == core.TrustAnalysis:
			text = r.Rule
		case r.Differs:
			text += fmt.Sprintf(" | != %v: %s", r.Source, r.Rule)
		default:
			text += fmt.Sprintf(" | %v: %s", r.Source, r.Rule)
		}
	}
	return text
}
