package dap

import (
	"sync"
	"time"

	"github.com/google/go-dap"
)

// progressDelay is how long a request runs before its progress is shown:
// long enough that ordinary requests never flash a notification.
const progressDelay = 500 * time.Millisecond

// progress reports the request that is being run when it takes long. One
// report exists at a time, because one goroutine runs requests; steps may be
// told from any goroutine.
type progress struct {
	out *writer

	mu      sync.Mutex
	enabled bool // the client supports progress reporting
	timer   *time.Timer
	seq     int // of the request being run, 0 for none
	title   string
	step    string
	shown   bool
}

// begin arms the report for a request. No title means no report.
func (p *progress) begin(seq int, title string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.enabled || title == "" {
		return
	}
	p.seq, p.title, p.step, p.shown = seq, title, "", false
	p.timer = time.AfterFunc(progressDelay, func() { p.show(seq) })
}

// show sends progressStart unless the request has ended by now.
func (p *progress) show(seq int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seq != seq || p.shown {
		return
	}
	p.shown = true
	p.out.emit("progressStart", &dap.ProgressStartEvent{Body: dap.ProgressStartEventBody{
		ProgressId: progressID(seq), Title: p.title, RequestId: seq, Cancellable: true, Message: p.step,
	}})
}

// setStep tells what the request is doing now.
func (p *progress) setStep(step string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step = step
	if p.seq == 0 || !p.shown {
		return
	}
	p.out.emit("progressUpdate", &dap.ProgressUpdateEvent{Body: dap.ProgressUpdateEventBody{
		ProgressId: progressID(p.seq), Message: step,
	}})
}

// end closes the report of the request, if one was shown.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seq == 0 {
		return
	}
	p.timer.Stop()
	if p.shown {
		p.out.emit("progressEnd", &dap.ProgressEndEvent{Body: dap.ProgressEndEventBody{ProgressId: progressID(p.seq)}})
	}
	p.seq, p.shown = 0, false
}

// enable tells that the client supports progress reporting.
func (p *progress) enable() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.enabled = true
}
