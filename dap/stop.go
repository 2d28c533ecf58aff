package dap

import (
	"context"
	"slices"
	"strings"

	"github.com/google/go-dap"

	"pushmask/core"
)

// stopped tells the client, after the answer to the request being run, that
// all threads stand, and that one of them is of interest. again is set where
// the client knows already.
func (a *adapter) stopped(ctx context.Context, id core.ThreadID, again bool) {
	body := dap.StoppedEventBody{
		Reason:            "pause",
		ThreadId:          int(id),
		AllThreadsStopped: true,
		PreserveFocusHint: again,
	}
	if t, ok := a.debuggee.session.Thread(id); ok && t.Crashed {
		cause := a.debuggee.session.Cause(ctx, id)
		body.Reason, body.Description, body.Text = "exception", cause.Name, cause.Description
	}
	a.later("stopped", &dap.StoppedEvent{Body: body})
}

func (a *adapter) exceptionInfo(ctx context.Context, req *dap.ExceptionInfoRequest) (*dap.ExceptionInfoResponse, error) {
	d := a.owner(req.Arguments.ThreadId)
	id := d.threadID(req.Arguments.ThreadId)
	if _, err := d.stack(id); err != nil {
		return nil, err
	}
	cause := d.session.Cause(ctx, id)
	text := strings.Join(slices.Concat([]string{cause.Description}, cause.Notes, cause.Details), "\n")
	return &dap.ExceptionInfoResponse{Body: dap.ExceptionInfoResponseBody{
		ExceptionId: cause.Name,
		Description: strings.TrimSpace(text),
		BreakMode:   "unhandled",
		Details:     &dap.ExceptionDetails{TypeName: cause.Name, Message: cause.Description},
	}}, nil
}
