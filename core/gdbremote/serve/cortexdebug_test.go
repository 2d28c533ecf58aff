package serve

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pushmask/core/gdbremote/rsp"
)

var update = flag.Bool("update", false, "record testdata/cortex-debug.txt again, with gdb-multiarch")

// transcriptFile is what gdb and the stub said to each other in TestCortexDebug.
var transcriptFile = filepath.Join("testdata", "cortex-debug.txt")

// step is a command of Cortex-Debug to gdb and what it must get.
type step struct {
	command string // MI, without the dash
	want    string // part of the answer or, where stops, of the stop behind it
	stops   bool
}

// cortexDebugSession is an "external" attach of Cortex-Debug 1.12, then what its
// views ask at a stop, and what a user tries who does not know that it is a
// crash (src/gdb.ts: startComplete, finishStartup, threadsRequest; src/external.ts;
// src/backend/mi2/mi2.ts).
func cortexDebugSession(image, addr string) []step {
	return []step{
		{"gdb-set target-async on", "^done", false},
		{"gdb-version", "^done", false},
		{`interpreter-exec console "set print demangle on"`, "^done", false},
		{"enable-pretty-printing", "^done", false},
		{`interpreter-exec console "set output-radix 0xa"`, "^done", false},
		{`file-exec-and-symbols "` + image + `"`, "^done", false},
		{`interpreter-exec console "set stack-cache off"`, "^done", false},
		{`interpreter-exec console "set remote interrupt-on-connect off"`, "^done", false},
		{"target-select extended-remote " + addr, "HardFault_Handler", true},
		{`interpreter-exec console "monitor halt"`, "^done", false},
		{`break-insert "main.c:10"`, `^done,bkpt={number="1"`, false},
		{"thread-list-ids", `number-of-threads="2"`, false},
		{"thread-info 1", `func="HardFault_Handler"`, false},
		{"thread-info 2", "interrupted by HardFault", false},
		{"stack-list-frames --thread 1 0 20", `func="packet_receive"`, false},
		{"stack-list-frames --thread 2 0 20", `func="packet_receive"`, false},
		{"stack-list-variables --thread 2 --frame 2 --simple-values", `name="samples"`, false},
		{"data-list-register-names", `"msp","psp"`, false},
		{"stack-select-frame --thread 2 0", "^done", false},
		{"data-list-register-values x", `{number="15",value="0xd2"}`, false},
		{"data-read-memory-bytes 0x20000000 16", `contents="ac04000040000020`, false},
		{"data-read-memory-bytes 0x30000000 16", "^error", false},
		{`data-disassemble -s 0xd0 -e 0xe0 -- 2`, "^done", false},
		{"data-evaluate-expression --thread 2 --frame 0 sensors[0].raw", "^done", false},
		// The breakpoint is refused when the machine is to run.
		{"exec-continue --thread 1", "Cannot insert hardware breakpoint 1", true},
		{"break-delete 1", "^done", false},
		{"exec-continue --thread 1", `reason="signal-received",signal-name="SIGSEGV"`, true},
		{"exec-next --thread 1", `reason="signal-received"`, true},
		{"exec-step-instruction --thread 2", `reason="signal-received"`, true},
		{"exec-finish --thread 2", `reason="signal-received"`, true},
		{"data-write-memory-bytes 0x20000000 00", "^error", false},
		{`interpreter-exec console "set var sensors[0].offset = 1"`, "^error", false},
		{`interpreter-exec console "monitor reset halt"`, "^done", false},
		{`interpreter-exec console "load"`, "^error", false},
		{"thread-list-ids", `number-of-threads="2"`, false},
		{"target-detach", "^done", false},
		{"gdb-exit", "^exit", false},
	}
}

