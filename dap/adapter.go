package dap

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/google/go-dap"

	"pushmask/core/session"
)

// adapter is one debug session.
//
// Goroutines: the one that calls serve owns the session's state and runs the
// handlers, one after another. A second one, started by serve, reads and
// decodes messages, answers malformed ones, and runs urgent handlers. Timers
// of progress run on their own. The last two use nothing but routes, log,
// out, inflight and progress, which are set once and safe to share.
type adapter struct {
	routes   map[string]route
	log      *slog.Logger
	out      *writer
	inflight *inflight
	progress *progress
	open     opener

	// What follows belongs to the goroutine of serve.

	client   client
	phase    phase
	config   launchConfig
	debuggee *debuggee    // nil before phaseOpen
	after    []namedEvent // what is sent when the request being run is answered
	// toldAtRest is set once the user was told that a dump does not run.
	toldAtRest bool
	ended      bool // the client has disconnected
	// halts receives the end of each run of a live target.
	halts chan halt
}

// opener opens an image and a dump of it.
type opener func(ctx context.Context, cfg session.Config, dump string, opt session.DumpOptions) (*session.Program, *session.Session, error)

func newAdapter(w io.Writer, opt Options) *adapter {
	out := newWriter(w, func(error) {})
	return &adapter{
		routes:   routeTable(),
		log:      opt.log(),
		out:      out,
		inflight: &inflight{},
		progress: &progress{out: out},
		open:     openCrash,
		halts:    make(chan halt),
	}
}

// console prints a line in the client's Debug Console. The category is one of
// OutputEvent: "console", "important", "stderr".
func (a *adapter) console(category, format string, args ...any) {
	a.out.emit("output", outputEvent(category, fmt.Sprintf(format, args...)))
}

// closeDebuggee closes what is open. The stopped program is gone after it.
func (a *adapter) closeDebuggee() {
	if a.debuggee == nil {
		return
	}
	if err := a.debuggee.close(); err != nil {
		a.log.Info("close debuggee", "error", err)
	}
	a.debuggee = nil
	a.phase = phaseInitialized
}

// namedEvent is an event to be sent.
type namedEvent struct {
	name  string
	event dap.EventMessage
}

// later sends an event after the answer to the request being run.
func (a *adapter) later(name string, event dap.EventMessage) {
	a.after = append(a.after, namedEvent{name, event})
}

// outputEvent is a line of the Debug Console.
func outputEvent(category, line string) *dap.OutputEvent {
	return &dap.OutputEvent{Body: dap.OutputEventBody{Category: category, Output: line + "\n"}}
}
