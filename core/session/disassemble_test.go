package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

func static(t testing.TB, p *Program) *Session {
	t.Helper()
	s, err := p.Static(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDisassembleCounts asks for windows around every instruction of every
// function: the count is exact, the line at -offset is the one asked for, and
// lines follow each other without gap or overlap.
func TestDisassembleCounts(t *testing.T) {
	t.Parallel()
	s := static(t, openDemo(t, Config{}))
	ctx := context.Background()
	windows := []struct{ offset, count int }{{0, 1}, {0, 5}, {-1, 2}, {-4, 8}, {-20, 20}, {-30, 10}, {3, 4}, {-7, 0}}
	places := 0
	for _, fn := range s.Program().Images().Functions() {
		_, lines, err := s.DisassembleFunc(ctx, core.Addr(fn.Entry))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			for _, w := range windows {
				got, err := s.Disassemble(ctx, l.Addr, w.offset, w.count)
				if err != nil {
					t.Fatal(err)
				}
				checkWindow(t, got, l, w.offset, w.count)
				places++
			}
		}
	}
	if places < 1000 {
		t.Errorf("only %d windows were checked", places)
	}
}

func checkWindow(t *testing.T, got []Line, at Line, offset, count int) {
	t.Helper()
	if len(got) != count {
		t.Fatalf("%v%+d: %d lines, want %d", at.Addr, offset, len(got), count)
	}
	if i := -offset; i >= 0 && i < count {
		if got[i].Addr != at.Addr || got[i].Text != at.Text {
			t.Errorf("%v%+d: line %d is %v %q, want %q", at.Addr, offset, i, got[i].Addr, got[i].Text, at.Text)
		}
	}
	for i := 1; i < len(got); i++ {
		prev := got[i-1]
		size := core.Addr(len(prev.Bytes))
		if prev.Invalid {
			size = 2
		}
		if got[i].Addr != prev.Addr+size {
			t.Fatalf("%v%+d: %v follows %v of %d bytes", at.Addr, offset, got[i].Addr, prev.Addr, size)
		}
	}
}

// code is a target without an image that holds halfwords at 0x1000.
func code(t *testing.T, halfwords ...uint16) *Session {
	target := oneThread(core.ProfileM, 0, nil)
	var b []byte
	for _, h := range halfwords {
		b = append(b, byte(h), byte(h>>8))
	}
	target.mem.AddBytes(0x1000, b)
	return openFake(t, nil, target)
}

func listing(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		text := l.Text
		if l.Invalid {
			text = "?"
		}
		fmt.Fprintf(&b, "%x %s\n", uint32(l.Addr), text)
	}
	return b.String()
}

