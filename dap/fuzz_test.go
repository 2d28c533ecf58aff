package dap

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core/gdbremote"
	"pushmask/core/probe"
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
		a := newAdapter(s, Options{})
		isolate(a)
		_ = a.serve(t.Context(), s) // an error is right for most inputs
	})
}

// isolate keeps a session from connecting to anything and from starting servers.
func isolate(a *adapter) {
	a.connect = func(context.Context, string, gdbremote.Options) (*gdbremote.Client, error) {
		return nil, errors.ErrUnsupported
	}
	a.startProbe = func(context.Context, probe.Config, probe.Options) (*probe.Server, error) {
		return nil, errors.ErrUnsupported
	}
}

// FuzzConfig reads arbitrary launch configurations: what is accepted names one
// thing to debug.
func FuzzConfig(f *testing.F) {
	f.Add(`{"executable":"fw.elf","gdbTarget":"localhost:3333","servertype":"external","preLaunchCommands":["monitor halt"]}`)
	f.Add(`{"symbolFiles":["a",{"file":"b","offset":"0x10","textaddress":4,"sections":[{"name":".data","address":8}]}],"servertype":"qemu"}`)
	f.Add(`{"executable":"fuzz_test.go","gdbTarget":"x","targets":[{"gdbTarget":"y"}],"liveWatch":{"enabled":true},"hardwareBreakpoints":{"limit":1}}`)
	f.Add(`{"executable":"fuzz_test.go","coreFile":"x@16","with":["y"],"registers":{"pc":1},"linux":{"cwd":"/"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseConfig("launch", []byte(text))
		if err != nil {
			return
		}
		things := 0
		for _, named := range []bool{c.coreFile != "", c.gdbTarget != "", probe.Type(c.serverType).Starts()} {
			if named {
				things++
			}
		}
		if things != 1 || len(c.images) == 0 || c.images[0].Path == "" {
			t.Errorf("accepted: %+v", c)
		}
		_, _ = c.serverConfig() // an error is right for most inputs
	})
}

// FuzzMessages feeds lines as the contents of messages to a session that has
// opened the demo's crash. The demo is opened whatever launch names, so that
// no input makes the fuzzer read other files, and none makes it connect to
// anything or start a server.
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
		isolate(a)
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
		`{"seq":3,"type":"request","command":"evaluate","arguments":{"expression":"monitor x","context":"repl"}}`,
		`{"seq":3,"type":"request","command":"completions","arguments":{"text":"ma","column":-3}}`,
		`{"seq":3,"type":"request","command":"setVariable","arguments":{"variablesReference":1,"name":"r0","value":"1"}}`,
		`{"seq":3,"type":"request","command":"setExpression","arguments":{"expression":"$r0","value":"1"}}`,
		`{"seq":3,"type":"request","command":"writeMemory","arguments":{"memoryReference":"0","data":"AA=="}}`,
		`{"seq":3,"type":"request","command":"gotoTargets","arguments":{"source":{"sourceReference":1},"line":1}}`,
		`{"seq":3,"type":"request","command":"goto","arguments":{"threadId":1,"targetId":1}}`,
		`{"seq":3,"type":"request","command":"stepInTargets","arguments":{"frameId":1}}`,
		`{"seq":3,"type":"request","command":"dataBreakpointInfo","arguments":{"name":"x","bytes":-1,"asAddress":true}}`,
		`{"seq":3,"type":"request","command":"setDataBreakpoints","arguments":{"breakpoints":[{"dataId":"0x0+4 x"}]}}`,
		`{"seq":3,"type":"request","command":"breakpointLocations","arguments":{"source":{},"line":-1}}`,
		`{"seq":3,"type":"request","command":"read-memory","arguments":{"address":"0x20000000","length":-1}}`,
		`{"seq":3,"type":"request","command":"execute-command","arguments":{"command":"bt"}}`,
		`{"seq":3,"type":"request","command":"restart","arguments":{"arguments":{"executable":"x","gdbTarget":"y"}}}`,
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
