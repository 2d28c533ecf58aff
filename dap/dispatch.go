package dap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/google/go-dap"
)

// handler runs one kind of request.
type handler func(*adapter, context.Context, dap.RequestMessage) (dap.ResponseMessage, error)

// handle makes a handler of a typed method. The decoder has made the request
// from the command that the route is found by, so its type is right.
func handle[Req dap.RequestMessage, Resp dap.ResponseMessage](f func(*adapter, context.Context, Req) (Resp, error)) handler {
	return func(a *adapter, ctx context.Context, m dap.RequestMessage) (dap.ResponseMessage, error) {
		resp, err := f(a, ctx, m.(Req))
		if err != nil {
			return nil, err
		}
		return resp, nil
	}
}

// phase is how far a session has come.
type phase int

const (
	phaseNew         phase = iota
	phaseInitialized       // initialize was answered
	phaseOpen              // launch or attach was answered
)

// route says how a command is handled.
type route struct {
	run   handler
	needs phase
	// decode decodes requests that go-dap's schema lacks, nil for the others.
	decode func(content []byte) (dap.RequestMessage, error)
	// title heads the progress report when the request takes long; "" for
	// requests that cannot.
	title string
	// urgent requests run at once on the reading goroutine. Their handlers
	// touch no state of the session.
	urgent bool
	// interrupts makes the request end those before it, see interrupt.
	interrupts bool
}

// routeTable lists every request that is served.
func routeTable() map[string]route {
	return map[string]route{
		"initialize":        {run: handle((*adapter).initialize)},
		"cancel":            {run: handle((*adapter).cancel), urgent: true},
		"launch":            {run: handle((*adapter).launch), needs: phaseInitialized, title: "Starting the session"},
		"attach":            {run: handle((*adapter).attach), needs: phaseInitialized, title: "Starting the session"},
		"restart":           {run: handle((*adapter).restart), needs: phaseOpen, title: "Starting again", interrupts: true},
		"configurationDone": {run: handle((*adapter).configurationDone), needs: phaseOpen},
		"disconnect":        {run: handle((*adapter).disconnect), interrupts: true},
		"terminate":         {run: handle((*adapter).terminate), interrupts: true},

		"setBreakpoints":            {run: handle((*adapter).setBreakpoints), needs: phaseInitialized},
		"setExceptionBreakpoints":   {run: handle((*adapter).setExceptionBreakpoints), needs: phaseInitialized},
		"setFunctionBreakpoints":    {run: handle((*adapter).setFunctionBreakpoints), needs: phaseInitialized},
		"setInstructionBreakpoints": {run: handle((*adapter).setInstructionBreakpoints), needs: phaseInitialized},
		"dataBreakpointInfo":        {run: handle((*adapter).dataBreakpointInfo), needs: phaseOpen, decode: decodeAs[dataBreakpointInfoRequest]},
		"setDataBreakpoints":        {run: handle((*adapter).setDataBreakpoints), needs: phaseInitialized},
		"breakpointLocations":       {run: handle((*adapter).breakpointLocations), needs: phaseInitialized},
		"continue":                  {run: handle((*adapter).continueThread), needs: phaseOpen},
		"next":                      {run: handle((*adapter).next), needs: phaseOpen},
		"stepIn":                    {run: handle((*adapter).stepIn), needs: phaseOpen},
		"stepOut":                   {run: handle((*adapter).stepOut), needs: phaseOpen},
		"pause":                     {run: handle((*adapter).pause), needs: phaseOpen},
		"stepInTargets":             {run: handle((*adapter).stepInTargets), needs: phaseOpen},
		"gotoTargets":               {run: handle((*adapter).gotoTargets), needs: phaseOpen},
		"goto":                      {run: handle((*adapter).goTo), needs: phaseOpen},

		"threads":       {run: handle((*adapter).threads), needs: phaseOpen},
		"stackTrace":    {run: handle((*adapter).stackTrace), needs: phaseOpen, title: "Unwinding the stack"},
		"scopes":        {run: handle((*adapter).scopes), needs: phaseOpen},
		"variables":     {run: handle((*adapter).variables), needs: phaseOpen, title: "Reading registers"},
		"evaluate":      {run: handle((*adapter).evaluate), needs: phaseOpen, title: "Evaluating", decode: decodeAs[evaluateRequest]},
		"exceptionInfo": {run: handle((*adapter).exceptionInfo), needs: phaseOpen, title: "Explaining the crash"},
		"source":        {run: handle((*adapter).source), needs: phaseOpen, title: "Disassembling"},
		"disassemble":   {run: handle((*adapter).disassemble), needs: phaseOpen, title: "Disassembling"},
		"readMemory":    {run: handle((*adapter).readMemory), needs: phaseOpen},
		"writeMemory":   {run: handle((*adapter).writeMemory), needs: phaseOpen},
		"setVariable":   {run: handle((*adapter).setVariable), needs: phaseOpen},
		"setExpression": {run: handle((*adapter).setExpression), needs: phaseOpen},
		"completions":   {run: handle((*adapter).completions), needs: phaseOpen},
		"modules":       {run: handle((*adapter).modules), needs: phaseOpen},
		"loadedSources": {run: handle((*adapter).loadedSources), needs: phaseOpen, title: "Listing source files"},

		"reset-device":    custom((*adapter).resetDevice),
		"read-memory":     custom((*adapter).customReadMemory),
		"write-memory":    custom((*adapter).customWriteMemory),
		"execute-command": custom((*adapter).executeCommand),
		"get-arguments":   custom((*adapter).getArguments),
	}
}