func TestDisassembleWithoutImage(t *testing.T) {
	t.Parallel()
	s := code(t,
		0xb510,         // push {r4, lr}
		0x2801, 0xbf08, // cmp r0, #1; it eq
		0x2005,         // moveq r0, #5
		0xf7ff, 0xfffa, // bl
		0xbd10) // pop {r4, pc}
	ctx := context.Background()
	tests := []struct {
		name          string
		addr          core.Addr
		offset, count int
		want          string
	}{
		{"padding on both sides", 0x1000, -2, 4, "ffc ?\nffe ?\n1000 push {r4, lr}\n1002 cmp r0, #1\n"},
		{"IT block", 0x1002, 0, 3, "1002 cmp r0, #1\n1004 it eq\n1006 moveq r0, #5\n"},
		{"end of memory", 0x100c, 0, 3, "100c pop {r4, pc}\n100e ?\n1010 ?\n"},
		{"backwards over a 32-bit instruction", 0x100c, -2, 3, "1006 moveq r0, #5\n1008 bl 0x1000\n100c pop {r4, pc}\n"},
		{"inside a 32-bit instruction", 0x100a, -1, 1, "1008 .short 0xf7ff\n"},
		{"before address 0", 0, -2, 3, "fffffffc ?\nfffffffe ?\n0 ?\n"},
		{"top of memory", 0xfffffffe, 0, 2, "fffffffe ?\n0 ?\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lines, err := s.Disassemble(ctx, tt.addr, tt.offset, tt.count)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, listing(lines)); diff != "" {
				t.Errorf("listing (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDisassembleLimits(t *testing.T) {
	t.Parallel()
	s := code(t, 0xbf00)
	for _, w := range []struct{ offset, count int }{{0, -1}, {0, MaxLines + 1}, {-MaxLines - 1, 1}, {MaxLines + 1, 1}} {
		if _, err := s.Disassemble(context.Background(), 0x1000, w.offset, w.count); !errors.Is(err, ErrTooManyLines) {
			t.Errorf("%+v: error is %v", w, err)
		}
	}
	lines, err := s.Disassemble(context.Background(), 0x1000, -MaxLines, MaxLines)
	if err != nil || len(lines) != MaxLines {
		t.Errorf("largest window: %d lines, %v", len(lines), err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Disassemble(ctx, 0x1000, 0, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestDisassembleFunc reads a function whose body has literals: they are data,
// named where they point to something.
func TestDisassembleFunc(t *testing.T) {
	t.Parallel()
	s := static(t, openDemo(t, Config{}))
	sym := s.Program().Images().Lookup("sensor_calibrate")
	if len(sym) == 0 {
		t.Fatal("the demo has no sensor_calibrate")
	}
	name, lines, err := s.DisassembleFunc(context.Background(), core.Addr(sym[0].Addr)+4)
	if err != nil || name != "sensor_calibrate" {
		t.Fatalf("name %q, error %v", name, err)
	}
	text := listing(lines)
	for _, want := range []string{"push {", "bl ", "<filter_mean>", ".word 0x20000000  ; <sensors>", "; =0x20000000 <sensors>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the listing lacks %q:\n%s", want, text)
		}
	}
	if first := lines[0]; first.Symbol != "sensor_calibrate" || first.Addr != core.Addr(sym[0].Addr) {
		t.Errorf("the listing starts with %+v", first)
	}
}

func TestDisassembleFuncUnknown(t *testing.T) {
	t.Parallel()
	s := code(t, 0xbf00, 0x4770)
	name, lines, err := s.DisassembleFunc(context.Background(), 0x1002)
	if err != nil || name != "sub_00001002" {
		t.Fatalf("name %q, error %v", name, err)
	}
	found := false
	for _, l := range lines {
		found = found || l.Addr == 0x1002 && l.Text == "bx lr"
	}
	if !found {
		t.Errorf("the listing lacks the address:\n%s", listing(lines))
	}
}

// FuzzDisassemble lists windows of arbitrary memory: the count is exact, the
// address asked for is a line, and lines follow each other.
func FuzzDisassemble(f *testing.F) {
	f.Add([]byte{0x10, 0xb5, 0xff, 0xf7, 0xfa, 0xff, 0x10, 0xbd}, uint32(0x1002), int16(-3), uint16(9))
	f.Add([]byte{0x08, 0xbf, 0x05, 0x20}, uint32(0x1002), int16(-1), uint16(2))
	f.Add([]byte{0x01}, uint32(0xffffffff), int16(2), uint16(3))
	f.Fuzz(func(t *testing.T, mem []byte, addr uint32, offset int16, count uint16) {
		target := oneThread(core.ProfileM, 0, nil)
		target.mem.AddBytes(0x1000, mem)
		s := openFake(t, nil, target)
		at, n := core.Addr(addr), int(count%200)
		lines, err := s.Disassemble(context.Background(), at, int(offset), n)
		if err != nil {
			t.Fatal(err)
		}
		if len(lines) != n {
			t.Fatalf("%d lines, want %d", len(lines), n)
		}
		if i := -int(offset); i >= 0 && i < n && lines[i].Addr != at {
			t.Errorf("line %d is %v, want %v", i, lines[i].Addr, at)
		}
		for i := 1; i < len(lines); i++ {
			if step := lines[i].Addr - lines[i-1].Addr; step == 0 || step > 4 {
				t.Errorf("%v follows %v", lines[i].Addr, lines[i-1].Addr)
			}
		}
	})
}

// TestDisassembleWithoutSymbols lists a function that only the unwinder knows
// the bounds of.
func TestDisassembleWithoutSymbols(t *testing.T) {
	t.Parallel()
	named := static(t, openDemo(t, Config{}))
	entry := core.Addr(named.Program().Images().Lookup("sensor_calibrate")[0].Addr)
	s := static(t, openDemo(t, Config{NoSymbols: true}))
	name, lines, err := s.DisassembleFunc(context.Background(), entry+4)
	if err != nil || name != unnamed(entry) {
		t.Fatalf("name %q, error %v", name, err)
	}
	if len(lines) == 0 || lines[0].Addr != entry || !strings.HasPrefix(lines[0].Text, "push {") || lines[0].Symbol != "" {
		t.Errorf("the listing starts with %+v", lines[0])
	}
}
