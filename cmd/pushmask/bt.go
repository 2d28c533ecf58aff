package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"strings"

	"pushmask/core"
	"pushmask/core/session"
)

const btLong = `
Prints how the program got where each dump stopped. FW.elf is the firmware that
crashed, DUMP what the crash left behind; "-" reads the names of dumps from
standard input, one a line.

A frame without a remark is certain; [guess] marks one that may be wrong. Where
the stack ends before its true end, the last line says why. Warnings are printed
on standard error.

--locals prints the arguments and variables below each frame.
--json prints one line of JSON per dump, in the order given; docs/bt-json.md
describes it. One process serves any number of dumps of the same firmware.
--cause prints one line per dump that could be read: the exception or signal, a
colon, and the cause in a sentence; with several dumps the name of the dump and
a colon come first.

A dump that is raw memory needs its address: ram.bin@0x20000000, or --base.
Registers and further memory can come from other files (--with) and from the
command line (--reg). Of a file with several crashes the newest of the most
complete ones is shown; --crash selects another one, or all.

--with-elf adds the other ELFs of the same memory: the boot loader, the secure
image, a ROM. What is theirs is printed with their names: boot.elf!main.

Where the ELF is clearly not the one that crashed no stack is printed, unless
--force is given: it would not be true.

exit status: 0 all dumps were read, 1 none, 2 wrong usage, 3 some were not.
`

// btOptions are the flags of bt.
type btOptions struct {
	imageFlags
	dumpFlags
	which                   whichCrash
	force                   bool
	json, cause, allThreads bool
	locals                  bool
	color                   string
	maxFrames               int
}

func btCommand() *command {
	return &command{
		name:  "bt",
		args:  "FW.elf DUMP... [flags]",
		short: "print the call stack of crash dumps",
		long:  btLong,
		setup: func(fs *flag.FlagSet) action {
			var o btOptions
			o.imageFlags.declare(fs)
			o.dumpFlags.declare(fs)
			o.which.number = &o.crash
			fs.Var(&o.which, "crash", "open crash `n` of a file that holds several, or all of them")
			fs.BoolVar(&o.force, "force", false, "print the stack although the ELF is not the one that crashed")
			fs.BoolVar(&o.json, "json", false, "print one line of JSON per dump")
			fs.BoolVar(&o.cause, "cause", false, "print one line per dump: why it crashed")
			fs.BoolVar(&o.allThreads, "all-threads", false, "print all threads, not only the crashed one")
			fs.BoolVar(&o.locals, "locals", false, "print the arguments and variables of each frame")
			fs.StringVar(&o.color, "color", "auto", "color `when`: auto, always or never")
			fs.IntVar(&o.maxFrames, "max-frames", 0, "end a stack after `n` calls; 0 is 4096")
			return o.run
		},
	}
}

// backtrace is what bt found in one dump.
type backtrace struct {
	dump     string
	crash    int // number of the crash in it, 0 where it holds one
	err      error
	warnings []string
	threads  []threadTrace
}

// threadTrace is the stack of one thread.
type threadTrace struct {
	core.Thread
	cause  session.Cause
	frames []session.Frame
	locals [][]*jsonValue // of each frame, with --locals
	stop   core.Stop
}

func (o *btOptions) run(ctx context.Context, e *env, args []string) error {
	if len(args) < 2 || args[0] == "" { // an empty name: a variable of the shell that is not set
		return usagef("bt needs the firmware ELF and at least one dump")
	}
	paint, err := newPainter(o.color, e)
	if err != nil {
		return err
	}
	if o.maxFrames < 0 {
		return usagef("--max-frames must not be negative")
	}
	if o.json && o.cause {
		return usagef("--json and --cause exclude each other: the lines of --json have the cause")
	}
	if !o.json {
		o.searchHere()
	}
	cfg := o.config(args[0])
	cfg.MaxFrames = o.maxFrames
	p, err := session.OpenProgram(ctx, cfg)
	if err != nil {
		return err
	}
	defer p.Close()

	out := bufio.NewWriter(e.stdout)
	print := o.printer(out, paint, len(args) > 2 || o.which.all)
	var total, failed int
	traces := func(ctx context.Context, in input) []*backtrace { return o.traces(ctx, p, in) }
	err = inOrder(ctx, dumpNames(args[1:], e.stdin), traces, func(crashes []*backtrace) error {
		for _, b := range crashes {
			total++
			for _, w := range b.warnings {
				e.warn("%s: %s", b.heading(), w)
			}
			if b.err != nil {
				failed++
				e.warn("%v", b.err)
			}
			print(b)
		}
		return out.Flush()
	})
	e.warnOfImage(p)
	switch {
	case err != nil:
		return err
	case failed == 0:
		return nil
	case failed < total:
		return errPartial
	}
	return errReported
}

