package dap

import (
	"context"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/session"
)

func (a *adapter) threads(context.Context, *dap.ThreadsRequest) (*dap.ThreadsResponse, error) {
	threads := a.debuggee.session.Threads()
	resp := &dap.ThreadsResponse{Body: dap.ThreadsResponseBody{Threads: make([]dap.Thread, 0, len(threads))}}
	for _, t := range threads {
		resp.Body.Threads = append(resp.Body.Threads, dap.Thread{Id: int(t.ID), Name: threadName(t, len(threads) > 1)})
	}
	return resp, nil
}

// threadName names a thread; among several, the crashed one is marked.
func threadName(t core.Thread, several bool) string {
	title := session.ThreadTitle(t)
	if t.Crashed && several {
		title += " (crashed)"
	}
	return title
}
