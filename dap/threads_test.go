package dap

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core/coretest"
	"pushmask/dap/dapclient"
)

// openThreads opens a core of the demo's image with three threads, which
// stand at the start of the functions given and return nowhere, and memory
// with a hole: 16 bytes at 0x20000000, 16 bytes at 0x20000020.
func openThreads(t *testing.T, functions ...string) *dapclient.Client {
	t.Helper()
	helper := openDemo(t)
	var notes [][]byte
	for i, name := range functions {
		v := must(helper.Evaluate(name, 0, "watch"))(t)
		pc := must(strconv.ParseUint(v.MemoryReference, 0, 32))(t)
		regs := [17]uint32{13: 0x20000030, 15: uint32(pc), 16: 1 << 24}
		notes = append(notes, coretest.PRStatus{PID: int32(100 + i), Signal: 11 * (1 - min(i, 1)), Regs: regs}.Note())
	}
	core := coretest.ELFCore{Segments: []coretest.ELFSegment{
		coretest.NoteSegment(notes...),
		{Addr: 0x20000000, Data: []byte("sixteen bytes..!")},
		{Addr: 0x20000020, Data: []byte("more of the same")},
	}}
	path := filepath.Join(t.TempDir(), "threads.core")
	if err := os.WriteFile(path, core.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	c := startAdapter(t, nil)
	must(c.Open(demoImage(t), path))(t)
	return c
}

// TestThreads lists threads and the stack of each.
func TestThreads(t *testing.T) {
	t.Parallel()
	functions := []string{"main", "dispatch", "filter_mean"}
	c := openThreads(t, functions...)
	threads := must(c.Threads())(t)
	if len(threads) != len(functions) {
		t.Fatalf("%d threads, want %d", len(threads), len(functions))
	}
	crashed := 0
	frames := map[int]bool{}
	for i, thread := range threads {
		if strings.HasSuffix(thread.Name, " (crashed)") {
			crashed++
		}
		stack := must(c.StackTrace(thread.Id, 0, 0))(t).StackFrames
		if len(stack) == 0 || !strings.HasPrefix(stack[0].Name, functions[i]) {
			t.Errorf("thread %d: %+v, want %s", thread.Id, stack, functions[i])
		}
		for _, f := range stack {
			if frames[f.Id] {
				t.Errorf("thread %d: frame id %d is that of another", thread.Id, f.Id)
			}
			frames[f.Id] = true
		}
	}
	if crashed != 1 {
		t.Errorf("%d threads are marked as crashed", crashed)
	}
}

// TestStepOtherThread steps a thread that did not crash: the client's view
// must come back to that one.
func TestStepOtherThread(t *testing.T) {
	t.Parallel()
	c := openThreads(t, "main", "dispatch")
	other := must(c.Threads())(t)[1].Id
	if err := c.Next(other); err != nil {
		t.Fatal(err)
	}
	var stopped struct {
		Reason   string
		ThreadID int
	}
	if err := c.Event("stopped", &stopped); err != nil || stopped.ThreadID != other || stopped.Reason != "pause" {
		t.Errorf("stopped: %+v, %v; want thread %d, pause", stopped, err, other)
	}
}

// TestReadMemoryHole reads ranges around a hole.
func TestReadMemoryHole(t *testing.T) {
	t.Parallel()
	c := openThreads(t, "main")
	for _, test := range []struct {
		offset, count int
		data          string
		unreadable    int
	}{
		{0, 16, "sixteen bytes..!", 0},
		{8, 4, "byte", 0},
		{8, 16, "bytes..!", 8},
		{8, 40, "bytes..!", 32}, // what lies behind the hole does not count
		{16, 8, "", 8},
		{32, 16, "more of the same", 0},
		{0, 0, "", 0},
	} {
		m := must(c.ReadMemory("0x20000000", test.offset, test.count))(t)
		data := string(must(base64.StdEncoding.DecodeString(m.Data))(t))
		if diff := cmp.Diff(test.data, data); diff != "" || m.UnreadableBytes != test.unreadable {
			t.Errorf("offset %d, count %d: %q and %d unreadable bytes, want %q and %d",
				test.offset, test.count, data, m.UnreadableBytes, test.data, test.unreadable)
		}
	}
}
