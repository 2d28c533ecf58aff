package dap

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pushmask/core/gdbremote"
	"pushmask/dap/dapclient"
)

// fakeStub is a GDB stub that does what QEMU does not: it is slow, silent, or
// gone. Its target has a Cortex-M's registers, and memory that is all zeros.
type fakeStub struct {
	mu    sync.Mutex
	delay time.Duration // before each answer to a read of memory
	deaf  bool          // does not answer an interrupt
	mute  bool          // does not answer commands of "monitor"
	conn  net.Conn      // the stub's end
	asked []string      // packets that it was sent
	low   string        // r0 to r12 in the order of bytes, "" for zeros
}

// change sets what the stub does from now on.
func (f *fakeStub) change(set func(*fakeStub)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	set(f)
}

// await waits for a packet that begins with a prefix, from the last call on.
func (f *fakeStub) await(t *testing.T, prefix string) {
	t.Helper()
	for deadline := time.Now().Add(dapclient.DefaultTimeout); ; time.Sleep(time.Millisecond) {
		came := false
		f.change(func(f *fakeStub) {
			i := slices.IndexFunc(f.asked, func(packet string) bool { return strings.HasPrefix(packet, prefix) })
			came, f.asked = i >= 0, f.asked[i+1:]
		})
		if came {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the stub was not sent %q", prefix)
		}
	}
}

// hangUp closes the connection.
func (f *fakeStub) hangUp() { f.change(func(f *fakeStub) { f.conn.Close() }) }

// connect is a connector.
func (f *fakeStub) connect(ctx context.Context, _ string, opt gdbremote.Options) (*gdbremote.Client, error) {
	ours, theirs := net.Pipe()
	f.change(func(f *fakeStub) { f.conn = theirs })
	go f.serve(theirs)
	opt.Timeout = 2 * time.Second
	return gdbremote.New(ctx, ours, opt)
}

// serve answers packets until the connection ends.
func (f *fakeStub) serve(conn net.Conn) {
	r := bufio.NewReader(conn)
	running := false
	for {
		b, err := r.ReadByte()
		if err != nil {
			return
		}
		f.mu.Lock()
		delay, deaf, mute, low := f.delay, f.deaf, f.mute, f.low
		f.mu.Unlock()
		reply := ""
		switch {
		case b == 3 && running && !deaf:
			reply, running = "T02thread:1;", false
		case b != '$':
			continue
		default:
			packet, err := r.ReadString('#')
			if err == nil {
				_, err = r.Discard(2)
			}
			if err != nil {
				return
			}
			packet = strings.TrimSuffix(packet, "#")
			f.change(func(f *fakeStub) { f.asked = append(f.asked, packet) })
			if running = packet == "c"; running {
				fmt.Fprint(conn, "+")
				continue
			}
			fmt.Fprint(conn, "+")
			if packet[0] == 'm' {
				time.Sleep(delay)
			}
			if mute && strings.HasPrefix(packet, "qRcmd") {
				continue
			}
			if reply = answer(packet); packet == "g" && low != "" {
				reply = low + reply[len(low):]
			}
		}
		sum := byte(0)
		for i := range len(reply) {
			sum += reply[i]
		}
		if _, err := fmt.Fprintf(conn, "$%s#%02x", reply, sum); err != nil {
			return
		}
	}
}

// answer is the reply to a packet; "" is that to packets that the stub does not
// know.
func answer(packet string) string {
	var addr, size uint32
	switch {
	case strings.HasPrefix(packet, "qSupported"):
		return "PacketSize=400"
	case packet == "?":
		return "S05"
	case packet == "g": // r0 to r12, sp, lr, pc, xPSR, in the order of bytes
		return strings.Repeat("00000000", 13) + "00010020" + "00000000" + "00020000" + "00000001"
	case packet == "D", packet[0] == 'H', packet[0] == 'M', packet[0] == 'Z', packet[0] == 'z':
		return "OK"
	}
	if n, _ := fmt.Sscanf(packet, "m%x,%x", &addr, &size); n == 2 && size <= 512 {
		return strings.Repeat("00", int(size))
	}
	return ""
}

// startFake attaches to a fake stub, with further attributes.
func startFake(t *testing.T, more ...map[string]any) (*liveSession, *fakeStub) {
	t.Helper()
	return startStub(t, &fakeStub{}, more...)
}

// startStub attaches to a fake stub that the test has made.
func startStub(t *testing.T, stub *fakeStub, more ...map[string]any) (*liveSession, *fakeStub) {
	t.Helper()
	s := &liveSession{t: t, Client: startAdapter(t, func(a *adapter) { a.connect = stub.connect }), config: map[string]any{
		"executable": liveFile(t, "m3-O0", "fw.elf"), "gdbTarget": "fake", "overrideAttachCommands": []string{},
	}}
	for _, m := range more {
		maps.Copy(s.config, m)
	}
	must(s.Initialize())(t)
	s.attach(nil)
	return s, stub
}

