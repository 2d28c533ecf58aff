package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pushmask/core/session"
	"pushmask/core/triage"
)

const triageLong = `
Groups the dumps of a folder by what crashed: the kind of the cause and the
functions at the top of the stack. It prints one line a group, the largest
first. Signatures do not depend on addresses and stay the same from build to
build; docs/triage.md says how they are made.

FW.elf is the firmware of all of them. DUMP is a file, a folder, which is
searched with all that is in it, or "-" for names on standard input. Files that
are no dumps are counted.

exit status: 0 all dumps were read, 1 none, 2 wrong usage, 3 some were not.
`

// triageOptions are the flags of triage.
type triageOptions struct {
	imageFlags
	json    bool
	timeout time.Duration
}

func triageCommand() *command {
	return &command{
		name:  "triage",
		args:  "FW.elf DUMP... [flags]",
		short: "group many dumps by what crashed",
		long:  triageLong,
		setup: func(fs *flag.FlagSet) action {
			var o triageOptions
			o.declare(fs)
			fs.BoolVar(&o.json, "json", false, "print one line of JSON per group")
			fs.DurationVar(&o.timeout, "timeout", 10*time.Second, "give up on a dump after this `time`")
			return o.run
		},
	}
}

// signed is what triage found in one dump.
type signed struct {
	name      string
	signature triage.Signature
	err       error
	notDump   bool // a file of no known format, met in a folder
}

func (o *triageOptions) run(ctx context.Context, e *env, args []string) error {
	if len(args) < 2 || args[0] == "" {
		return usagef("triage needs the firmware ELF and at least one dump or folder")
	}
	p, err := session.OpenProgram(ctx, o.config(args[0]))
	if err != nil {
		return err
	}
	defer p.Close()
	var groups triage.Groups
	var read, failed, other int
	work := func(ctx context.Context, in found) signed { return o.sign(ctx, p, in) }
	err = inOrder(ctx, dumpFiles(args[1:], e.stdin), work, func(s signed) error {
		switch {
		case s.notDump:
			other++
		case s.err != nil:
			failed++
			e.warn("%v", s.err)
		default:
			read++
			groups.Add(s.signature, s.name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	e.warnOfImage(p)
	if other > 0 {
		e.warn("%d files are no dumps", other)
	}
	out := bufio.NewWriter(e.stdout)
	for _, g := range groups.Sorted() {
		o.print(out, g)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	switch {
	case failed == 0 && read > 0:
		return nil
	case read > 0:
		return errPartial
	case failed == 0:
		e.warn("there are no dumps")
	}
	return errReported
}

// sign makes the signature of one dump.
func (o *triageOptions) sign(ctx context.Context, p *session.Program, in found) (s signed) {
	s = signed{name: in.name, err: in.err}
	if s.err != nil {
		return s
	}
	defer func() {
		if v := recover(); v != nil {
			s.err = defect(in.name, v)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	d, err := p.OpenDump(ctx, in.name, session.DumpOptions{})
	if err != nil {
		s.err, s.notDump = err, in.searched && (errors.Is(err, session.ErrNotDump) || errors.Is(err, session.ErrNotCore))
		return s
	}
	defer d.Close()
	if text := d.Mismatch(); text != "" {
		s.err = fmt.Errorf("%s: %s", in.name, text)
		return s
	}
	s.signature, s.err = signatureOf(ctx, d)
	if s.err != nil {
		s.err = fmt.Errorf("%s: %w", in.name, s.err)
	}
	return s
}

// errNoThread is the error for a dump that has no registers.
var errNoThread = errors.New("the dump has no thread")

// signatureOf makes the signature of the crashed thread.
func signatureOf(ctx context.Context, d *session.Session) (triage.Signature, error) {
	const enough = 64 // frames: handlers and mechanisms are passed over
	if len(d.Threads()) == 0 {
		return triage.Signature{}, errNoThread
	}
	id := d.Threads()[0].ID
	k, err := d.Stack(id)
	if err != nil {
		return triage.Signature{}, err
	}
	frames, err := k.Frames(ctx, 0, enough)
	if err != nil {
		return triage.Signature{}, err
	}
	return triage.Of(d.Cause(ctx, id), frames, k.Stop().Complete()), nil
}

// jsonGroup is a line of triage --json, a public contract: docs/triage.md.
type jsonGroup struct {
	Signature string   `json:"signature"`
	Count     int      `json:"count"`
	Cause     string   `json:"cause"`
	Frames    []string `json:"frames"`
	Partial   bool     `json:"partial"`
	Dumps     []string `json:"dumps"`
}

func (o *triageOptions) print(w io.Writer, g *triage.Group) {
	if !o.json {
		fmt.Fprintf(w, "%6d  %s  %v", g.Count, g.ID, g.Signature)
		if g.Partial {
			fmt.Fprint(w, " (stack not complete)")
		}
		fmt.Fprintf(w, "  e.g. %s\n", g.Dumps[0])
		return
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	// The values are strings and numbers, and w reports its error when flushed.
	_ = enc.Encode(jsonGroup{g.ID, g.Count, g.Cause, append([]string{}, g.Frames...), g.Partial, g.Dumps})
}

// found is the name of a dump with how it was found.
type found struct {
	input
	searched bool // in a folder
}

// dumpFiles yields names of dumps, of folders the regular files in them.
func dumpFiles(args []string, stdin io.Reader) iter.Seq[found] {
	return func(yield func(found) bool) {
		for in := range dumpNames(args, stdin) {
			info, err := os.Stat(in.name)
			if in.err != nil || err != nil || !info.IsDir() {
				if !yield(found{input: in}) {
					return
				}
				continue
			}
			if !walkFolder(in.name, yield) {
				return
			}
		}
	}
}

// walkFolder yields the regular files below a folder, hidden ones left out. It
// reports false when yield does.
func walkFolder(dir string, yield func(found) bool) bool {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		hidden := path != dir && strings.HasPrefix(d.Name(), ".")
		switch {
		case err != nil:
			if !yield(found{input{path, err}, true}) {
				return errStopped
			}
			return nil
		case hidden && d.IsDir():
			return fs.SkipDir
		case d.Type().IsRegular() && !hidden:
			if !yield(found{input{name: path}, true}) {
				return errStopped
			}
		}
		return nil
	})
	return !errors.Is(err, errStopped)
}

var errStopped = errors.New("stopped")
