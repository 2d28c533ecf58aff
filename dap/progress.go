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
	enabled bool    // the client supports progress reporting
	current *report // of the request being run, nil for none
}

// report is the progress of one request.
type report struct {
	seq         int
	title, step string
	timer       *time.Timer
	shown       bool
}

// begin arms the report of a request. No title means no report.
func (p *progress) begin(seq int, title string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.enabled || title == "" {
		return
	}
	r := &report{seq: seq, title: title}
	r.timer = time.AfterFunc(progressDelay, func() { p.show(r) })
	p.current = r
}

// show sends progressStart unless the request has ended by now.
func (p *progress) show(r *report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current != r {
		return
	}
	r.shown = true
	p.out.emit("progressStart", &dap.ProgressStartEvent{Body: dap.ProgressStartEventBody{
		ProgressId: progressID(r.seq), Title: r.title, RequestId: r.seq, Cancellable: true, Message: r.step,
	}})
}

// setStep tells what the request is doing now.
func (p *progress) setStep(step string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.current
	if r == nil {
		return
	}
	r.step = step
	if r.shown {
		p.out.emit("progressUpdate", &dap.ProgressUpdateEvent{Body: dap.ProgressUpdateEventBody{
			ProgressId: progressID(r.seq), Message: step,
		}})
	}
}

// end closes the report of the request, if it has one.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.current
	if r == nil {
		return
	}
	r.timer.Stop()
	if r.shown {
		p.out.emit("progressEnd", &dap.ProgressEndEvent{Body: dap.ProgressEndEventBody{ProgressId: progressID(r.seq)}})
	}
	p.current = nil
}

// enable tells that the client supports progress reporting.
func (p *progress) enable() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.enabled = true
}
