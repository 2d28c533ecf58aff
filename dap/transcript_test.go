package dap

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/dap/dapclient"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata/transcripts")

// TestTranscripts replays the sessions in testdata/transcripts. A line that
// starts with "-> " is a request: command and arguments. What the server
// sends follows, in the order received: responses and events, their bodies
// with each element of a list on a line of its own. Lines that start with "#"
// and empty lines are for the reader. $FIRMWARE stands for testdata/firmware.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "transcripts", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			want := string(must(os.ReadFile(file))(t))
			got := replay(t, want)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("transcript differs (-want +got); run with -update if it is right now:\n%s", diff)
			}
		})
	}
}

// replay sends the requests of a transcript and returns the transcript with
// what the server answers now.
func replay(t *testing.T, script string) string {
	c, done := dapclient.Start(func(rw io.ReadWriter) error { return Serve(t.Context(), rw, Options{}) })
	defer c.Close()
	var out strings.Builder
	shown := 0
	for line := range strings.Lines(script) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "#") || line == "" {
			fmt.Fprintln(&out, line)
		}
		if !strings.HasPrefix(line, "-> ") {
			continue
		}
		fmt.Fprintln(&out, line)
		sync := sendAndWait(t, c, line)
		all := c.Received()
		for _, m := range all[shown:] {
			if m.RequestSeq != sync {
				renderMessage(t, &out, m)
			}
		}
		shown = len(all)
	}
	if err := <-done; err != nil {
		t.Errorf("session ended: %v", err)
	}
	return strings.ReplaceAll(out.String(), fixture(t), "$FIRMWARE")
}

// sendAndWait sends the request of a line and waits for everything that
// follows from it: requests are run one after another, so that is what comes
// before the answer to one more request, whose sequence number it returns.
func sendAndWait(t *testing.T, c *dapclient.Client, line string) (sync int) {
	t.Helper()
	command, args, _ := strings.Cut(strings.TrimPrefix(line, "-> "), " ")
	var arguments any
	if args != "" {
		arguments = json.RawMessage(strings.ReplaceAll(args, "$FIRMWARE", fixture(t)))
	}
	seq := must(c.Send(command, arguments))(t)
	err := c.Expect(seq, nil)
	if _, refused := errors.AsType[*dapclient.Error](err); err != nil && !refused {
		t.Fatalf("%s: %v", line, err)
	}
	if command == "disconnect" {
		return -1
	}
	sync = must(c.Send("threads", nil))(t)
	_ = c.Expect(sync, nil)
	return sync
}

func renderMessage(t *testing.T, b *strings.Builder, m dapclient.Message) {
	switch {
	case m.Type == "event":
		fmt.Fprintf(b, "<- event %s\n", m.Event)
	case m.Success:
		fmt.Fprintf(b, "<- %s\n", m.Command)
	default:
		fmt.Fprintf(b, "<- %s failed: %s\n", m.Command, m.Message)
		return
	}
	if len(m.Body) == 0 {
		return
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(m.Body, &body); err != nil {
		t.Fatal(err)
	}
	for _, key := range slices.Sorted(maps.Keys(body)) {
		renderField(b, key, body[key])
	}
}

func renderField(b *strings.Builder, key string, raw json.RawMessage) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		fmt.Fprintf(b, "   %s: %s\n", key, unescape(raw))
		return
	}
	fmt.Fprintf(b, "   %s:\n", key)
	for _, e := range list {
		fmt.Fprintf(b, "     %s\n", unescape(e))
	}
}

// unescape makes the characters readable that encoding/json escapes for HTML.
func unescape(raw json.RawMessage) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(raw))
}
