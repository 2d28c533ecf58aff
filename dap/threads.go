package dap

import (
	"context"
	"fmt"

	"github.com/google/go-dap"

	"pushmask/core"
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
	name := t.Name
	if name == "" {
		name = fmt.Sprintf("thread %d", t.ID)
	}
	if t.Crashed && several {
		name += " (crashed)"
	}
	return name
}
