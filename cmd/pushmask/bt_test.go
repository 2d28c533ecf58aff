package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"pushmask/core"
	"pushmask/core/session"
)

const demoFiles = "../../testdata/firmware/demo"

// TestManyDumps reads the names of many dumps from stdin: lines come in that
// order, whatever the workers do, and a missing dump costs one line.
func TestManyDumps(t *testing.T) {
	t.Parallel()
	const count = 300
	dump := filepath.Join(demoFiles, "crash.core")
	var names strings.Builder
	for i := range count {
		if i%50 == 7 {
			fmt.Fprintf(&names, "missing-%d\n", i)
			continue
		}
		fmt.Fprintln(&names, dump)
	}
	e := newTestEnv(names.String(), nil)
	got := run(context.Background(), []string{"bt", "--json", filepath.Join(demoFiles, "fw.elf"), "-"}, &e.env)
	if got != exitPartial {
		t.Errorf("status %d, want %d; stderr:\n%s", got, exitPartial, e.err.String())
	}
	lines := bytes.Split(bytes.TrimSpace(e.out.Bytes()), []byte("\n"))
	if len(lines) != count {
		t.Fatalf("%d lines, want %d", len(lines), count)
	}
	for i, line := range lines {
		var b jsonTrace
		if err := json.Unmarshal(line, &b); err != nil {
			t.Fatal(err)
		}
		if i%50 == 7 {
			if b.Dump != fmt.Sprintf("missing-%d", i) || b.Error == "" || len(b.Threads) != 0 {
				t.Errorf("line %d is %s", i, line)
			}
		} else if b.Dump != dump || b.Error != "" || len(b.Threads) != 1 || len(b.Threads[0].Frames) == 0 {
			t.Errorf("line %d is %s", i, line)
		}
	}
}

func TestDumpNames(t *testing.T) {
	t.Parallel()
	var got []string
	for in := range dumpNames([]string{"a", "-", "b"}, strings.NewReader("x\n\n  y \r\nz")) {
		if in.err != nil {
			t.Fatal(in.err)
		}
		got = append(got, in.name)
	}
	if s := strings.Join(got, " "); s != "a x y z b" {
		t.Errorf("names %q", s)
	}
	broken := errors.New("broken")
	for in := range dumpNames([]string{"-"}, iotest.ErrReader(broken)) {
		if !errors.Is(in.err, broken) {
			t.Errorf("error %v", in.err)
		}
	}
}

// TestContractIsDocumented finds every value that a consumer may see in the
// document of the contract.
func TestContractIsDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/bt-json.md")
	if err != nil {
		t.Fatal(err)
	}
	values := []string{"frame", "inline", "exception"}
	for k := core.StopEntry; k <= core.StopBank; k++ {
		values = append(values, k.String())
	}
	for k := core.TrustContext; k <= core.TrustScan; k++ {
		values = append(values, k.String())
	}
	for _, v := range values {
		if !strings.Contains(string(doc), "`"+v+"`") {
			t.Errorf("docs/bt-json.md lacks %q", v)
		}
	}
}

// TestInterruptedStream ends a command that waits for names of dumps.
func TestInterruptedStream(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	names, writer := io.Pipe()
	defer writer.Close()
	e := newTestEnv("", nil)
	e.stdin = names
	go func() {
		fmt.Fprintln(writer, filepath.Join(demoFiles, "crash.core"))
		cancel()
	}()
	if got := run(ctx, []string{"bt", filepath.Join(demoFiles, "fw.elf"), "-"}, &e.env); got != exitFailed {
		t.Errorf("status %d", got)
	}
}

// TestCancelledTrace: an interrupt ends the command with an error.
func TestCancelledTrace(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e := newTestEnv("", nil)
	args := []string{"bt", filepath.Join(demoFiles, "fw.elf"), filepath.Join(demoFiles, "crash.core")}
	if got := run(ctx, args, &e.env); got != exitFailed {
		t.Errorf("status %d", got)
	}
}

func TestTextFrames(t *testing.T) {
	t.Parallel()
	activation := &core.Frame{PC: 0x8000123, Trust: core.TrustAnalysis}
	guess := &core.Frame{PC: 0x8000124, Trust: core.TrustScan}
	tests := []struct {
		frame session.Frame
		want  string
	}{
		{session.Frame{Kind: session.KindFrame, Core: activation, Function: "main"}, "#2   0x08000123 main"},
		{session.Frame{Kind: session.KindFrame, Core: activation, Function: "main", Offset: 18, File: "/src/main.c", Line: 7},
			"#2   0x08000123 main+18 at /src/main.c:7"},
		{session.Frame{Kind: session.KindInline, Core: activation, Function: "f", Offset: 18, File: "/src/f.h"},
			"#2   0x08000123 f (inlined) at /src/f.h"},
		{session.Frame{Kind: session.KindFrame, Core: guess, Function: "g"}, "#2   0x08000124 g [guess: scan]"},
		{session.Frame{Kind: session.KindException, Core: activation, Function: "<exception IRQ 5>"}, "#2   <exception IRQ 5>"},
	}
	for _, tt := range tests {
		if got := (&textTrace{}).frame(2, &tt.frame); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
	}
}

func TestTextStops(t *testing.T) {
	t.Parallel()
	tests := []struct {
		stop core.Stop
		want string
	}{
		{core.Stop{Kind: core.StopEntry}, "thread 4 \"idle\"\n"},
		{core.Stop{Kind: core.StopNoMemory, Detail: "no stack"}, "thread 4 \"idle\"\n     the stack ends here: no stack\n"},
		{core.Stop{Kind: core.StopNoRule}, "thread 4 \"idle\"\n     the stack ends here: no-rule\n"},
	}
	for _, tt := range tests {
		var out bytes.Buffer
		w := &textTrace{w: &out}
		w.write(&backtrace{threads: []threadTrace{{Thread: core.Thread{ID: 4, Name: "idle"}, stop: tt.stop}}})
		if out.String() != tt.want {
			t.Errorf("got %q, want %q", out.String(), tt.want)
		}
	}
}

// TestEmptyName: a shell variable that is not set must not become a stack
// without names.
func TestEmptyName(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"bt", "disas"} {
		e := newTestEnv("", nil)
		if got := run(context.Background(), []string{command, "", filepath.Join(demoFiles, "crash.core")}, &e.env); got != exitUsage {
			t.Errorf("%s: status %d, want %d", command, got, exitUsage)
		}
	}
}
