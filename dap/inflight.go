package dap

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// inflight knows the requests that were read and not yet answered, so that
// they can be cancelled while another goroutine runs them. It is safe for
// concurrent use.
type inflight struct {
	mu     sync.Mutex
	cancel map[int]context.CancelFunc // by sequence number
}

// add registers a request and returns its context. The returned function
// must be called once the request is answered.
func (f *inflight) add(ctx context.Context, seq int) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cancel == nil {
		f.cancel = map[int]context.CancelFunc{}
	}
	f.cancel[seq] = cancel
	return ctx, func() {
		cancel()
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.cancel, seq)
	}
}

// cancelRequest cancels the request with the given sequence number, if it is
// still in flight.
func (f *inflight) cancelRequest(seq int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if cancel := f.cancel[seq]; cancel != nil {
		cancel()
	}
}

// interruptGrace is how long requests that are in flight when the client
// ends the session may still take. Those of a client that sends all it wants
// to know and disconnect at once are answered; a long one does not hold up a
// user who gives up on it.
const interruptGrace = time.Second

// interrupt cancels what is in flight now and still is after interruptGrace.
func (f *inflight) interrupt() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.cancel) == 0 {
		return
	}
	cancels := slices.Collect(maps.Values(f.cancel))
	time.AfterFunc(interruptGrace, func() {
		for _, cancel := range cancels {
			cancel()
		}
	})
}

const progressPrefix = "request-"

// progressID names the progress report of a request.
func progressID(seq int) string { return progressPrefix + strconv.Itoa(seq) }

// progressSeq is the inverse of progressID.
func progressSeq(id string) (seq int, ok bool) {
	digits, ok := strings.CutPrefix(id, progressPrefix)
	if !ok {
		return 0, false
	}
	seq, err := strconv.Atoi(digits)
	return seq, err == nil
}
