package gdbremote

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

func TestContinue(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	opt := quick
	opt.Console = func(b []byte) { out.Write(b) }
	c := play(t, opt, greeting(""), ask("vCont?", ""),
		[]turn{{pkt("c"), "+" + pkt("O68690a")}, {"+", pkt("T05thread:p1.2;swbreak:;")}, {"+", ""}},
		ask("s", "S05"), ask("c", "W03"), ask("c", "?"), ask("c", "E01"), ask("?", ""))
	ctx := t.Context()
	got, err := c.Continue(ctx)
	want := Stop{Kind: StopSignal, Code: 5, Thread: "p1.2", Reason: ReasonSoftwareBreakpoint}
	if diff := cmp.Diff(want, got, compareRegs); diff != "" || err != nil || out.String() != "hi\n" {
		t.Errorf("stop (-want +got):\n%s%v, output %q", diff, err, out.String())
	}
	if got, err := c.Step(ctx); got.Kind != StopSignal || got.Code != 5 || err != nil {
		t.Errorf("step: %+v, %v", got, err)
	}
	if got, err := c.Continue(ctx); got.Kind != StopExited || got.Code != 3 || err != nil {
		t.Errorf("exit: %+v, %v", got, err)
	}
	for _, want := range []error{ErrMalformed, ErrRefused} {
		if _, err := c.Continue(ctx); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	if _, err := c.Halted(ctx); !errors.Is(err, ErrUnsupported) {
		t.Errorf("?: %v", err)
	}
}

// TestResumePackets has the packet for each action, with vCont and without.
func TestResumePackets(t *testing.T) {
	t.Parallel()
	const openOCD, pyOCD = "vCont;c;C;s;S", "vCont;c;C;s;S;r;t"
	run := func(a ...Action) []Action { return a }
	tests := []struct {
		name    string
		vCont   string
		actions []Action
		want    []string
		err     error
	}{
		{"nothing said", openOCD, nil, []string{"vCont;c"}, nil},
		{"step", openOCD, run(Action{Kind: StepAction}), []string{"vCont;s"}, nil},
		{"one thread steps, others run", openOCD, run(Action{Kind: StepAction, Thread: "p01.01"}, Action{Kind: ContinueAction}), []string{"vCont;s:p1.1;c"}, nil},
		{"signals", openOCD, run(Action{Kind: StepAction, Signal: 2, Thread: "1"}, Action{Kind: ContinueAction, Signal: 11}), []string{"vCont;S02:1;C0b"}, nil},
		{"range", pyOCD, run(Action{Kind: RangeStepAction, Start: 0x100, End: 0x108, Thread: "1"}), []string{"vCont;r100,108:1"}, nil},
		{"stop", pyOCD, run(Action{Kind: StopAction, Thread: "2"}, Action{Kind: ContinueAction}), []string{"vCont;t:2;c"}, nil},
		{"range not offered", openOCD, run(Action{Kind: RangeStepAction, Start: 0x100, End: 0x108}), nil, ErrUnsupported},
		{"a thread that is none", openOCD, run(Action{Kind: StepAction, Thread: "1;c"}), nil, ErrMalformed},
		{"plain", "", nil, []string{"c"}, nil},
		{"plain step of a thread", "", run(Action{Kind: StepAction, Thread: "2"}), []string{"Hc2", "s"}, nil},
		{"plain with signals", "", run(Action{Kind: ContinueAction, Signal: 2}), []string{"C02"}, nil},
		{"plain step with a signal", "", run(Action{Kind: StepAction, Signal: 15}), []string{"S0f"}, nil},
		{"plain range", "", run(Action{Kind: RangeStepAction, Start: 0x100, End: 0x108}), nil, ErrUnsupported},
		{"vCont that lacks steps", "vCont;c;C", run(Action{Kind: StepAction}), []string{"s"}, nil},
		{"vCont refused", "E01", nil, []string{"c"}, nil},
		{"something else", "OK", nil, []string{"c"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, seen := answering(t, quick, func(request string) string {
				switch {
				case request == "vCont?":
					return tt.vCont
				case strings.HasPrefix(request, "qSupported"):
					return ""
				case request[0] == 'H':
					return "OK"
				}
				return "S05"
			})
			if _, err := c.Resume(t.Context(), tt.actions...); !errors.Is(err, tt.err) {
				t.Errorf("got %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(append([]string{"vCont?"}, tt.want...), seen.take()); diff != "" {
				t.Errorf("packets (-want +got):\n%s", diff)
			}
		})
	}
}

// TestInterrupt cancels a run: the target is interrupted, its stop taken, and
// the connection still in step.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	c := play(t, Options{}, greeting(""), ask("vCont?", ""),
		[]turn{{pkt("c"), "+"}, {"\x03", pkt("T02")}, {"+", ""}}, ask("qC", "QC1"))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if got, err := c.Continue(ctx); got.Code != 2 || !got.Interrupted || err != nil {
		t.Errorf("stop %+v, %v", got, err)
	}
	if got, err := c.Exchange(t.Context(), "qC"); got != "QC1" || err != nil {
		t.Errorf("the exchange after it: %q, %v", got, err)
	}
	if _, err := c.Continue(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("context that ended before: %v", err)
	}
}

