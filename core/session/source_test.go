package session

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/dump"
)

func TestParseSource(t *testing.T) {
	t.Parallel()
	odd := filepath.Join(t.TempDir(), "a@0x10")
	if err := os.WriteFile(odd, []byte{1}, 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]DumpSource{
		"ram.bin":             {Path: "ram.bin"},
		"ram.bin@0x20000000":  {Path: "ram.bin", Base: 0x20000000, HasBase: true},
		"ram.bin@536870912":   {Path: "ram.bin", Base: 0x20000000, HasBase: true},
		"a@b/ram.bin":         {Path: "a@b/ram.bin"},
		"ram.bin@0x1ffffffff": {Path: "ram.bin@0x1ffffffff"},
		"@0x10":               {Path: "@0x10"},
		odd:                   {Path: odd},
		"":                    {},
	} {
		if got := ParseSource(text); got != want {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
}

func TestParseRegister(t *testing.T) {
	t.Parallel()
	var regs core.Regs
	for _, text := range []string{"pc=0x8001234", "SP = 0x20001000", "r14=1", "xpsr=0x01000000"} {
		if err := ParseRegister(text, &regs); err != nil {
			t.Error(err)
		}
	}
	if regs.Value(core.PC) != 0x8001234 || regs.Value(core.SP) != 0x20001000 || regs.Value(core.LR) != 1 {
		t.Errorf("pc %#x, sp %#x, lr %#x", regs.Value(core.PC), regs.Value(core.SP), regs.Value(core.LR))
	}
	for _, text := range []string{"pc", "pc=", "pc=x", "eax=1", "pc=0x100000000", "=1"} {
		if ParseRegister(text, &regs) == nil {
			t.Errorf("%q is a register", text)
		}
	}
}

// TestRawMemory opens RAM without any format: without an address the error says
// which one to give, with it the stack is that of the core.
func TestRawMemory(t *testing.T) {
	t.Parallel()
	p := openDemo(t, Config{})
	whole := openDemoDump(t, Config{})
	ram := make([]byte, 0x1000)
	if _, err := whole.Memory().ReadAt(0x20000000, ram); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := write("ram.bin", ram)
	_, err := p.OpenDump(context.Background(), path, DumpOptions{})
	if !errors.Is(err, ErrNoAddress) || !strings.Contains(err.Error(), "ram.bin@0x20000000") || !strings.Contains(err.Error(), "initial stack pointer") {
		t.Errorf("no address: %v", err)
	}
	flash := make([]byte, 256)
	if _, err := p.Images().ReadAt(0, flash); err != nil {
		t.Fatal(err)
	}
	if base, why, ok := p.guessBase(write("flash.bin", flash)); !ok || base != 0 || !strings.Contains(why, "begins as") {
		t.Errorf("flash: %v %q %v", base, why, ok)
	}
	if base, _, ok := p.guessBase(write("odd.bin", ram[:100])); ok {
		t.Errorf("100 bytes are at %v", base)
	}
	regs, err := whole.Registers(context.Background(), whole.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.OpenDump(context.Background(), path, DumpOptions{Base: 0x20000000, HasBase: true, Set: regs})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, want := pcs(t, s), pcs(t, whole)
	if !bytes.Equal(got, want) {
		t.Errorf("stack % x, want % x", got, want)
	}
}

// pcs returns the PCs of the first thread as bytes.
func pcs(t *testing.T, s *Session) []byte {
	t.Helper()
	k, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := k.Frames(context.Background(), 0, 0)
	if err != nil || len(frames) < 3 {
		t.Fatalf("%d frames, error %v", len(frames), err)
	}
	var b []byte
	for _, f := range frames {
		b = append(b, byte(f.Core.PC), byte(f.Core.PC>>8), byte(f.Core.PC>>16), byte(f.Core.PC>>24))
	}
	return b
}

// TestClearMismatch: another build id, much other code and another profile are
// clear; what the crash or a debugger may have done is not.
func TestClearMismatch(t *testing.T) {
	t.Parallel()
	p := openDemo(t, Config{})
	id := p.Images().Main().BuildID()
	flash := make([]byte, 0x200)
	if _, err := p.Images().ReadAt(0, flash); err != nil {
		t.Fatal(err)
	}
	patched := bytes.Clone(flash)
	patched[0x104] ^= 0xff
	other := bytes.Clone(id)
	other[0]++
	pc := map[core.Reg]uint32{core.PC: p.Images().Lookup("main")[0].Addr}
	tests := []struct {
		name  string
		id    []byte
		flash []byte
		regs  map[core.Reg]uint32
		clear bool
		text  string
	}{
		{"same build id", id, nil, pc, false, ""},
		{"beginning of the build id", id[:8], nil, pc, false, ""},
		{"other build id", other, nil, pc, true, "it is of the build"},
		{"too little of a build id", other[:2], nil, pc, false, ""},
		{"other code", nil, make([]byte, 0x200), pc, true, "bytes of code and constants differ"},
		{"a breakpoint", nil, patched, pc, false, "differs a little"},
		{"registers elsewhere", nil, nil, map[core.Reg]uint32{core.PC: 0x08001234, core.LR: 0x08001235}, false, "no thread has a PC"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			target := oneThread(core.ProfileM, 0, tt.regs)
			d := &dump.Dump{BuildID: tt.id}
			if tt.flash != nil {
				target.mem.AddBytes(0, tt.flash)
				d.Regions = []dump.Region{{Addr: 0, Size: uint32(len(tt.flash))}}
			}
			m := openFake(t, p, target).compare(context.Background(), d)
			if m.clear != tt.clear || !strings.Contains(m.text, tt.text) || (tt.text == "") != (m.text == "") {
				t.Errorf("%+v", m)
			}
		})
	}
}

func TestRankImages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"demo", "cpp", "m33-O2"} {
		b, err := os.ReadFile(filepath.Join(fixtures, name, "fw.elf"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "fw.elf"), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "broken.elf"), []byte("\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x28\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	crash := filepath.Join(fixtures, "demo", "crash.core")
	list, complete, err := RankImages(context.Background(), dir, crash, DumpOptions{})
	if err != nil || !complete || len(list) != 4 {
		t.Fatalf("%d ELFs, complete %v, error %v", len(list), complete, err)
	}
	if c := list[0]; c.Path != filepath.Join(dir, "demo", "fw.elf") || c.Fit != FitFrames || c.Evidence == 0 {
		t.Errorf("the first is %+v", c)
	}
	if c := list[3]; c.Path != filepath.Join(dir, "broken.elf") || c.Fit != FitNone || !strings.Contains(c.Why, "cannot be opened") {
		t.Errorf("the last is %+v", c)
	}
	if _, _, err := RankImages(context.Background(), filepath.Join(dir, "none"), crash, DumpOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if _, _, err := RankImages(context.Background(), dir, filepath.Join(dir, "none"), DumpOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no dump: %v", err)
	}
}
