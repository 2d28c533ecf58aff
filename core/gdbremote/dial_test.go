package gdbremote

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"strings"
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
		{"no.such.machine.invalid:3333", "no machine is known as"},
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

// TestNoStub has a server that takes the connection and says nothing, or
// something else.
func TestNoStub(t *testing.T) {
	t.Parallel()
	for greeting, want := range map[string]error{"": ErrNoAck, "SSH-2.0-OpenSSH_9.2\r\n": ErrNoAck, "+": ErrNoAnswer} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			_, _ = c.Write([]byte(greeting))
			_, _ = io.Copy(io.Discard, c)
		}()
		opt := Options{Timeout: 400 * time.Millisecond, AckWait: 50 * time.Millisecond}
		if _, err := Dial(t.Context(), l.Addr().String(), opt); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", greeting, err, want)
		}
		l.Close()
	}
}
