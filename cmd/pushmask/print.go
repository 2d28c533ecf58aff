package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"

	"pushmask/core"
	"pushmask/core/inspect"
	"pushmask/core/session"
)

const printLong = `
Prints what expressions come to where the program stopped: variables, members,
registers, and all that C makes of them. docs/variables.md describes them.

Names mean what they mean in the frame, which is the youngest of the crashed
thread or the one that --frame and --thread name, numbered as bt does. A format
may follow an expression: "flags,x", "buffer,[16]". What is not there says why,
as <optimized out>.

--ptype prints types instead of values, of expressions or by their names: "struct
packet". --offsets does so with the offset and the size of each member, and the
holes between them.

--json prints one line of JSON per expression, with the parts of its value.

exit status: 0 all expressions have a value, 1 none, 2 wrong usage, 3 some have
none.
`

// printOptions are the flags of print.
type printOptions struct {
	imageFlags
	dumpFlags
	json          bool
	types         bool // print types instead of values
	offsets       bool // with the offsets of members
	frame, thread int
}

func printCommand() *command {
	return &command{
		name:  "print",
		args:  "FW.elf DUMP EXPR... [flags]",
		short: "print variables and expressions at a crash",
		long:  printLong,
		setup: func(fs *flag.FlagSet) action {
			var o printOptions
			o.imageFlags.declare(fs)
			o.dumpFlags.declare(fs)
			o.declareCrash(fs)
			fs.BoolVar(&o.json, "json", false, "print one line of JSON per expression")
			fs.BoolVar(&o.types, "ptype", false, "print the types of expressions, or types by their names")
			fs.BoolVar(&o.offsets, "offsets", false, "print types with the offsets of members")
			fs.IntVar(&o.frame, "frame", 0, "evaluate in frame `n`")
			fs.IntVar(&o.thread, "thread", 0, "evaluate in the thread with the number `n`")
			return o.run
		},
	}
}

func (o *printOptions) run(ctx context.Context, e *env, args []string) error {
	if len(args) < 3 || args[0] == "" {
		return usagef("print needs the firmware ELF, a dump and at least one expression")
	}
	if o.frame < 0 {
		return usagef("--frame must not be negative")
	}
	p, err := session.OpenProgram(ctx, o.config(args[0]))
	if err != nil {
		return err
	}
	defer p.Close()
	path, opt := o.dumpFlags.open(args[1])
	s, err := p.OpenDump(ctx, path, opt)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, w := range s.Warnings() {
		e.warn("%s: %s", args[1], w)
	}
	f, err := o.selected(ctx, s)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(e.stdout)
	failed := 0
	printed := o.printValue
	if o.types || o.offsets {
		printed = o.printType
	}
	for _, expr := range args[2:] {
		if err := printed(ctx, out, s, f, expr); err != nil {
			failed++
			e.warn("%v", err)
		}
	}
	e.warnOfImage(p)
	if err := out.Flush(); err != nil {
		return err
	}
	switch failed {
	case 0:
		return nil
	case len(args) - 2:
		return errReported
	}
	return errPartial
}

// selected returns the frame that the flags name.
func (o *printOptions) selected(ctx context.Context, s *session.Session) (*session.Frame, error) {
	id := core.ThreadID(o.thread)
	if threads := s.Threads(); id == 0 && len(threads) > 0 {
		id = threads[0].ID
	}
	k, err := s.Stack(id)
	if err != nil {
		return nil, err
	}
	frames, err := k.Frames(ctx, o.frame, 1)
	if err != nil {
		return nil, err
	}
	if len(frames) == 0 && o.frame > 0 {
		n, _ := k.Len()
		return nil, fmt.Errorf("there is no frame %d: the stack has %d", o.frame, n)
	}
	if len(frames) == 0 {
		return nil, nil
	}
	return &frames[0], nil
}

// printValue prints what an expression comes to.
func (o *printOptions) printValue(ctx context.Context, w *bufio.Writer, s *session.Session, f *session.Frame, expr string) error {
	v, err := s.Evaluate(ctx, expr, f)
	if !o.json {
		if err == nil {
			fmt.Fprintf(w, "%s = %s\n", expr, v.Text)
		}
		return err
	}
	line := jsonResult{Expression: expr}
	if err != nil {
		line.Error = err.Error()
	} else {
		nodes := maxJSONNodes
		line.jsonValue = newJSONValue(v.Value, 0, &nodes)
	}
	writeJSONLine(w, line)
	return err
}

// jsonResult is a line of print --json. Its shape is a public contract,
// described in docs/command-line.md.
type jsonResult struct {
	Expression string `json:"expression"`
	Error      string `json:"error,omitempty"`
	*jsonValue
}

// jsonValue is a value with its parts.
type jsonValue struct {
	Name    string       `json:"name,omitempty"`
	Kind    string       `json:"kind,omitempty"` // of a variable: argument, local
	Type    string       `json:"type"`
	Value   string       `json:"value"`
	Address string       `json:"address,omitempty"`
	Parts   []*jsonValue `json:"parts,omitempty"`
}

// Limits of the parts of one value in JSON.
const (
	maxJSONDepth = 5
	maxJSONParts = 256
	maxJSONNodes = 1 << 14
)

func newJSONValue(v *inspect.Value, depth int, nodes *int) *jsonValue {
	*nodes--
	j := &jsonValue{Type: v.Type.Name(), Value: v.Text()}
	if a, ok := v.Address(); ok {
		j.Address = a.String()
	}
	if depth == maxJSONDepth || depth > 0 && v.IsPointer() {
		return j
	}
	for _, c := range append(v.Named(0, maxJSONParts), v.Indexed(0, maxJSONParts)...) {
		if *nodes <= 0 {
			break
		}
		part := newJSONValue(c.Value, depth+1, nodes)
		part.Name = c.Name
		j.Parts = append(j.Parts, part)
	}
	return j
}

func writeJSONLine(w *bufio.Writer, line any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	// The values are strings, and w reports its error when flushed.
	_ = enc.Encode(line)
}