// ended waits for the end of the session and checks that the user is told why.
func (s *liveSession) ended(want string) {
	s.t.Helper()
	s.ok(s.Event("terminated", nil))
	if printed := s.printed(); !strings.Contains(printed, want) {
		s.t.Errorf("nothing says %q in %s", want, printed)
	}
}

const checkServer = "check that the GDB server still runs"

// TestLostConnection ends sessions whose server is gone with a sentence that says
// what to check.
func TestLostConnection(t *testing.T) {
	t.Parallel()
	t.Run("running", func(t *testing.T) {
		t.Parallel()
		s, stub := startFake(t)
		s.ok(s.Continue(s.thread()))
		stub.hangUp()
		s.ended(checkServer)
		wantError(t, s.Continue(1), errOutOfOrder)
	})
	t.Run("halted", func(t *testing.T) {
		t.Parallel()
		s, stub := startFake(t)
		stub.hangUp()
		_, _ = s.ReadMemory("0x20003000", 0, 16) // shows what the stub does not tell
		s.ended(checkServer)
	})
	t.Run("not interrupted", func(t *testing.T) {
		t.Parallel()
		s, stub := startFake(t)
		stub.change(func(f *fakeStub) { f.deaf = true })
		s.ok(s.Continue(s.thread()))
		stub.await(t, "c") // a pause that comes first needs no interrupt
		s.ok(s.Pause(s.thread()))
		s.ended(checkServer)
	})
	t.Run("disconnect", func(t *testing.T) {
		t.Parallel()
		s, stub := startFake(t)
		stub.change(func(f *fakeStub) { f.deaf = true })
		s.ok(s.Continue(s.thread()))
		stub.await(t, "c")
		s.ok(s.Disconnect())
	})
	t.Run("client", func(t *testing.T) {
		t.Parallel()
		s, _ := startFake(t)
		s.ok(s.Continue(s.thread()))
		s.Close() // the session must end, which startAdapter checks
	})
}

// TestLiveWatch reads memory of a running target over a second connection, and
// shows the packets of the first.
func TestLiveWatch(t *testing.T) {
	t.Parallel()
	s, _ := startFake(t, map[string]any{"liveWatch": map[string]any{"enabled": true}, "showDevDebugOutput": "raw"})
	s.ok(s.Continue(s.thread()))
	if body := must(s.ReadMemory("0x20003000", 0, 16))(t); body.UnreadableBytes != 0 {
		t.Errorf("%d bytes cannot be read", body.UnreadableBytes)
	}
	s.ok(s.Pause(s.thread()))
	s.stop("pause")
	if printed := s.printed(); !strings.Contains(printed, "qSupported") {
		t.Errorf("no packets in %s", printed)
	}
}

// TestMuteStub ends a session whose server does not come back from a command.
func TestMuteStub(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"cancel", "disconnect"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			s, stub := startFake(t)
			stub.change(func(f *fakeStub) { f.mute, f.asked = true, nil })
			seq := must(s.Send("evaluate", map[string]any{"expression": "monitor reset halt", "context": "repl"}))(t)
			stub.await(t, "qRcmd")
			if end == "cancel" {
				s.ok(s.Cancel(seq))
				s.ended(checkServer)
			} else {
				s.ok(s.Disconnect())
			}
		})
	}
}

// TestSlowStub cancels a request, and a session, that would take minutes because
// the stub does.
func TestSlowStub(t *testing.T) {
	t.Parallel()
	s, stub := startFake(t)
	const addr, delay = "0x20003000", 500 * time.Millisecond
	stub.change(func(f *fakeStub) { f.delay = delay })
	seq := must(s.Send("readMemory", map[string]any{"memoryReference": addr, "count": 64 << 10}))(t)
	stub.await(t, "m20003000")
	s.ok(s.Cancel(seq))
	wantError(t, s.Expect(seq, nil), errCancelled)
	stub.change(func(f *fakeStub) { f.delay = 0 })
	if body := must(s.ReadMemory(addr, 0, 1024))(t); body.UnreadableBytes != 0 {
		t.Errorf("%d bytes cannot be read after the cancel", body.UnreadableBytes)
	}
	stub.change(func(f *fakeStub) { f.delay = delay })
	must(s.Send("readMemory", map[string]any{"memoryReference": addr, "offset": 8192, "count": 64 << 10}))(t)
	stub.await(t, "m20005000")
	s.ok(s.Disconnect())
}
