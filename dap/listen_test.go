package dap

import (
	"context"
	"errors"
	"net"
	"testing"

	"pushmask/dap/dapclient"
)

// TestListen runs two sessions at once and a third after them.
func TestListen(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	bound := make(chan net.Addr, 1)
	done := make(chan error, 1)
	go func() { done <- Listen(ctx, ":0", Options{Listening: func(a net.Addr) { bound <- a }}) }()
	addr := <-bound
	if ip := addr.(*net.TCPAddr).IP; !ip.IsLoopback() {
		t.Errorf("listens on %v", ip)
	}
	connect := func() *dapclient.Client {
		c := dapclient.New(must(net.Dial("tcp", addr.String()))(t))
		must(c.Open(demoImage(t), demoCore(t)))(t)
		return c
	}
	first, second := connect(), connect()
	must(first.Threads())(t)
	if err := first.Disconnect(); err != nil {
		t.Error(err)
	}
	must(second.Threads())(t)
	third := connect()
	must(third.Threads())(t)

	cancel()
	if err := <-done; err != nil {
		t.Errorf("Listen: %v", err)
	}
	for _, c := range []*dapclient.Client{first, second, third} {
		if err := c.Event("none", nil); !errors.Is(err, dapclient.ErrClosed) {
			t.Errorf("a session outlives Listen: %v", err)
		}
		c.Close()
	}
}
