package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"pushmask/core"
	"pushmask/core/gdbremote/serve"
	"pushmask/core/session"
)

// monitor is what a debugger's "monitor" says of a crash.
type monitor struct {
	session *session.Session
	path    string // of the dump, as the user gave it
}

func (m *monitor) commands() []serve.Command {
	return []serve.Command{
		{Name: "info", Help: "what the crash is, its threads and memory, and what is wrong with it", Run: m.info},
		{Name: "fault", Help: "why it crashed, with the fault registers", Run: m.fault},
		{Name: "threads", Help: "the threads with their states and stacks", Run: m.threads},
		{Name: "bt", Help: "the call stack as pushmask unwinds it; monitor bt THREAD, monitor bt all", Run: m.backtrace},
	}
}

func (m *monitor) info(ctx context.Context, w io.Writer, _ []string) error {
	return describeDump(ctx, w, m.session, m.path)
}

func (m *monitor) fault(ctx context.Context, w io.Writer, _ []string) error {
	c := m.session.Cause(ctx, m.session.Threads()[0].ID)
	fmt.Fprintf(w, "%s: %s\n", c.Name, c.Description)
	for _, text := range append(c.Notes, c.Details...) {
		fmt.Fprintln(w, "  "+text)
	}
	return nil
}

func (m *monitor) threads(ctx context.Context, w io.Writer, _ []string) error {
	for _, t := range m.session.Threads() {
		text, err := threadText(ctx, m.session, t)
		if err != nil {
			return err
		}
		fmt.Fprintln(w, text)
	}
	return nil
}

func (m *monitor) backtrace(ctx context.Context, w io.Writer, args []string) error {
	threads := threadsToShow(ctx, m.session, len(args) > 0 && args[0] == "all")
	if len(args) > 0 && args[0] != "all" {
		id, err := strconv.Atoi(args[0])
		t, ok := m.session.Thread(core.ThreadID(id))
		if err != nil || !ok {
			return fmt.Errorf("thread %q: %w; \"monitor threads\" lists them", args[0], session.ErrNoThread)
		}
		threads = []core.Thread{t}
	}
	b := &backtrace{dump: m.path}
	for _, t := range threads {
		tt, err := traceThread(ctx, m.session, t)
		if err != nil {
			return err
		}
		b.threads = append(b.threads, tt)
	}
	(&textTrace{w: w}).write(b)
	return nil
}