// custom is the route of a request that the protocol does not have.
func custom(f func(*adapter, context.Context, *customRequest) (*customResponse, error)) route {
	return route{run: handle(f), needs: phaseOpen, decode: decodeAs[customRequest]}
}

// request is a decoded request on its way to its handler.
type request struct {
	envelope
	message dap.RequestMessage
	route   route
	ctx     context.Context
	done    func() // the request is answered
}

// dispatch runs a request and answers it: the one place where sequence
// numbers, success and error responses, panics and logging are dealt with.
func (a *adapter) dispatch(r *request) {
	defer r.done()
	start := time.Now()
	resp, err := a.runBound(r)
	took := time.Since(start)
	if err != nil {
		fail := asRequestError(r.ctx, err)
		a.log.Info("request failed", "command", r.Command, "seq", r.Seq, "took", took, "id", int(fail.id), "error", err)
		a.out.respondError(r.envelope, fail)
	} else {
		a.log.Debug("request", "command", r.Command, "seq", r.Seq, "took", took)
		a.out.respond(r.envelope, resp)
	}
	if r.route.urgent {
		return
	}
	a.warnOfImage()
	if a.config.trace {
		a.console("console", "%s (request %d): %s in %v", r.Command, r.Seq, outcome(err), took.Round(time.Microsecond))
	}
	after := a.after
	a.after = nil
	for _, e := range after {
		a.out.emit(e.name, e.event)
	}
	if f := a.afterwards; f != nil {
		a.afterwards = nil
		f()
	}
	a.checkTargets()
	if r.ctx.Err() != nil {
		a.renew()
	}
}

// runBound runs a request; what one that is not urgent reads of halted targets
// ends with its context.
func (a *adapter) runBound(r *request) (dap.ResponseMessage, error) {
	if r.route.urgent {
		return a.run(r)
	}
	a.progress.begin(r.Seq, r.route.title)
	defer a.progress.end()
	defer a.bound(r.ctx)()
	return a.run(r)
}

func outcome(err error) string {
	if err != nil {
		return "failed"
	}
	return "answered"
}

// run calls the request's handler, unless the request comes at the wrong time
// or was cancelled before its turn. A panic becomes an error.
func (a *adapter) run(r *request) (resp dap.ResponseMessage, err error) {
	defer func() {
		if v := recover(); v != nil {
			a.log.Error("panic", "command", r.Command, "seq", r.Seq, "value", v, "stack", string(debug.Stack()))
			resp, err = nil, failf(errInternal, "pushmask failed in %q: %v; please report this with the dump if you can", r.Command, v)
		}
	}()
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	if !r.route.urgent && a.phase < r.route.needs {
		before := "launch or attach"
		if r.route.needs == phaseInitialized {
			before = "initialize"
		}
		return nil, failf(errOutOfOrder, "%q comes too early: send %s first", r.Command, before)
	}
	return r.route.run(a, r.ctx, r.message)
}

// malformed explains why the arguments of a request could not be decoded.
func malformed(env envelope, err error) *requestError {
	if te, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field := te.Field
		if field == "" {
			field = "arguments"
		}
		return failf(errMalformed, "%q: %s is a JSON %s where %s is expected", env.Command, field, te.Value, jsonKind(te))
	}
	return failf(errMalformed, "%q cannot be decoded: %w", env.Command, err)
}

// jsonKind names the type that the decoder wanted in terms of JSON.
func jsonKind(te *json.UnmarshalTypeError) string {
	switch kind := te.Type.Kind().String(); kind {
	case "int", "int64", "float64":
		return "a number"
	case "string":
		return "a string"
	case "bool":
		return "true or false"
	case "slice":
		return "a list"
	case "struct", "map", "ptr":
		return "an object"
	default:
		return fmt.Sprintf("a %s", kind)
	}
}

// cancel answers the request of that name. Clients may cancel what has been
// answered long ago: that is no error (Requests, cancel).
func (a *adapter) cancel(_ context.Context, req *dap.CancelRequest) (*dap.CancelResponse, error) {
	if args := req.Arguments; args != nil {
		if args.RequestId != 0 {
			a.inflight.cancelRequest(args.RequestId)
		}
		if seq, ok := progressSeq(args.ProgressId); ok {
			a.inflight.cancelRequest(seq)
		}
	}
	return &dap.CancelResponse{}, nil
}
