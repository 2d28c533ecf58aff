package gdbremote

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"pushmask/core/gdbremote/rsp"
)

// A turn is one move of the scripted stub: what it expects the client to send,
// to the byte, and what it sends then.
type turn struct{ want, send string }

// hold in place of what is expected waits until the client closes.
const hold = "hold"

// pkt frames a payload that needs no escapes.
func pkt(payload string) string {
	return fmt.Sprintf("$%s#%02x", payload, rsp.Checksum([]byte(payload)))
}

// ask is an exchange with acknowledgements.
func ask(request, reply string) []turn {
	return []turn{{pkt(request), "+" + pkt(reply)}, {"+", ""}}
}

// greeting is the start of a session with a stub that offers nothing.
func greeting(features string) []turn {
	return ask(supportedPacket, features)
}

// quick are timeouts for tests that run into them.
var quick = Options{Timeout: 4 * time.Second, AckWait: 500 * time.Millisecond}

// play runs the script in the background and returns a client of it. The
// script closes the connection at its end; that it was played to the end is
// checked when the test ends.
func play(t *testing.T, opt Options, script ...[]turn) *Client {
	t.Helper()
	ours, theirs := net.Pipe()
	played := make(chan error, 1)
	go func() {
		defer theirs.Close()
		played <- perform(theirs, script)
	}()
	t.Cleanup(func() {
		ours.Close()
		if err := <-played; err != nil {
			t.Error(err)
		}
	})
	c, err := New(t.Context(), ours, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func perform(c net.Conn, script [][]turn) error {
	for i, scene := range script {
		for j, turn := range scene {
			if turn.want == hold {
				_, _ = io.Copy(io.Discard, c)
				continue
			}
			got := make([]byte, len(turn.want))
			if n, err := io.ReadFull(c, got); string(got) != turn.want {
				return fmt.Errorf("scene %d, turn %d: client sent %q (%v), want %q", i, j, got[:n], err, turn.want)
			}
			if _, err := io.Copy(c, strings.NewReader(turn.send)); err != nil && !errors.Is(err, io.ErrClosedPipe) {
				return fmt.Errorf("scene %d, turn %d: %w", i, j, err)
			}
		}
	}
	return nil
}
