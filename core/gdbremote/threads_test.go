package gdbremote

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestThreads(t *testing.T) {
	t.Parallel()
	info := func(s string) string { return hex.EncodeToString([]byte(s)) }
	tests := []struct {
		name    string
		replies map[string]string
		xml     string
		want    []ThreadInfo
		err     error
		packets int
	}{
		{
			name: "document, as OpenOCD",
			xml:  `<?xml version="1.0"?><threads><thread id="20001234" name="idle">Name: idle, State: Ready</thread><thread id="20001298" core="0" name="main"/></threads>`,
			want: []ThreadInfo{{ID: "20001234", Name: "idle", Info: "Name: idle, State: Ready"}, {ID: "20001298", Name: "main", Core: "0"}}, packets: 1,
		},
		{
			name: "document with processes and a thread twice", xml: "<threads><thread id='p01.01'>\n a\tb\n</thread><thread id='p1.1'>again</thread><thread id='p2.2'/></threads>",
			want: []ThreadInfo{{ID: "p1.1", Info: "a b"}, {ID: "p2.2"}}, packets: 1,
		},
		{name: "document without threads", xml: "<threads/>", packets: 1},
		{name: "document that is none", xml: "<threads><", err: ErrMalformed, packets: 1},
		{name: "document with a thread that is none", xml: "<threads><thread id='zz'/></threads>", err: ErrMalformed, packets: 1},
		{name: "document with too many", xml: "<threads>" + manyThreads(maxThreads+1) + "</threads>", err: ErrTooLong, packets: -1},
		{
			name: "pages, as QEMU",
			replies: map[string]string{
				"qfThreadInfo": "mp01.01,p01.02", "qThreadExtraInfo,p1.1": info("CPU#0 [running]"),
			},
			want: []ThreadInfo{{ID: "p1.1", Info: "CPU#0 [running]"}, {ID: "p1.2"}}, packets: 4,
		},
		{
			name:    "one thread, which needs no description",
			replies: map[string]string{"qfThreadInfo": "mp01.01"},
			want:    []ThreadInfo{{ID: "p1.1"}}, packets: 2,
		},
		{
			name:    "page without extra information",
			replies: map[string]string{"qfThreadInfo": "m1,2,3", "qsThreadInfo": "l"},
			want:    []ThreadInfo{{ID: "1"}, {ID: "2"}, {ID: "3"}}, packets: 3,
		},
		{
			name:    "the same page for ever",
			replies: map[string]string{"qfThreadInfo": "m1,2", "qsThreadInfo": "m2,1", "qThreadExtraInfo,1": "E01", "qThreadExtraInfo,2": info("b")},
			want:    []ThreadInfo{{ID: "1"}, {ID: "2", Info: "b"}}, packets: 4,
		},
		{name: "no list, as Black Magic Probe", packets: 1},
		{name: "refused", replies: map[string]string{"qfThreadInfo": "E01"}, packets: 1},
		{name: "empty", replies: map[string]string{"qfThreadInfo": "l"}, packets: 1},
		{name: "an empty page", replies: map[string]string{"qfThreadInfo": "m"}, err: ErrMalformed, packets: 1},
		{name: "garbage", replies: map[string]string{"qfThreadInfo": "x"}, err: ErrMalformed, packets: 1},
		{name: "garbage in a page", replies: map[string]string{"qfThreadInfo": "m1,?"}, err: ErrMalformed, packets: 1},
		{name: "garbage for information", replies: map[string]string{"qfThreadInfo": "m1,2", "qsThreadInfo": "l", "qThreadExtraInfo,1": "zz"}, err: ErrMalformed, packets: 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, seen := answering(t, quick, func(request string) string {
				switch {
				case strings.HasPrefix(request, "qSupported") && tt.xml != "":
					return "PacketSize=3fff;qXfer:threads:read+"
				case request == "qsThreadInfo" && tt.replies[request] == "":
					return "l"
				case strings.HasPrefix(request, "qXfer"):
					return document(request, "threads", "", tt.xml)
				}
				return tt.replies[request]
			})
			got, err := c.Threads(t.Context())
			if !errors.Is(err, tt.err) {
				t.Fatalf("got %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n := len(seen.take()); n != tt.packets && tt.packets >= 0 {
				t.Errorf("%d packets, want %d", n, tt.packets)
			}
		})
	}
}

func manyThreads(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<thread id='%x'/>", i+1)
	}
	return b.String()
}

// TestThreadsWithoutDocument has a stub that announces the document and does
// not have it, as OpenOCD does while its RTOS support knows nothing yet.
func TestThreadsWithoutDocument(t *testing.T) {
	t.Parallel()
	c, _ := answering(t, quick, table(map[string]string{"qSupported": "qXfer:threads:read+", "qfThreadInfo": "m1", "qsThreadInfo": "l"}))
	got, err := c.Threads(t.Context())
	if diff := cmp.Diff([]ThreadInfo{{ID: "1"}}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func FuzzThreads(f *testing.F) {
	f.Add("<threads><thread id='p1.2' core='0' name='main'>state</thread></threads>")
	f.Add("<threads><thread id='1'><thread id='1'>x</thread></thread></threads>")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseThreads(text)
		if err == nil && len(list) > maxThreads {
			t.Errorf("%d threads", len(list))
		}
		for _, th := range list {
			if id, ok := threadID(th.ID); !ok || id != th.ID || strings.ContainsAny(th.Info, "\n\r\t") {
				t.Errorf("%+v", th)
			}
		}
	})
}
