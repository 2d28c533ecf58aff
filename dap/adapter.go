package dap

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/google/go-dap"

	"pushmask/core/probe"
	"pushmask/core/session"
)

// adapter is one debug session.
//
// Goroutines: the one that calls serve owns the session's state and runs the
// handlers, one after another. A second one, started by serve, reads and
// decodes messages, answers malformed ones, and runs urgent handlers. Timers
// of progress run on their own. Each running target has one that waits for its
// stop, and each server that was started has one that waits for its end; they
// hand what they have to tell to the owner through mail. All but the owner use
// nothing but routes, log, out, inflight, progress and mail, which are set once
// and safe to share.
type adapter struct {
	routes     map[string]route
	log        *slog.Logger
	out        *writer
	inflight   *inflight
	progress   *progress
	open       opener
	connect    connector
	startProbe starter
	mail       chan func(context.Context) // what others want the owner to do

	// What follows belongs to the goroutine of serve.

	client   client
	phase    phase
	config   launchConfig
	debuggee *debuggee      // the first, nil before phaseOpen
	further  []*debuggee    // the other targets of a live session
	watched  *debuggee      // what the user looks at, nil for the first
	server   *probe.Server  // that was started for the session, nil for none
	defaults probe.Commands // of the kind of server
	after    []namedEvent   // what is sent when the request being run is answered
	// afterwards is done when all of that is sent, nil for nothing.
	afterwards func()
	// toldAtRest is set once the user was told that a dump does not run.
	toldAtRest bool
	ended      bool // the client has disconnected
}

// opener opens an image and a dump of it.
type opener func(ctx context.Context, cfg session.Config, dump string, opt session.DumpOptions) (*session.Program, *session.Session, error)

func newAdapter(w io.Writer, opt Options) *adapter {
	out := newWriter(w, func(error) {})
	return &adapter{
		routes:     routeTable(),
		log:        opt.log(),
		out:        out,
		inflight:   &inflight{},
		progress:   &progress{out: out},
		open:       openCrash,
		connect:    dialTarget,
		startProbe: probe.Start,
		mail:       make(chan func(context.Context)),
	}
}

// console prints a line in the client's Debug Console. The category is one of
// OutputEvent: "console", "important", "stderr".
func (a *adapter) console(category, format string, args ...any) {
	a.out.emit("output", outputEvent(category, fmt.Sprintf(format, args...)))
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
