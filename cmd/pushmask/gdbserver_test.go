package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"net"
	"strings"
	"testing"

	"pushmask/core/gdbremote/rsp"
)

// monitorOf sends a monitor command and returns what it prints.
func monitorOf(t *testing.T, conn net.Conn, r *bufio.Reader, command string) string {
	t.Helper()
	if _, err := conn.Write(rsp.Append([]byte{rsp.Ack}, []byte("qRcmd,"+hex.EncodeToString([]byte(command))))); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for {
		f, err := rsp.Read(r)
		if err != nil {
			t.Fatal(err)
		}
		payload := string(f.Payload)
		switch {
		case f.Kind != rsp.PacketStart:
		case payload == "OK":
			return said.String()
		case !strings.HasPrefix(payload, "O"):
			t.Fatalf("monitor %s: %q", command, payload)
		default:
			text, err := hex.DecodeString(payload[1:])
			if err != nil {
				t.Fatal(err)
			}
			said.Write(text)
		}
	}
}

// TestGDBServer serves a crash, asks it with monitor, and ends with its client:
// the stacks are those that bt prints.
func TestGDBServer(t *testing.T) {
	t.Parallel()
	image, dump := kernelDump(t)
	said, stdout := io.Pipe()
	var stderr bytes.Buffer
	status := make(chan int, 1)
	go func() {
		args := []string{"gdbserver", "--once", "--listen", "127.0.0.1:0", image, dump}
		status <- run(context.Background(), args, &env{stdout: stdout, stderr: &stderr})
	}()
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	addr, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if !ok {
		t.Fatalf("ready line %q", line)
	}
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(conn)

	output := func(args ...string) string {
		var b bytes.Buffer
		run(context.Background(), args, &env{stdout: &b, stderr: &stderr})
		return b.String()
	}
	for command, want := range map[string]string{
		"bt":     output("bt", image, dump),
		"bt all": output("bt", "--all-threads", image, dump),
	} {
		if got := monitorOf(t, conn, r, command); !strings.HasPrefix(got, want) {
			t.Errorf("monitor %s:\n%s\nwant\n%s", command, got, want)
		}
	}
	for command, want := range map[string]string{
		"bt 3":    `thread 3 "rx"`,
		"bt 99":   "no such thread",
		"threads": "nap  pc 0x",
		"fault":   "Halted: ",
		"help":    "monitor fault",
		"info":    "kernel   FreeRTOS",
	} {
		if got := monitorOf(t, conn, r, command); !strings.Contains(got, want) {
			t.Errorf("monitor %s: no %q in\n%s", command, want, got)
		}
	}
	conn.Close()
	if got := <-status; got != exitOK || stderr.Len() > 0 {
		t.Errorf("status %d, stderr %q", got, stderr.String())
	}
}