// TestInterruptTooEarly cancels a run in the exchanges before it: nothing runs,
// and the connection is still in step.
func TestInterruptTooEarly(t *testing.T) {
	t.Parallel()
	for _, during := range []string{"vCont?", "Hc2"} {
		ctx, cancel := context.WithCancel(t.Context())
		c, seen := answering(t, quick, func(request string) string {
			if request == during {
				cancel()
			}
			if strings.HasPrefix(request, "Hc") {
				return "OK"
			}
			return ""
		})
		if _, err := c.Resume(ctx, Action{Kind: StepAction, Thread: "2"}); !errors.Is(err, context.Canceled) || c.Err() != nil {
			t.Errorf("%s: %v; the connection: %v", during, err, c.Err())
		}
		if diff := cmp.Diff([]string{"vCont?", "Hc2"}, seen.take()); diff != "" {
			t.Errorf("%s: packets (-want +got):\n%s", during, diff)
		}
	}
}

// TestInterruptPacket has a stub that wants vCtrlC and says OK to it.
func TestInterruptPacket(t *testing.T) {
	t.Parallel()
	c := play(t, Options{}, greeting("vCtrlC+"), ask("vCont?", ""),
		[]turn{{pkt("c"), "+"}, {pkt("vCtrlC"), "+" + pkt("OK")}, {"+", pkt("T02")}, {"+", ""}}, ask("qC", "QC1"))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if got, err := c.Continue(ctx); got.Code != 2 || !got.Interrupted || err != nil {
		t.Errorf("stop %+v, %v", got, err)
	}
	if got, err := c.Exchange(t.Context(), "qC"); got != "QC1" || err != nil {
		t.Errorf("the exchange after it: %q, %v", got, err)
	}
}

// TestNotInterrupted has a target that runs on.
func TestNotInterrupted(t *testing.T) {
	t.Parallel()
	c := play(t, Options{Timeout: 200 * time.Millisecond}, greeting(""), ask("vCont?", ""), []turn{{pkt("c"), "+"}, {"\x03", ""}, {hold, ""}})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := c.Continue(ctx); !errors.Is(err, ErrNotInterrupted) {
		t.Errorf("got %v", err)
	}
	if _, err := c.Exchange(t.Context(), "qC"); !errors.Is(err, ErrNotInterrupted) {
		t.Errorf("the exchange after it: %v", err)
	}
}

