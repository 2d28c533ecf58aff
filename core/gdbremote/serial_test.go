package gdbremote

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.bug.st/serial"
)

// port is a serial device without deadlines: the other end is a stub.
type port struct {
	net.Conn
	once   sync.Once
	closed chan struct{}
}

func (p *port) Close() error {
	p.once.Do(func() { close(p.closed) })
	return p.Conn.Close()
}

// TestSerial speaks to a stub behind a device, runs into a deadline, and has
// the device closed with the client.
func TestSerial(t *testing.T) {
	t.Parallel()
	near, far := net.Pipe()
	device := &port{Conn: near, closed: make(chan struct{})}
	go answer(far, &requests{}, table(map[string]string{"qC": "QC1"}))
	c, err := New(t.Context(), withDeadlines(device), quick)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.Exchange(t.Context(), "qC"); got != "QC1" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	c.Close()
	<-device.closed
}

// TestUnplugged ends with the device: it reads nothing, as a tty does, or
// fails.
func TestUnplugged(t *testing.T) {
	t.Parallel()
	for _, err := range []error{nil, io.ErrUnexpectedEOF, os.ErrClosed} {
		conn := withDeadlines(&gone{err})
		if err := conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Fatal(err)
		}
		if _, got := conn.Read(make([]byte, 1)); !isAny(got, closedErrors) {
			t.Errorf("%v: %v", err, got)
		}
		conn.Close()
	}
}

// gone is a device that was unplugged.
type gone struct{ err error }

func (g *gone) Read([]byte) (int, error)    { return 0, g.err }
func (g *gone) Write(p []byte) (int, error) { return 0, io.ErrClosedPipe }
func (g *gone) Close() error                { return nil }

// TestSerialAdvice knows what the library and the system say.
func TestSerialAdvice(t *testing.T) {
	t.Parallel()
	_, missing := serial.Open("/no/such/device", &serial.Mode{})
	for err, want := range map[error]string{
		missing: "no such serial device", fs.ErrPermission: "no permission", errors.New("odd"): "cannot be opened",
	} {
		if got := serialAdvice(err); !strings.Contains(got, want) {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
