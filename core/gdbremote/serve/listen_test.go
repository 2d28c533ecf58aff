package serve

import (
	"bufio"
	"context"
	"errors"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"pushmask/core/gdbremote"
)

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// attach connects with our client.
func attach(t *testing.T, addr string) *gdbremote.Client {
	t.Helper()
	c, err := gdbremote.New(context.Background(), dial(t, addr), gdbremote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestListenInTurn serves one client after the other, and tells one that comes
// in between why it is not served.
func TestListenInTurn(t *testing.T) {
	t.Parallel()
	addr := listen(t, openStub(t, "demo", "crash.core", Options{}))
	first := attach(t, addr)
	conn := dial(t, addr)
	second := &peer{t: t, conn: conn, r: bufio.NewReader(conn)}
	for range 2 {
		if got := second.reply("qSupported"); !strings.HasPrefix(got, "E.another client") {
			t.Errorf("a second client is told %q", got)
		}
	}
	if err := first.Detach(context.Background()); err != nil {
		t.Error(err)
	}
	for range 3 {
		if err := attach(t, addr).Detach(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// TestListenOnce ends with the first client.
func TestListenOnce(t *testing.T) {
	t.Parallel()
	bound, done := make(chan net.Addr, 1), make(chan error, 1)
	stub := openStub(t, "demo", "crash.core", Options{Once: true, Listening: func(a net.Addr) { bound <- a }})
	go func() { done <- stub.Listen(context.Background(), ":0") }()
	addr := <-bound
	if !addr.(*net.TCPAddr).IP.IsLoopback() {
		t.Errorf("listens on %v", addr)
	}
	if err := attach(t, addr.String()).Detach(context.Background()); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Errorf("Listen: %v", err)
	}
}

// TestListenFlood connects more often than anybody should: what is not served is
// turned away, memory stays bounded, and a client is served afterwards. When the
// context ends, so do all connections.
func TestListenFlood(t *testing.T) {
	t.Parallel()
	bound, done := make(chan net.Addr, 1), make(chan error, 1)
	stub := openStub(t, "demo", "crash.core", Options{Listening: func(a net.Addr) { bound <- a }})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { done <- stub.Listen(ctx, ":0") }()
	addr := (<-bound).String()
	before := runtime.NumGoroutine()
	var conns []net.Conn
	for range 300 {
		conn := dial(t, addr)
		_, _ = conn.Write([]byte("$m20000000,")) // half a packet; the connection may be closed already
		conns = append(conns, conn)
	}
	if n := runtime.NumGoroutine() - before; n > 200 {
		t.Errorf("%d goroutines for %d connections", n, len(conns))
	}
	for _, c := range conns {
		c.Close()
	}
	deadline := time.Now().Add(20 * time.Second)
	for {
		c, err := gdbremote.New(ctx, dial(t, addr), gdbremote.Options{})
		if err == nil {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("Listen: %v", err)
			}
			if _, err := c.Exchange(context.Background(), "qC"); err == nil {
				t.Error("a client outlives the context")
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no client is served after the flood: %v", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func TestListenAddress(t *testing.T) {
	t.Parallel()
	stub := openStub(t, "demo", "crash.core", Options{})
	if err := stub.Listen(context.Background(), "0.0.0.0:0"); !errors.Is(err, ErrNotLoopback) {
		t.Errorf("all interfaces: %v", err)
	}
	taken := listen(t, stub)
	if err := openStub(t, "demo", "crash.core", Options{}).Listen(context.Background(), taken); err == nil {
		t.Error("listens on a port that is taken")
	}
}
