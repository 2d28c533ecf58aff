package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"time"

	"pushmask/core/session"
)

const workerLong = `
Reads jobs as lines of JSON from standard input and writes one line of JSON for
each to standard output, in the order of the jobs, until the input ends. A job
names the firmware and a dump, or holds the dump itself:

    {"id": "4711", "elf": "fw.elf", "dump": "crash.core"}
    {"id": "4712", "elf": "fw.elf", "data": "Y0MDAA..."}

The answer is a line as of "bt --json" with the job's id and the signature of
"triage". A job that cannot be done gets a line with its error; the worker goes
on. docs/triage.md describes both lines.
`

func workerCommand() *command {
	return &command{
		name:  "worker",
		args:  "[flags]",
		short: "unwind dumps that a job engine hands over",
		long:  workerLong,
		setup: func(fs *flag.FlagSet) action {
			var o workerOptions
			o.declare(fs)
			fs.DurationVar(&o.timeout, "timeout", 10*time.Second, "give up on a dump after this `time`")
			return o.run
		},
	}
}

// workerOptions are the flags of worker.
type workerOptions struct {
	imageFlags
	timeout time.Duration
}

// maxJob bounds a line of input, in bytes: it can hold a dump in base64.
const maxJob = 96 << 20

// job is a line of input, a public contract: docs/triage.md.
type job struct {
	ID         json.RawMessage `json:"id"`
	ELF        string          `json:"elf"`
	WithELF    []string        `json:"withElf"` // FILE or FILE@OFFSET
	Dump       string          `json:"dump"`
	Data       []byte          `json:"data"` // base64
	Crash      int             `json:"crash"`
	AllThreads bool            `json:"allThreads"`
	Force      bool            `json:"force"`

	err error // why the line is none
}

// answer is a line of output, a public contract: docs/triage.md.
type answer struct {
	ID        json.RawMessage `json:"id,omitempty"`
	Signature string          `json:"signature,omitempty"`
	Title     string          `json:"title,omitempty"`
	Partial   bool            `json:"partial,omitempty"`
	Warnings  []string        `json:"warnings,omitempty"`
	jsonTrace
}

func (o *workerOptions) run(ctx context.Context, e *env, args []string) error {
	if len(args) > 0 {
		return usagef("worker takes no arguments: jobs come on standard input")
	}
	open := &programs{config: o.config}
	defer open.close()
	out := bufio.NewWriter(e.stdout)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	work := func(ctx context.Context, j job) answer { return o.do(ctx, open, &j) }
	return inOrder(ctx, jobs(e.stdin), work, func(a answer) error {
		if err := enc.Encode(a); err != nil {
			return err
		}
		return out.Flush()
	})
}

// jobs yields the jobs of a stream of lines. What ends the stream early is a
// job with an error.
func jobs(r io.Reader) iter.Seq[job] {
	return func(yield func(job) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 0, 64<<10), maxJob)
		for lines.Scan() {
			line := bytes.TrimSpace(lines.Bytes())
			if len(line) == 0 {
				continue
			}
			var j job
			if err := json.Unmarshal(line, &j); err != nil {
				j.err = fmt.Errorf("the line is no job: %w", err)
			}
			if !yield(j) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(job{err: fmt.Errorf("read jobs: %w", err)})
		}
	}
}

// do does a job.
func (o *workerOptions) do(ctx context.Context, open *programs, j *job) (a answer) {
	a.ID, a.Dump, a.Threads = j.ID, j.Dump, []jsonThread{}
	fail := func(err error) answer {
		a.Error = err.Error()
		return a
	}
	defer func() {
		if v := recover(); v != nil {
			a.Error = defect(cmp.Or(j.Dump, "a dump without a name"), v).Error()
		}
	}()
	if j.err != nil {
		return fail(j.err)
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	p, release, err := open.get(context.WithoutCancel(ctx), j.ELF, j.WithELF)
	if err != nil {
		return fail(err)
	}
	defer release()
	s, err := j.open(ctx, p)
	if err != nil {
		return fail(err)
	}
	defer s.Close()
	if text := s.Mismatch(); text != "" && !j.Force {
		return fail(errors.New(text))
	}
	return o.answer(ctx, s, j, a)
}

// errNoDump is the error of a job that names no dump.
var errNoDump = errors.New("the job has neither dump nor data")

func (j *job) open(ctx context.Context, p *session.Program) (*session.Session, error) {
	opt := session.DumpOptions{Crash: j.Crash}
	switch {
	case len(j.Data) > 0:
		return p.OpenReader(ctx, cmp.Or(j.Dump, "data"), bytes.NewReader(j.Data), int64(len(j.Data)), opt)
	case j.Dump == "":
		return nil, errNoDump
	}
	return p.OpenDump(ctx, j.Dump, opt)
}

func (o *workerOptions) answer(ctx context.Context, s *session.Session, j *job, a answer) answer {
	a.Warnings = s.Warnings()
	for _, t := range threadsToShow(ctx, s, j.AllThreads) {
		tt, err := traceThread(ctx, s, t)
		if err != nil {
			a.Error = err.Error()
			continue
		}
		a.Threads = append(a.Threads, newTracedThread(&tt))
	}
	sig, err := signatureOf(ctx, s)
	if err != nil {
		a.Error = cmp.Or(a.Error, err.Error())
		return a
	}
	a.Signature, a.Title, a.Partial = sig.ID, sig.String(), sig.Partial
	return a
}