func (o *btOptions) printer(w io.Writer, paint painter, headings bool) func(*backtrace) {
	if o.json {
		return func(b *backtrace) { writeJSON(w, b) }
	}
	if o.cause {
		return func(b *backtrace) { writeCause(w, b, headings) }
	}
	t := &textTrace{w: w, paint: paint, headings: headings}
	return t.write
}

// input is the name of a dump, or why there is none.
type input struct {
	name string
	err  error
}

// dumpNames yields the names of dumps; "-" stands for the lines of stdin.
func dumpNames(args []string, stdin io.Reader) iter.Seq[input] {
	return func(yield func(input) bool) {
		for _, a := range args {
			if a != "-" {
				if !yield(input{name: a}) {
					return
				}
				continue
			}
			lines := bufio.NewScanner(stdin)
			for lines.Scan() {
				if name := strings.TrimSpace(lines.Text()); name != "" && !yield(input{name: name}) {
					return
				}
			}
			if err := lines.Err(); err != nil && !yield(input{"-", fmt.Errorf("read names of dumps: %w", err)}) {
				return
			}
		}
	}
}

// trace unwinds crash n of a dump, 0 for the one that matters. One dump that
// trips over a defect of pushmask must not take thousands of others with it.
func (o *btOptions) trace(ctx context.Context, p *session.Program, in input, n int) (b *backtrace) {
	b = &backtrace{dump: in.name, err: in.err, crash: n}
	if b.err != nil {
		return b
	}
	defer func() {
		if v := recover(); v != nil {
			b.err = defect(in.name, v)
		}
	}()
	s, err := o.openCrash(ctx, p, b)
	if err != nil {
		b.err = err
		return b
	}
	defer s.Close()
	for _, t := range threadsToShow(ctx, s, o.allThreads) {
		tt, err := traceThread(ctx, s, t)
		if err != nil {
			b.err = errors.Join(b.err, err)
			continue
		}
		if o.locals {
			if tt.locals, err = localsOf(ctx, s, tt.frames); err != nil {
				b.err = errors.Join(b.err, err)
			}
		}
		b.threads = append(b.threads, tt)
	}
	return b
}

// threadsToShow returns all threads, or the crashed one, and behind it the stack
// that the firmware printed where the own one does not reach its end.
func threadsToShow(ctx context.Context, s *session.Session, all bool) []core.Thread {
	threads := s.Threads()
	if all || len(threads) < 2 {
		return threads
	}
	shown := threads[:1:1] // the crashed one comes first
	id, ok := s.Reported()
	if t, found := s.Thread(id); ok && found && id != shown[0].ID && !reachesEnd(ctx, s, shown[0].ID) {
		shown = append(shown, t)
	}
	return shown
}

// reachesEnd reports whether a stack could be unwound to its end.
func reachesEnd(ctx context.Context, s *session.Session, id core.ThreadID) bool {
	k, err := s.Stack(id)
	if err != nil {
		return false
	}
	_, err = k.Frames(ctx, 0, 0)
	return err == nil && k.Stop().Complete()
}

// defect words a panic.
func defect(name string, v any) error {
	return fmt.Errorf("pushmask failed on %q: %v; please report this with the dump if you can", name, v)
}

func traceThread(ctx context.Context, s *session.Session, t core.Thread) (threadTrace, error) {
	k, err := s.Stack(t.ID)
	if err != nil {
		return threadTrace{}, err
	}
	frames, err := k.Frames(ctx, 0, 0)
	return threadTrace{Thread: t, cause: s.Cause(ctx, t.ID), frames: frames, stop: k.Stop()}, err
}