// TestRunning has exchanges while the target runs: they fail at once and send
// nothing, which would stop some targets.
func TestRunning(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	opt := quick
	opt.Log = func(d Direction, packet string) {
		if d == Sent && packet == "c" {
			close(started)
		}
	}
	c := play(t, opt, greeting(""), ask("vCont?", ""), []turn{{pkt("c"), "+"}, {"\x03", pkt("T02")}, {"+", ""}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := c.Continue(ctx)
		done <- err
	}()
	<-started
	_, exchange := c.Exchange(t.Context(), "qC")
	_, registers := c.Registers(t.Context())
	_, memory := c.ReadMemory(t.Context(), 0, make([]byte, 4))
	_, resume := c.Continue(t.Context())
	for _, err := range []error{exchange, registers, memory, resume} {
		if !errors.Is(err, ErrRunning) {
			t.Errorf("while it runs: %v", err)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("run: %v", err)
	}
}

// TestWaiting has exchanges that wait for one before when the target begins to
// run: they fail then, and do not wait for it to stop.
func TestWaiting(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}), make(chan struct{})
	c, _ := answering(t, Options{Timeout: time.Minute}, func(request string) string {
		switch request {
		case "slow":
			close(asked)
			<-answer
		case "s":
			return "S05"
		}
		return ""
	})
	go c.Exchange(t.Context(), "slow")
	<-asked
	waiting := make(chan error)
	for range 3 {
		go func() {
			_, err := c.Exchange(t.Context(), "qC")
			waiting <- err
		}()
	}
	end := c.conn.running.begin()
	for range 3 {
		if err := <-waiting; !errors.Is(err, ErrRunning) {
			t.Errorf("waiting: %v", err)
		}
	}
	end()
	close(answer)
	if _, err := c.Step(t.Context()); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	<-c.group
	if _, err := c.Registers(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for a group: %v", err)
	}
	c.group <- struct{}{}
}

// TestFileIO has a program that prints through the stub, asks for the time, and
// for a file that it does not get.
func TestFileIO(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	opt := quick
	opt.Console = func(b []byte) { out.Write(b) }
	ram := &ramStub{data: append([]byte("hello"), make([]byte, 59)...)}
	tests := []string{"Fwrite,1,20000000,5", "Fwrite,2,20000000,5", "Fgettimeofday,20000010,0", "Fwrite,1,0,5", "Funlink,20000000/6"}
	next := 0
	c, seen := answering(t, opt, func(request string) string {
		if request[0] != 'c' && request[0] != 'F' {
			return ram.answer(request)
		}
		if next == len(tests) {
			return "T05"
		}
		next++
		return tests[next-1]
	})
	if s, err := c.Continue(t.Context()); s.Code != 5 || err != nil {
		t.Fatalf("stop %+v, %v", s, err)
	}
	var answers []string
	for _, p := range seen.take() {
		if p[0] == 'F' {
			answers = append(answers, p)
		}
	}
	if diff := cmp.Diff([]string{"F5", "F5", "F0", "F-1,e", "F-1,d"}, answers); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if out.String() != "hellohello" || ram.data[0x13] == 0 {
		t.Errorf("output %q, time % x", out.String(), ram.data[0x10:0x1c])
	}
}

// TestInterruptInFileIO cancels a run while the stub waits for an answer to a
// file request: the answer tells of it (E.13.5), since no stub listens for
// 0x03 then.
func TestInterruptInFileIO(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	opt := quick
	opt.Console = func([]byte) { cancel() }
	c := play(t, opt, greeting(""), ask("vCont?", ""),
		[]turn{{pkt("c"), "+" + pkt("Fwrite,1,20000000,1")}, {"+", ""}},
		ask("m20000000,1", "21"), []turn{{pkt("F1,0,C"), "+"}, {"\x03", pkt("T02")}, {"+", ""}})
	if s, err := c.Continue(ctx); s.Code != 2 || !s.Interrupted || err != nil {
		t.Errorf("stop %+v, %v", s, err)
	}
}

// TestLostInFileIO loses the connection in the middle of a file request.
func TestLostInFileIO(t *testing.T) {
	t.Parallel()
	c := play(t, quick, greeting(""), ask("vCont?", ""),
		[]turn{{pkt("c"), "+" + pkt("Fwrite,1,20000000,1")}, {"+", ""}, {pkt("m20000000,1"), "+"}})
	if s, err := c.Continue(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("stop %+v, %v", s, err)
	}
}

// TestRangeEnd keeps ranges that end at the top of the address space.
func TestRangeEnd(t *testing.T) {
	t.Parallel()
	got, err := vCont("cCsSr", []Action{{Kind: RangeStepAction, Start: core.Addr(0xfffffffc), End: core.Addr(0xffffffff)}})
	if got != "vCont;rfffffffc,ffffffff" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
