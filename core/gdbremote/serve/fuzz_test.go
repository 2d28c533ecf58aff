package serve

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"pushmask/core/gdbremote/rsp"
)

// FuzzRequest sends arbitrary requests to the dispatcher, as gdb and as lldb:
// each has an answer that fits a packet, or none by design.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		"?", "g", "pf", "p0;thread:0001;", "m20000000,10", "x0,0", "x20000000,4000", "Hg-1", "T2", "vCont;s:1;c", "vCont;C0b:-1",
		"qXfer:features:read:target.xml:0,1000", "qXfer:memory-map:read::fffffff0,ffffffff", "qThreadExtraInfo,1", "qRcmd,68656c70",
		"qMemoryRegionInfo:ffffffff", "qThreadStopInfo1", "vFile:open:00,0,0", "vFile:pread:3,ffffffff,0", "vFile:close:", "vFile:fstat",
		"qSupported:x", "QThreadSuffixSupported", "D;1", "k", "mffffffff,ffffffff", "", "v", "q", "H", "vFile", "Z0,0,0",
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	stub := openStub(f, "demo", "crash.core", Options{})
	f.Fuzz(func(t *testing.T, request string, lldb bool) {
		near, far := net.Pipe()
		defer near.Close()
		go io.Copy(io.Discard, near)
		c := stub.newClient(context.Background(), far)
		c.lldb, c.opened = lldb, 1
		reply, _ := c.dispatch(request)
		if framed := rsp.Append(nil, []byte(reply)); len(framed) > packetSize+4 {
			t.Fatalf("%q: an answer of %d bytes", request, len(framed))
		}
	})
}

// FuzzStream sends arbitrary bytes to a session: it ends without an error that
// is not about the stream, and in time.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"+$qSupported#37", "$g#67$#00", "----", "$QStartNoAckMode#b0$g#67-", "$m20000000,4#8c", "$* #4a", "\x03\x03$vCont;c#a8", "$k#6b",
	} {
		f.Add([]byte(seed))
	}
	stub := openStub(f, "demo", "crash.core", Options{})
	f.Fuzz(func(t *testing.T, data []byte) {
		near, far := net.Pipe()
		done := make(chan error, 1)
		go func() { done <- stub.Serve(context.Background(), far) }()
		go io.Copy(io.Discard, near)
		near.Write(data)
		near.Close()
		select {
		case err := <-done:
			if err != nil && !errors.Is(err, rsp.ErrTooLong) && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatal(err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("the session does not end")
		}
	})
}

// TestHugePacket: a client that sends a packet without an end is cut off.
func TestHugePacket(t *testing.T) {
	t.Parallel()
	near, far := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- openStub(t, "demo", "crash.core", Options{}).Serve(context.Background(), far)
	}()
	go io.Copy(io.Discard, near)
	chunk := make([]byte, 1<<16)
	near.Write([]byte("$"))
	for range 2 * rsp.MaxPacket / len(chunk) {
		if _, err := near.Write(chunk); err != nil {
			break
		}
	}
	if err := <-done; !errors.Is(err, rsp.ErrTooLong) {
		t.Errorf("Serve: %v", err)
	}
}

// TestStall: half a packet and then silence ends the session.
func TestStall(t *testing.T) {
	t.Parallel()
	conn := &stalled{}
	c := openStub(t, "demo", "crash.core", Options{}).newClient(context.Background(), conn)
	if err := c.serve(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("serve: %v", err)
	}
	if conn.until.IsZero() || time.Until(conn.until) > restPacket {
		t.Errorf("the deadline of the rest of a packet is %v", conn.until)
	}
}

// stalled is a connection that has half a packet and no more.
type stalled struct {
	net.Conn
	sent  bool
	until time.Time
}

func (s *stalled) RemoteAddr() net.Addr { return &net.TCPAddr{} }

func (s *stalled) SetReadDeadline(t time.Time) error {
	s.until = t
	return nil
}

func (s *stalled) Read(p []byte) (int, error) {
	if s.sent {
		return 0, os.ErrDeadlineExceeded
	}
	s.sent = true
	return copy(p, "$m2000"), nil
}
