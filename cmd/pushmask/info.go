package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"text/tabwriter"

	"pushmask/core"
	"pushmask/core/session"
)

const infoLong = `
Says what each file is: of a firmware ELF the profile, segments, symbols and
debug information, of a dump the format, threads, memory and what is wrong with
it. A dump that follows an ELF is checked against it; alone it needs none.

Of a file with several crashes all are listed, with a mark at the one that is
described. What the firmware itself said of the crash is told as that, and what
could not be read is listed as unplaced.

--candidates looks for the ELF that a dump is of: it compares every ELF of a
folder and prints them, the one that fits best first.
`

func infoCommand() *command {
	return &command{
		name:  "info",
		args:  "FILE... [flags]",
		short: "say what firmware ELFs and dumps hold",
		long:  infoLong,
		setup: func(fs *flag.FlagSet) action {
			var o infoOptions
			o.declare(fs)
			o.declareCrash(fs)
			fs.StringVar(&o.candidates, "candidates", "", "rank the ELFs below `folder` by how well they fit the dump")
			return o.run
		},
	}
}

// infoOptions are the flags of info.
type infoOptions struct {
	dumpFlags
	candidates string
}

func (o *infoOptions) run(ctx context.Context, e *env, args []string) error {
	if len(args) == 0 {
		return usagef("info needs a file")
	}
	if o.candidates != "" {
		return o.rank(ctx, e, args)
	}
	var fw *session.Program
	defer func() {
		if fw != nil {
			fw.Close()
		}
	}()
	failed := 0
	for i, path := range args {
		if i > 0 {
			fmt.Fprintln(e.stdout)
		}
		p, err := o.describe(ctx, e.stdout, fw, path)
		if err != nil {
			failed++
			e.warn("%v", err)
		}
		if p != nil {
			if fw != nil {
				fw.Close()
			}
			fw = p
		}
	}
	switch failed {
	case 0:
		return nil
	case len(args):
		return errReported
	}
	return errPartial
}

// describe prints what path is. It returns the program if it is one.
func (o *infoOptions) describe(ctx context.Context, w io.Writer, fw *session.Program, path string) (*session.Program, error) {
	p, imageErr := session.OpenProgram(ctx, session.Config{Image: path})
	if imageErr == nil {
		describeImage(w, p, path)
		return p, nil
	}
	if fw == nil {
		var err error
		if fw, err = session.OpenProgram(ctx, session.Config{}); err != nil {
			return nil, err
		}
		defer fw.Close()
	}
	file, opt := o.open(path)
	s, err := fw.OpenDump(ctx, file, opt)
	switch {
	case err == nil:
		defer s.Close()
		return nil, describeDump(ctx, w, s, path)
	case errors.Is(err, session.ErrNotDump) && !errors.Is(imageErr, session.ErrNotImage):
		return nil, imageErr
	}
	return nil, err
}

// fields prints aligned lines of a name and a value.
type fields struct{ *tabwriter.Writer }

func newFields(w io.Writer) fields { return fields{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)} }

func (f fields) put(name, format string, args ...any) {
	fmt.Fprintf(f, "  %s\t"+format+"\n", append([]any{name}, args...)...)
}

func describeImage(w io.Writer, p *session.Program, path string) {
	img := p.Images().Main()
	fmt.Fprintf(w, "%s: firmware ELF\n", path)
	f := newFields(w)
	f.put("profile", "%s", profileName(img.MProfile()))
	f.put("entry", "%v", core.Addr(img.Entry()))
	if id := img.BuildID(); len(id) > 0 {
		f.put("build id", "%x", id)
	} else {
		f.put("build id", "none")
	}
	if img.HasSymbols() {
		f.put("symbols", "yes, %d functions", len(img.Functions()))
	} else {
		f.put("symbols", "none: functions are shown by address")
	}
	if img.HasDebug() {
		f.put("debug info", "yes, %d source files", len(img.Sources()))
	} else {
		f.put("debug info", "none: no source lines")
	}
	for _, w := range p.Warnings() {
		f.put("warning", "%s", w)
	}
	for _, s := range img.Segments() {
		f.put("segment", "%v  %d bytes in memory, %d in the file  %s",
			core.Addr(s.Addr), s.MemSize, s.FileSize, permissions(s.Read, s.Write, s.Exec))
	}
	f.Flush()
}

func profileName(m bool) string {
	if m {
		return "M (Cortex-M)"
	}
	return "A or R"
}

func permissions(read, write, exec bool) string {
	b := []byte("---")
	for i, has := range []bool{read, write, exec} {
		if has {
			b[i] = "rwx"[i]
		}
	}
	return string(b)
}

// regText is the value of an address register, or that it is not known.
func regText(regs *core.Regs, r core.Reg) string {
	if v, ok := regs.Get(r); ok {
		return core.Addr(v).String()
	}
	return "unknown"
}

func threadText(ctx context.Context, s *session.Session, t core.Thread) (string, error) {
	regs, err := s.Registers(ctx, t.ID)
	if err != nil {
		return "", fmt.Errorf("read registers of thread %d: %w", t.ID, err)
	}
	text := fmt.Sprintf("%d %s  pc %s  sp %s", t.ID, cmp.Or(t.Name, "(no name)"), regText(&regs, core.PC), regText(&regs, core.SP))
	for _, more := range []string{session.ThreadState(t), session.StackUse(t.Stack)} {
		if more != "" {
			text += "  " + more
		}
	}
	if t.Crashed {
		c := s.Cause(ctx, t.ID)
		text += "  " + c.Name
		if c.Description != "" {
			text += ": " + c.Description
		}
	}
	return text, nil
}
