package dap

import (
	"context"
	"errors"
	"os"

	"pushmask/core"
	"pushmask/core/runcontrol"
	"pushmask/core/session"
)

// debuggee is the opened crash with the ids that the client was given for its
// parts. The ids are stable while the crash is open, because nothing moves.
type debuggee struct {
	opened  *session.Program // for close
	program *session.Program // the session's, which may have been moved
	session *session.Session
	live    *runcontrol.Live // nil for a dump
	running bool             // of a live target: session is that of the stop before

	frames   handles[frameKey]
	values   handles[containerKey]
	listings listings
	files    map[string]bool // whether a source file exists, as far as asked
	warned   int             // warnings about the image that the client was told
	quiet    map[string]bool // source files that are deemphasized, see emphasis
}

// frameKey names a line of a thread's stack.
type frameKey struct {
	thread core.ThreadID
	index  int
}

func newDebuggee(opened *session.Program, sess *session.Session) *debuggee {
	return &debuggee{
		opened:  opened,
		program: sess.Program(),
		session: sess,
		listings: listings{
			byAddr:  map[core.Addr]*listing{},
			byStart: map[core.Addr]*listing{},
		},
		files: map[string]bool{},
		quiet: map[string]bool{},
	}
}

// moved drops what was true of the stop before.
func (d *debuggee) moved(sess *session.Session) {
	d.session = sess
	d.frames.clear()
	d.values.clear()
}

func (d *debuggee) close() error {
	var err error
	if d.live != nil {
		err = d.live.Close(context.Background(), false)
	}
	return errors.Join(err, d.session.Close(), d.opened.Close())
}

// crashedThread returns the thread that the user wants to see first, 0 where
// the dump has none.
func (d *debuggee) crashedThread() core.ThreadID {
	threads := d.session.Threads()
	for _, t := range threads {
		if t.Crashed {
			return t.ID
		}
	}
	if len(threads) > 0 {
		return threads[0].ID
	}
	return 0
}

// stack returns the stack of a thread.
func (d *debuggee) stack(id core.ThreadID) (*session.Stack, error) {
	stack, err := d.session.Stack(id)
	if errors.Is(err, session.ErrNoThread) {
		return nil, failf(errUnknownThread, "the dump has no thread %d: ask for threads first", id)
	}
	if err != nil {
		return nil, failf(errStack, "the stack of thread %d is not available: %w", id, err)
	}
	return stack, nil
}

// frame returns the line of a stack that key names, and the stack.
func (d *debuggee) frame(ctx context.Context, key frameKey) (*session.Frame, *session.Stack, error) {
	stack, err := d.stack(key.thread)
	if err != nil {
		return nil, nil, err
	}
	frames, err := stack.Frames(ctx, key.index, 1)
	if err != nil {
		return nil, nil, err
	}
	if len(frames) == 0 {
		return nil, nil, failf(errUnknownFrame, "thread %d has no frame %d", key.thread, key.index)
	}
	return &frames[0], stack, nil
}

// frameByID returns what frame returns for the id of a frame.
func (d *debuggee) frameByID(ctx context.Context, id int) (frameKey, *session.Frame, error) {
	key, ok := d.frames.value(id)
	if !ok {
		return frameKey{}, nil, failf(errUnknownFrame, "there is no frame with the id %d: ask for stackTrace first", id)
	}
	f, _, err := d.frame(ctx, key)
	return key, f, err
}

// hasFile reports whether a source file is on this machine.
func (d *debuggee) hasFile(path string) bool {
	found, asked := d.files[path]
	if !asked {
		info, err := os.Stat(path)
		found = err == nil && info.Mode().IsRegular()
		d.files[path] = found
	}
	return found
}