// TestCortexDebug runs the session with the real gdb.
func TestCortexDebug(t *testing.T) {
	t.Parallel()
	const gdb = "gdb-multiarch"
	if _, err := exec.LookPath(gdb); err != nil {
		t.Skipf("%s is not installed", gdb)
	}
	stub := openStub(t, "demo", "crash.core", Options{})
	addr, rec := recordClient(t, stub)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, gdb, "-nx", "-q", "--interpreter=mi2")
	cmd.Env = append(os.Environ(), "DEBUGINFOD_URLS=", "HOME="+t.TempDir())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for i, s := range cortexDebugSession(stub.path, addr) {
		fmt.Fprintf(in, "%d-%s\n", i+1, s.command)
		if got := await(lines, i+1, s.stops); !strings.Contains(got, s.want) {
			t.Errorf("%s: no %q in\n%s", s.command, s.want, got)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("gdb: %v", err)
	}
	if *update {
		write(t, transcriptFile, []byte(rec.text(stub.path)))
	}
}

// await reads what gdb says until it has answered, and stopped if it is to.
func await(lines *bufio.Scanner, token int, stops bool) string {
	var said strings.Builder
	answered, stopped := false, !stops
	result := strconv.Itoa(token) + "^"
	for !(answered && stopped) && lines.Scan() {
		line := lines.Text()
		said.WriteString(line + "\n")
		answered = answered || strings.HasPrefix(line, result)
		stopped = stopped || strings.HasPrefix(line, "*stopped") || strings.HasPrefix(line, result+"error")
	}
	return said.String()
}

// recorder notes the packets of a connection.
type recorder struct {
	net.Conn
	mu    sync.Mutex
	lines []string
}

func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	r.note("> ", p[:n])
	return n, err
}

func (r *recorder) Write(p []byte) (int, error) {
	r.note("< ", p)
	return r.Conn.Write(p)
}

// note lists the packets of a piece of the stream: each end sends one at a time.
func (r *recorder) note(mark string, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for in := bufio.NewReader(bytes.NewReader(data)); ; {
		f, err := rsp.Read(in)
		if err != nil {
			return
		}
		if f.Kind == rsp.PacketStart {
			r.lines = append(r.lines, mark+strconv.Quote(string(f.Payload)))
		}
	}
}

// text is the transcript, without what depends on where and when the ELF was
// built: its path, and packets that read it as a file. A request that was made
// before, as gdb makes many without its stack cache, is not repeated.
func (r *recorder) text(path string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	seen := map[string]bool{}
	skip := false
	for _, line := range r.lines {
		if strings.HasPrefix(line, "> ") {
			skip = strings.HasPrefix(line, `> "vFile`) || strings.HasPrefix(line, `> "m`) && seen[line]
			seen[line] = true
		}
		if !skip {
			b.WriteString(strings.ReplaceAll(line, path, "$ELF") + "\n")
		}
	}
	return b.String()
}

// recordClient serves the first client that connects, and notes the packets.
func recordClient(t testing.TB, stub *Stub) (addr string, r *recorder) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r = new(recorder)
	done := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			r.Conn = conn
			err = stub.Serve(context.Background(), r)
		}
		done <- err
	}()
	t.Cleanup(func() {
		l.Close()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return l.Addr().String(), r
}

// TestTranscript answers the packets that gdb sent in TestCortexDebug as it did
// when they were recorded, without gdb.
func TestTranscript(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile(transcriptFile)
	if err != nil {
		t.Fatal(err)
	}
	stub := openStub(t, "demo", "crash.core", Options{})
	near, far := net.Pipe()
	r := &recorder{Conn: far}
	done := make(chan error, 1)
	go func() { done <- stub.Serve(context.Background(), r) }()
	p := &peer{t: t, conn: near, r: bufio.NewReader(near)}
	packets := 0
	for line := range strings.Lines(string(want)) {
		request, ok := strings.CutPrefix(strings.TrimSpace(line), "> ")
		if !ok {
			continue
		}
		payload, err := strconv.Unquote(strings.ReplaceAll(request, "$ELF", stub.path))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		packets++
		p.ask(payload)
	}
	near.Close()
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
	if packets < 50 {
		t.Errorf("%d packets", packets)
	}
	if diff := cmp.Diff(string(want), r.text(stub.path)); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}
