package serve

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pushmask/core"
	"pushmask/core/gdbremote/rsp"
	"pushmask/core/session"
)

// fixtures is the folder of our own firmware.
const fixtures = "../../../testdata/firmware"

// openSession opens a dump of a firmware. An address behind the name says that
// it is raw memory.
func openSession(t testing.TB, image, dump string, set core.Regs) *session.Session {
	t.Helper()
	p, err := session.OpenProgram(context.Background(), session.Config{Image: image})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	src := session.ParseSource(dump)
	s, err := p.OpenDump(context.Background(), src.Path, session.DumpOptions{Base: src.Base, HasBase: src.HasBase, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// openStub opens a crash of a fixture.
func openStub(t testing.TB, fixture, dump string, opt Options) *Stub {
	t.Helper()
	dir := filepath.Join(fixtures, fixture)
	return newStub(t, openSession(t, filepath.Join(dir, "fw.elf"), filepath.Join(dir, dump), core.Regs{}), opt)
}

func newStub(t testing.TB, s *session.Session, opt Options) *Stub {
	t.Helper()
	stub, err := New(context.Background(), s, opt)
	if err != nil {
		t.Fatal(err)
	}
	return stub
}

// peer is the client's end of a session.
type peer struct {
	t    testing.TB
	conn net.Conn
	r    *bufio.Reader
	done chan error // what Serve returned
}

// connect starts to serve a client, without acknowledgements.
func connect(t testing.TB, stub *Stub) *peer {
	t.Helper()
	near, far := net.Pipe()
	p := &peer{t: t, conn: near, r: bufio.NewReader(near), done: make(chan error, 1)}
	go func() { p.done <- stub.Serve(context.Background(), far) }()
	t.Cleanup(func() {
		near.Close()
		if err := <-p.done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	if err := near.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	go p.write(string(rsp.Append(nil, []byte("QStartNoAckMode"))))
	if f := p.read(); f.Kind != rsp.Ack {
		t.Fatalf("acknowledgement %q", f.Kind)
	}
	if f := p.read(); string(f.Payload) != "OK" {
		t.Fatalf("QStartNoAckMode: %q", f.Payload)
	}
	return p
}

func (p *peer) write(raw string) { _, _ = io.WriteString(p.conn, raw) } // a failure shows in what is read

func (p *peer) read() rsp.Frame {
	p.t.Helper()
	f, err := rsp.Read(p.r)
	if err != nil {
		p.t.Fatalf("read: %v", err)
	}
	return f
}

// ask sends a packet and returns its answer, and what was printed before.
func (p *peer) ask(request string) (reply, printed string) {
	p.t.Helper()
	go p.write(string(rsp.Append(nil, []byte(request))))
	for {
		f := p.read()
		if f.Kind == rsp.Ack {
			continue
		}
		if f.Kind != rsp.PacketStart || !f.Sound {
			p.t.Fatalf("%s: frame %+v", request, f)
		}
		text := string(f.Payload)
		if len(text) < 2 || text[0] != 'O' || text == "OK" {
			return text, printed
		}
		printed += unhex(p.t, text[1:])
	}
}

func (p *peer) reply(request string) string {
	p.t.Helper()
	reply, _ := p.ask(request)
	return reply
}

func unhex(t testing.TB, digits string) string {
	t.Helper()
	var b []byte
	for len(digits) > 1 {
		var c byte
		if _, err := fmt.Sscanf(digits[:2], "%02x", &c); err != nil {
			t.Fatalf("%q: %v", digits, err)
		}
		b, digits = append(b, c), digits[2:]
	}
	return string(b)
}

// document reads an object of qXfer in small pieces.
func (p *peer) document(object string) string {
	p.t.Helper()
	var doc strings.Builder
	for {
		reply := p.reply(fmt.Sprintf("qXfer:%s:%x,%x", object, doc.Len(), 100))
		if reply == "" || reply[0] != 'm' && reply[0] != 'l' {
			p.t.Fatalf("%s: %q", object, reply)
		}
		doc.WriteString(reply[1:])
		if reply[0] == 'l' {
			return doc.String()
		}
	}
}
