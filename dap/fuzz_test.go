package dap

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core/session"
)

// FuzzStream feeds arbitrary bytes to a session.
func FuzzStream(f *testing.F) {
	f.Add([]byte(framed(`{"seq":1,"type":"request","command":"initialize","arguments":{}}`)))
	f.Add([]byte("Content-Length: 5\r\n\r\n"))
	f.Add([]byte("Content-Length: x\r\n\r\n"))
	f.Add([]byte("\r\n\r\n"))
	f.Fuzz(func(t *testing.T, input []byte) {
		s := &stream{Reader: bytes.NewReader(input)}
		_ = Serve(t.Context(), s, Options{}) // an error is right for most inputs
	})
}

// FuzzMessages feeds lines as the contents of messages to a session that has
// opened the demo's crash. The demo is opened whatever launch names, so that
// no input makes the fuzzer read other files.
func FuzzMessages(f *testing.F) {
	image, core := demoImage(f), demoCore(f)
	opening := `{"seq":1,"type":"request","command":"initialize","arguments":{}}` + "\n" +
		`{"seq":2,"type":"request","command":"launch","arguments":{"executable":` + quoted(image) + `,"coreFile":` + quoted(core) + `}}` + "\n"
	for _, seed := range fuzzSeeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		var input strings.Builder
		for line := range strings.Lines(opening + lines) {
			input.WriteString(framed(strings.TrimSuffix(line, "\n")))
		}
		s := &stream{Reader: strings.NewReader(input.String())}
		a := newAdapter(s, Options{})
		a.open = demoOpener(image, core)
		if err := a.serve(t.Context(), s); err != nil {
			t.Errorf("the session ended: %v", err)
		}
		if strings.Contains(s.String(), "pushmask failed in") {
			t.Errorf("a handler panicked:\n%s", s.String())
		}
	})
}

func demoOpener(image, core string) opener {
	return func(ctx context.Context, _ session.Config, _ string, _ session.DumpOptions) (*session.Program, *session.Session, error) {
		return openCrash(ctx, session.Config{Image: image}, core, session.DumpOptions{})
	}
}

// fuzzSeeds are the requests of each transcript, and requests with arguments
// at the edge.
func fuzzSeeds(f *testing.F) []string {
	seeds := []string{
		`{"seq":3,"type":"request","command":"stackTrace","arguments":{"threadId":-1,"startFrame":-5,"levels":9999999}}`,
		`{"seq":3,"type":"request","command":"readMemory","arguments":{"memoryReference":"0xffffffff","offset":-1,"count":2}}`,
		`{"seq":3,"type":"request","command":"disassemble","arguments":{"memoryReference":"0","offset":1,"instructionOffset":-8192,"instructionCount":3}}`,
		`{"seq":3,"type":"request","command":"variables","arguments":{"variablesReference":-1,"start":-1,"count":-1}}`,
		`{"seq":3,"type":"request","command":"cancel","arguments":{"requestId":3,"progressId":"request-3"}}`,
		`{"seq":3,"type":"request","command":"source","arguments":{"sourceReference":1}}`,
		`{"seq":3,"type":"request","command":"evaluate","arguments":{"expression":"*($sp+4)","frameId":1}}`,
	}
	files, err := filepath.Glob(filepath.Join("testdata", "transcripts", "*.txt"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var lines []string
		for line := range strings.Lines(string(text)) {
			command, args, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(line, "-> "), "\n"), " ")
			if !strings.HasPrefix(line, "-> ") || command == "initialize" || command == "launch" {
				continue
			}
			if args == "" {
				args = "null"
			}
			lines = append(lines, `{"seq":3,"type":"request","command":"`+command+`","arguments":`+args+`}`)
		}
		seeds = append(seeds, strings.Join(lines, "\n"))
	}
	return seeds
}
