package session

import (
	"context"
	"path/filepath"
	"testing"

	"pushmask/core"
	"pushmask/core/memmap"
)

// fixtures is the folder of our own firmware.
const fixtures = "../../testdata/firmware"

// openDemo opens the firmware of the demo.
func openDemo(t testing.TB, cfg Config) *Program {
	t.Helper()
	if cfg.Image == "" {
		cfg.Image = filepath.Join(fixtures, "demo", "fw.elf")
	}
	p, err := OpenProgram(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// openDemoDump opens the crash of the demo.
func openDemoDump(t testing.TB, cfg Config) *Session {
	t.Helper()
	s, err := openDemo(t, cfg).OpenDump(context.Background(), filepath.Join(fixtures, "demo", "crash.core"), DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// fakeTarget is a stopped machine made by hand.
type fakeTarget struct {
	mem     memmap.Map
	profile core.Profile
	threads []core.Thread
	regs    map[core.ThreadID]core.Regs
	err     error // of Registers
}

func (f *fakeTarget) Memory() core.Memory   { return &f.mem }
func (f *fakeTarget) Profile() core.Profile { return f.profile }

func (f *fakeTarget) Threads(context.Context) ([]core.Thread, error) { return f.threads, nil }

func (f *fakeTarget) Registers(_ context.Context, id core.ThreadID) (core.Regs, error) {
	return f.regs[id], f.err
}

// regsOf makes a register set.
func regsOf(values map[core.Reg]uint32) core.Regs {
	var r core.Regs
	for k, v := range values {
		r.Set(k, v)
	}
	return r
}

// oneThread is a target with one crashed thread.
func oneThread(profile core.Profile, signal int, values map[core.Reg]uint32) *fakeTarget {
	return &fakeTarget{
		profile: profile,
		threads: []core.Thread{{ID: 1, Crashed: true, Signal: signal}},
		regs:    map[core.ThreadID]core.Regs{1: regsOf(values)},
	}
}

// openFake joins a target with a program; nil stands for one without an image.
func openFake(t testing.TB, p *Program, target core.Target) *Session {
	t.Helper()
	if p == nil {
		var err error
		if p, err = OpenProgram(context.Background(), Config{}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := p.newSession(context.Background(), target)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// le32 is v in target order.
func le32(v uint32) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)} }
