package gdbremote

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseTarget(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tests := []struct {
		target string
		want   endpoint
	}{
		{"localhost:3333", endpoint{"tcp", "localhost:3333"}},
		{" probe.lab.example:50000 ", endpoint{"tcp", "probe.lab.example:50000"}},
		{":3333", endpoint{"tcp", "localhost:3333"}},
		{"3333", endpoint{"tcp", "localhost:3333"}},
		{"tcp:localhost:3333", endpoint{"tcp", "localhost:3333"}},
		{"tcp4::3333", endpoint{"tcp4", "localhost:3333"}},
		{"tcp6:[::1]:3333", endpoint{"tcp6", "[::1]:3333"}},
		{"[::1]:3333", endpoint{"tcp", "[::1]:3333"}},
		{"::1:3333", endpoint{"tcp", "[::1]:3333"}},
		{"unix:/run/stub", endpoint{"unix", "/run/stub"}},
		{socket, endpoint{"unix", socket}},
		{"/dev/ttyACM0", endpoint{"serial", "/dev/ttyACM0"}},
		{"/dev/cu.usbmodem1", endpoint{"serial", "/dev/cu.usbmodem1"}},
		{"COM3", endpoint{"serial", "COM3"}},
		{`\\.\COM10`, endpoint{"serial", `\\.\COM10`}},
		{`com12`, endpoint{"serial", `com12`}},
	}
	for _, tt := range tests {
		got, err := parseTarget(tt.target)
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(endpoint{})); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", tt.target, err, diff)
		}
	}
	for _, target := range []string{"", "  ", "host", "host:", "host:0", "host:65536", "host:http", "| openocd", "udp:localhost:1", "/no/such/path", "COM"} {
		if got, err := parseTarget(target); !errors.Is(err, ErrTarget) {
			t.Errorf("%q: %v, %v", target, got, err)
		}
	}
}

// TestDialErrors says what to check.
func TestDialErrors(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	tests := []struct{ target, want string }{
		{l.Addr().String(), "start the GDB server"},
		{"unix:/no/such/socket", "there is no such socket"},
		{"nonsense", "the port, a number"},
	}
	if runtime.GOOS == "linux" {
		tests = append(tests, struct{ target, want string }{"/dev/no-such-device", "no such serial device"},
			struct{ target, want string }{"/dev/null", "serial device"})
	}
	for _, tt := range tests {
		_, err := Dial(t.Context(), tt.target, quick)
		e, ok := errors.AsType[*DialError](err)
		if !ok || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.target) || e.Unwrap() == nil {
			t.Errorf("%s: %v, want %q", tt.target, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Dial(ctx, "127.0.0.1:3333", quick); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}

// TestAdvice knows errors that need a network to happen.
func TestAdvice(t *testing.T) {
	t.Parallel()
	tcp, unix := endpoint{network: "tcp"}, endpoint{network: "unix"}
	for _, tt := range []struct {
		endpoint endpoint
		err      error
		want     string
	}{
		{tcp, &net.DNSError{Name: "probe.lab", IsNotFound: true}, `no machine is known as "probe.lab"`},
		{tcp, context.DeadlineExceeded, "firewall"},
		{tcp, os.ErrDeadlineExceeded, "firewall"},
		{tcp, context.Canceled, "given up"},
		{tcp, wsaConnRefused, "nothing listens on this port"},
		{unix, syscall.ECONNREFUSED, "nothing listens on this socket"},
		{unix, fs.ErrPermission, "no permission"},
		{tcp, syscall.EHOSTUNREACH, "the network"},
	} {
		if got := advice(tt.endpoint, tt.err); !strings.Contains(got, tt.want) {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
	if got := greetingAdvice(context.Canceled); got != "given up" {
		t.Errorf("greeting: %q", got)
	}
}

// TestKeepAlive notices a peer that is gone.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	for idle, want := range map[time.Duration]net.KeepAliveConfig{
		0:           {Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 4},
		time.Second: {Enable: true, Idle: time.Second, Interval: time.Second, Count: 4},
	} {
		if diff := cmp.Diff(want, keepAlive(idle)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", idle, diff)
		}
	}
	if keepAlive(-1).Enable {
		t.Error("probes although it was told not to")
	}
}

// TestDial speaks to stubs behind TCP and a Unix socket.
func TestDial(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "stub")
	for _, listen := range []struct{ network, address, prefix string }{{"tcp", "127.0.0.1:0", ""}, {"tcp", "127.0.0.1:0", "tcp:"}, {"unix", socket, "unix:"}} {
		l, err := net.Listen(listen.network, listen.address)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			if c, err := l.Accept(); err == nil {
				answer(c, &requests{}, table(map[string]string{"qC": "QC1"}))
			}
		}()
		c, err := Dial(t.Context(), listen.prefix+l.Addr().String(), quick)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Exchange(t.Context(), "qC"); got != "QC1" || err != nil {
			t.Errorf("%s: %q, %v", listen.network, got, err)
		}
		c.Close()
		<-done
		l.Close()
	}
}

// TestNoStub has servers that take the connection and say nothing, something
// else, what they were told, or goodbye.
func TestNoStub(t *testing.T) {
	t.Parallel()
	say := func(text string) func(net.Conn) {
		return func(c net.Conn) {
			_, _ = io.WriteString(c, text)
			_, _ = io.Copy(io.Discard, c)
		}
	}
	for name, tt := range map[string]struct {
		serve func(net.Conn)
		err   error
		want  string
	}{
		"silence":         {say(""), ErrNoAck, "as a GDB server does"},
		"another program": {say("SSH-2.0-OpenSSH_9.2\r\n"), ErrNoAck, "as a GDB server does"},
		"no answer":       {say("+"), ErrNoAnswer, "as a GDB server does"},
		"echo":            {func(c net.Conn) { _, _ = io.Copy(c, c) }, ErrMalformed, "as a GDB server does"},
		"closed":          {func(net.Conn) {}, ErrClosed, "closed the connection at once"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				c, err := l.Accept()
				if err != nil {
					return
				}
				defer c.Close()
				tt.serve(c)
			}()
			opt := Options{Timeout: 400 * time.Millisecond, AckWait: 50 * time.Millisecond}
			_, err = Dial(t.Context(), l.Addr().String(), opt)
			if e, ok := errors.AsType[*DialError](err); !ok || !errors.Is(err, tt.err) || !strings.Contains(e.Advice, tt.want) {
				t.Errorf("got %v, want %v and %q", err, tt.err, tt.want)
			}
		})
	}
}
