package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

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
		fmt.Fprintf(out, "%v  %-9s  %-32s | %s\n", l.Addr, halfwords(l.Bytes), l.Text, rowsAt(s.Program(), addr, l))
	}
	return out.Flush()
}

// rowsAt returns the rows that the analysis of the function around addr has
// for a line.
func rowsAt(p *session.Program, addr core.Addr, l session.Line) string {
	f, ok := p.Unwind().FuncAt(addr)
	if !ok || l.Data || l.Invalid {
		return "-"
	}
	var texts []string
	for _, r := range p.Unwind().Plan(f).Rows(l.Addr) {
		texts = append(texts, r.String())
	}
	if len(texts) == 0 {
		return "-"
	}
	return strings.Join(texts, "  or  ")
}
