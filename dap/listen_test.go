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

func TestListenAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		addr   string
		remote bool
		want   string
		err    error
	}{
		{":4711", false, "127.0.0.1:4711", nil},
		{"127.0.0.1:0", false, "127.0.0.1:0", nil},
		{"[::1]:0", false, "[::1]:0", nil},
		{"localhost:1", false, "localhost:1", nil},
		{"0.0.0.0:4711", false, "", ErrNotLoopback},
		{"192.168.1.5:4711", false, "", ErrNotLoopback},
		{"example.com:4711", false, "", ErrNotLoopback},
		{":4711", true, ":4711", nil},
		{"0.0.0.0:4711", true, "0.0.0.0:4711", nil},
	} {
		got, err := listenAddress(test.addr, test.remote)
		if got != test.want || !errors.Is(err, test.err) {
			t.Errorf("listenAddress(%q, %v) = %q, %v; want %q, %v", test.addr, test.remote, got, err, test.want, test.err)
		}
	}
	if _, err := listenAddress("4711", false); err == nil {
		t.Error("an address without a colon is accepted")
	}
}
