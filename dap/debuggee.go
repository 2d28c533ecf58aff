package dap

import (
	"cmp"
	"context"
	"errors"
	"os"

	"pushmask/core"
	"pushmask/core/session"
)

// debuggee is the opened crash, or a live target at its last stop, with the ids
// that the client was given for its parts. The ids of a crash are stable, because
// nothing moves; those of a live target are good for one stop.
type debuggee struct {
	number  int              // among those of the session
	opened  *session.Program // for close
	program *session.Program // the session's, which may have been moved
	session *session.Session
	live    *liveTarget         // nil for a dump
	images  []session.ImageFile // that the program was opened with, the main one first

	frames   handles[frameKey]
	values   handles[containerKey]
	places   handles[core.Addr] // of goto and of steps into
	listings listings
	files    map[string]bool // whether a source file exists, as far as asked
	warned   map[string]bool // warnings about the images that the client was told
	// described: the client was told what is wrong with the device description.
	described bool
	quiet     map[string]bool // source files that are deemphasized, see emphasis
}

// frameKey names a line of a thread's stack.
type frameKey struct {
	thread core.ThreadID
	index  int
}

// newDebuggee returns the debuggee with a number. The session of a live target
// comes with its first stop.
func newDebuggee(number int, images []session.ImageFile, opened, program *session.Program) *debuggee {
	base := number * idSpan
	return &debuggee{
		number:  number,
		images:  images,
		opened:  opened,
		program: program,
		frames:  handles[frameKey]{before: base},
		values:  handles[containerKey]{before: base},
		places:  handles[core.Addr]{before: base},
		listings: listings{
			byAddr:  map[core.Addr]*listing{},
			byStart: map[core.Addr]*listing{},
			refs:    handles[*listing]{before: base},
		},
		files:  map[string]bool{},
		quiet:  map[string]bool{},
		warned: map[string]bool{},
	}
}

// moved drops what was true of the stop before.
func (d *debuggee) moved(sess *session.Session) {
	d.session = sess
	d.frames.clear()
	d.values.clear()
	d.places.clear()
}

// close closes the files of a debuggee. The session of a live target holds none.
func (d *debuggee) close() error {
	var err error
	if d.session != nil {
		err = d.session.Close()
	}
	return errors.Join(err, d.opened.Close())
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
	if err := d.halted(); err != nil {
		return nil, err
	}
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
		return frameKey{}, nil, cmp.Or(d.halted(), error(failf(errUnknownFrame, "there is no frame with the id %d: ask for stackTrace first", id)))
	}
	return d.frameAt(ctx, key)
}

// frameAt returns what frameByID returns for the key of a frame.
func (d *debuggee) frameAt(ctx context.Context, key frameKey) (frameKey, *session.Frame, error) {
	f, _, err := d.frame(ctx, key)
	return key, f, err
}

// settled takes the session of a target that stands elsewhere than before.
func (d *debuggee) settled() error {
	sess, err := d.live.control.Session()
	if err == nil {
		d.moved(sess)
	}
	return err
}

// refresh takes the session of a stop whose registers or memory were changed.
// What the client was told of it keeps its ids.
func (d *debuggee) refresh() error {
	if d.live.run != nil {
		return nil
	}
	sess, err := d.live.control.Session()
	if err != nil {
		return err
	}
	d.session = sess
	return nil
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
