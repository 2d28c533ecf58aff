package gdbremote

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
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
	return append([]turn{{"+", ""}}, ask(supportedPacket, features)...)
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

// answering runs a stub that answers each request by itself, "" to those that
// reply does not know, and returns a client of it and the list of requests.
func answering(t testing.TB, opt Options, reply func(request string) string) (*Client, *requests) {
	t.Helper()
	ours, theirs := net.Pipe()
	seen := &requests{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		answer(theirs, seen, reply)
	}()
	t.Cleanup(func() {
		ours.Close()
		<-done
	})
	c, err := New(t.Context(), ours, opt)
	if err != nil {
		t.Fatal(err)
	}
	seen.take()
	return c, seen
}

// answer is the stub's end of answering.
func answer(c net.Conn, seen *requests, reply func(string) string) {
	defer c.Close()
	r := bufio.NewReader(c)
	for {
		f, err := rsp.Read(r)
		if err != nil {
			return
		}
		if f.Kind != rsp.PacketStart {
			continue
		}
		request := string(f.Payload)
		seen.add(request)
		if _, err := c.Write(rsp.Append([]byte{rsp.Ack}, []byte(reply(request)))); err != nil {
			return
		}
	}
}

// requests are those that a stub got.
type requests struct {
	mu   sync.Mutex
	list []string
}

func (r *requests) add(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, s)
}

// take returns the requests since the last call.
func (r *requests) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.list
	r.list = nil
	return list
}

// table answers by a table; a request that begins with "qSupported" has the key
// of that name.
func table(replies map[string]string) func(string) string {
	return func(request string) string {
		if strings.HasPrefix(request, "qSupported") {
			request = "qSupported"
		}
		return replies[request]
	}
}

// document answers the pieces of a document that qXfer reads, "" for other
// requests.
func document(request, object, annex, text string) string {
	rest, ok := strings.CutPrefix(request, "qXfer:"+object+":read:"+annex+":")
	if !ok {
		return ""
	}
	var offset, length int
	if _, err := fmt.Sscanf(rest, "%x,%x", &offset, &length); err != nil || offset > len(text) {
		return "E01"
	}
	if offset+length < len(text) {
		return "m" + text[offset:offset+length]
	}
	return "l" + text[offset:]
}

// describe writes target.xml from words as "r0", "xpsr@25" for a number and
// "control/8" for bits; "r0..r12" is a row. A word with a dot begins a feature.
func describe(words string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><target><architecture>arm</architecture>`)
	open := false
	for w := range strings.FieldsSeq(words) {
		if strings.HasPrefix(w, "org.") || strings.HasPrefix(w, "net.") {
			if open {
				b.WriteString("</feature>")
			}
			open = true
			fmt.Fprintf(&b, `<feature name="%s">`, w)
			continue
		}
		name, number, numbered := strings.Cut(w, "@")
		name, bits, ok := strings.Cut(name, "/")
		if !ok {
			bits = "32"
		}
		for _, n := range row(name) {
			fmt.Fprintf(&b, `<reg name="%s" bitsize="%s"`, n, bits)
			if numbered {
				fmt.Fprintf(&b, ` regnum="%s"`, number)
			}
			b.WriteString("/>")
			numbered = false
		}
	}
	if open {
		b.WriteString("</feature>")
	}
	b.WriteString("</target>")
	return b.String()
}

// row expands "r0..r12".
func row(name string) []string {
	first, last, ok := strings.Cut(name, "..")
	if !ok {
		return []string{name}
	}
	letter := strings.TrimRight(first, "0123456789")
	from, _ := strconv.Atoi(first[len(letter):])
	to, _ := strconv.Atoi(last[len(letter):])
	var list []string
	for i := from; i <= to; i++ {
		list = append(list, letter+strconv.Itoa(i))
	}
	return list
}
