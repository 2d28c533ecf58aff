package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// TestReported opens logs with the call stack of a tool or of the firmware
// itself: it is shown as what it is, beside the registers or instead of them.
func TestReported(t *testing.T) {
	t.Parallel()
	p := openDemo(t, Config{})
	at := func(name string) core.Addr {
		list := p.Images().Lookup(name)
		if len(list) == 0 {
			t.Fatalf("no function %s", name)
		}
		return core.Addr(list[0].Addr &^ 1)
	}
	mean, calibrate := at("filter_mean"), at("sensor_calibrate")
	for name, c := range map[string]struct {
		log  string
		want string
	}{
		"addresses and names without registers": {
			log: fmt.Sprintf("panicked at src/main.rs:10:5:\nboom\nstack backtrace:\n   0: %#08x @ filter_mean\n   1: sensor_calibrate\n"+
				"        at src/cal.rs:7:1\n   2: %#08x - <unknown>\n   3: no_such_function\n", uint32(mean+4), uint32(calibrate+28)),
			want: "thread 1 \"\": reported\n filter_mean+4 reported\n sensor_calibrate+0 src/cal.rs:7 reported\n sensor_calibrate+28 reported\n",
		},
		"beside registers": {
			log: fmt.Sprintf("## Software Fault detected ##\nCause: Hard\nPC   : %#08x\nLR   : 0x00000000\nPSR  : 0x61000000\n"+
				"Backtrace:#1 : unknown@0x00+30 PC:%#08x\n#2 : sensor_calibrate@0x01+28 PC:%#08x\n", uint32(mean), uint32(mean), uint32(calibrate+28)),
			want: "thread 1 \"\": lr-end\n filter_mean+0 context\n" +
				"thread 2 \"as the firmware reports it\": reported\n filter_mean+0 reported\n sensor_calibrate+28 reported\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := p.OpenReader(context.Background(), "log", strings.NewReader(c.log), int64(len(c.log)), DumpOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if diff := cmp.Diff(c.want, describeStacks(t, s)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, w := range s.Warnings() {
				if strings.Contains(w, "does not match") {
					t.Error(w)
				}
			}
		})
	}
}

// TestReportedIsNotConverted checks that the printed stack, which has no
// registers, is no thread of a core that is written.
func TestReportedIsNotConverted(t *testing.T) {
	t.Parallel()
	p := openDemo(t, Config{})
	log := "## Software Fault detected ##\nCause: Hard\nPC   : 0x00000128\nLR   : 0x000003d1\nPSR  : 0x61000000\n" +
		"Backtrace:#1 : unknown@0x00+30 PC:0x00000128\n#2 : unknown@0x01+28 PC:0x00000220\n"
	open := func(data string) *Session {
		s, err := p.OpenReader(context.Background(), "log", strings.NewReader(data), int64(len(data)), DumpOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	s := open(log)
	if n := len(s.Threads()); n != 2 {
		t.Errorf("%d threads", n)
	}
	var core strings.Builder
	if err := s.WriteCore(context.Background(), &core, false); err != nil {
		t.Fatal(err)
	}
	if list := open(core.String()).Threads(); len(list) != 1 {
		t.Errorf("the core has the threads %+v", list)
	}
}

// describeStacks names functions and trust of every frame of every thread; of
// the source position only what the log tells.
func describeStacks(t *testing.T, s *Session) string {
	t.Helper()
	var b strings.Builder
	for _, th := range s.Threads() {
		k, err := s.Stack(th.ID)
		if err != nil {
			t.Fatal(err)
		}
		frames, err := k.Frames(context.Background(), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "thread %d %q: %v\n", th.ID, th.Name, k.Stop().Kind)
		for _, f := range frames {
			if f.Kind == KindInline {
				continue
			}
			place := ""
			if strings.HasPrefix(f.Recorded, "src/") {
				place = fmt.Sprintf(" %s:%d", f.Recorded, f.Line)
			}
			fmt.Fprintf(&b, " %s+%d%s %v\n", f.Function, f.Offset, place, f.Core.Trust)
		}
	}
	return b.String()
}
