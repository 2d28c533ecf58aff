package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"strings"

	"pushmask/core"
	"pushmask/core/session"
)

const disasLong = `
Lists the instructions of a function, named or by any address in it; an
expression such as main+8 or $pc works too. With --dump the memory is that of
the dump, and registers are those of the crashed thread; the line of the PC
carries an arrow. --count lists that many places from the address on instead.
`

// disasOptions are the flags of disas.
type disasOptions struct {
	imageFlags
	dumpFlags
	dump  string
	count int
}

func disasCommand() *command {
	return &command{
		name:  "disas",
		args:  "FW.elf FUNCTION|ADDRESS [flags]",
		short: "list the instructions of a function",
		long:  disasLong,
		setup: func(fs *flag.FlagSet) action {
			var o disasOptions
			o.imageFlags.declare(fs)
			o.dumpFlags.declare(fs)
			o.declareCrash(fs)
			fs.StringVar(&o.dump, "dump", "", "read memory and registers from `dump`")
			fs.IntVar(&o.count, "count", 0, "list `n` places from the address on, not the function")
			return o.run
		},
	}
}

func (o *disasOptions) run(ctx context.Context, e *env, args []string) error {
	if len(args) != 2 || args[0] == "" {
		return usagef("disas needs the firmware ELF and a function or an address")
	}
	if o.count < 0 {
		return usagef("--count must not be negative")
	}
	o.searchHere()
	p, err := session.OpenProgram(ctx, o.config(args[0]))
	if err != nil {
		return err
	}
	defer p.Close()
	s, err := o.open(ctx, p)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, w := range s.Warnings() {
		e.warn("%s: %s", o.dump, w)
	}
	v, err := s.Evaluate(ctx, args[1], nil)
	if err != nil {
		return err
	}
	title, lines, err := o.list(ctx, s, core.Addr(v.U32&^1))
	if err != nil {
		return err
	}
	out := bufio.NewWriter(e.stdout)
	if title != "" {
		fmt.Fprintf(out, "%s:\n", title)
	}
	writeLines(out, title, lines, crashedPC(ctx, s))
	e.warnOfImage(p)
	return out.Flush()
}

// list returns the function around addr with its name, or --count places.
func (o *disasOptions) list(ctx context.Context, s *session.Session, addr core.Addr) (string, []session.Line, error) {
	if o.count == 0 {
		return s.DisassembleFunc(ctx, addr)
	}
	lines, err := s.Disassemble(ctx, addr, 0, o.count)
	return "", lines, err
}

func (o *disasOptions) open(ctx context.Context, p *session.Program) (*session.Session, error) {
	if o.dump == "" {
		return p.Static(ctx)
	}
	path, opt := o.dumpFlags.open(o.dump)
	return p.OpenDump(ctx, path, opt)
}

// crashedPC returns the PC of the crashed thread, nil where there is none.
func crashedPC(ctx context.Context, s *session.Session) *core.Addr {
	threads := s.Threads()
	if len(threads) == 0 {
		return nil
	}
	regs, err := s.Registers(ctx, threads[0].ID)
	if err != nil || !regs.Has(core.PC) {
		return nil
	}
	pc, _ := core.CodeAddr(regs.Value(core.PC))
	return &pc
}

// writeLines prints a listing of the function named title, or of "" any range;
// source positions are printed where they change.
func writeLines(w io.Writer, title string, lines []session.Line, pc *core.Addr) {
	source, width := "", 0
	for i, l := range lines {
		if offset, ok := strings.CutPrefix(l.Symbol, title); title != "" && ok {
			lines[i].Symbol = offset
		}
		width = max(width, len(lines[i].Symbol))
	}
	for _, l := range lines {
		if at := fmt.Sprintf("%s:%d", shortPath(l.File), l.SrcLine); l.SrcLine > 0 && at != source {
			source = at
			fmt.Fprintf(w, "; %s\n", at)
		}
		mark := "  "
		if pc != nil && l.Addr == *pc {
			mark = "=>"
		}
		text := l.Text
		if l.Invalid {
			text = "not in memory"
		}
		row := fmt.Sprintf("%s %v  %-9s  %-*s  %s", mark, l.Addr, halfwords(l.Bytes), width, l.Symbol, text)
		fmt.Fprintln(w, strings.TrimRight(row, " "))
	}
}

// halfwords shows an encoding the way manuals do, halfword by halfword.
func halfwords(b []byte) string {
	var parts []string
	for len(b) >= 2 {
		parts = append(parts, hex.EncodeToString([]byte{b[1], b[0]}))
		b = b[2:]
	}
	if len(b) > 0 {
		parts = append(parts, hex.EncodeToString(b))
	}
	return strings.Join(parts, " ")
}
