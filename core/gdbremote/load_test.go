package gdbremote

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/gdbremote/rsp"
)

// flashStub is a target with RAM, and flash of sectors of 16 and 64 KiB that
// wants to be erased before it is written, as vFlash* do it.
type flashStub struct {
	ramStub
	flash  []byte
	log    []string
	refuse string // a packet that begins so
	noMap  bool
}

const flashMap = `<memory-map><memory type="flash" start="0x08000000" length="0x10000"><property name="blocksize">0x4000</property></memory>
<memory type="flash" start="0x08010000" length="0x20000"><property name="blocksize">0x10000</property></memory>
<memory type="ram" start="0x20000000" length="0x1000"/><memory type="rom" start="0x1fff0000" length="0x1000"/></memory-map>`

func (s *flashStub) answer(request string) string {
	const base = 0x08000000
	var addr, size uint32
	switch {
	case s.refuse != "" && strings.HasPrefix(request, s.refuse):
		return "E0E"
	case strings.HasPrefix(request, "qSupported") && !s.noMap:
		return "PacketSize=400;qXfer:memory-map:read+"
	case strings.HasPrefix(request, "qXfer"):
		return document(request, "memory-map", "", flashMap)
	case strings.HasPrefix(request, "vFlashErase:"):
		s.log = append(s.log, request)
		if _, err := fmt.Sscanf(request, "vFlashErase:%x,%x", &addr, &size); err != nil {
			return "E01"
		}
		copy(s.flash[addr-base:], bytes.Repeat([]byte{0xff}, int(size)))
		return "OK"
	case strings.HasPrefix(request, "vFlashWrite:"):
		head, data, _ := strings.Cut(request[len("vFlashWrite:"):], ":")
		b, err := rsp.Unescape(data)
		if _, err2 := fmt.Sscanf(head, "%x", &addr); err != nil || err2 != nil {
			return "E01"
		}
		if !bytes.Equal(s.flash[addr-base:][:len(b)], bytes.Repeat([]byte{0xff}, len(b))) {
			return "E.memtype"
		}
		copy(s.flash[addr-base:], b)
		return "OK"
	case request == "vFlashDone":
		s.log = append(s.log, request)
		return "OK"
	}
	return s.ramStub.answer(request)
}

// pattern is data with bytes that are escaped.
func pattern(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i ^ i>>8)
	}
	return p
}

func TestLoad(t *testing.T) {
	t.Parallel()
	s := &flashStub{ramStub: ramStub{data: make([]byte, 0x1000), binary: true}, flash: make([]byte, 0x30000)}
	c, _ := answering(t, quick, s.answer)
	segments := []Segment{
		{Addr: 0x08000000, Data: pattern(0x200)}, {Addr: 0x08003f00, Data: pattern(0x200)}, // one sector and the next
		{Addr: 0x0800ff80, Data: pattern(0x100)}, // to the other region
		{Addr: 0x20000010, Data: pattern(5000 - 0x10 - 1000)}, {Addr: 0x20000000},
	}
	var last, total int
	err := c.Load(t.Context(), segments, func(done, all int) {
		if done <= last {
			t.Errorf("progress went from %d to %d", last, done)
		}
		last, total = done, all
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := 0x500 + 5000 - 0x10 - 1000; last != want || total != want {
		t.Errorf("progress ended at %d of %d, want %d", last, total, want)
	}
	want := []string{"vFlashErase:8000000,8000", "vFlashErase:800c000,4000", "vFlashErase:8010000,10000", "vFlashDone"}
	if diff := cmp.Diff(want, s.log); diff != "" {
		t.Errorf("packets (-want +got):\n%s", diff)
	}
	for _, seg := range segments {
		got := s.data
		if seg.Addr < 0x10000000 {
			got = s.flash[seg.Addr-0x08000000:]
		} else {
			got = got[seg.Addr-0x20000000:]
		}
		if !bytes.Equal(got[:len(seg.Data)], seg.Data) {
			t.Errorf("what was loaded at %v differs", seg.Addr)
		}
	}
}

// TestLoadRefusals changes nothing where the program does not fit, and says
// where it failed.
func TestLoadRefusals(t *testing.T) {
	t.Parallel()
	at := func(a core.Addr, n int) []Segment {
		return []Segment{{Addr: 0x08000000, Data: pattern(4)}, {Addr: a, Data: pattern(n)}}
	}
	tests := []struct {
		name     string
		segments []Segment
		refuse   string
		err      error
		log      int
	}{
		{name: "ROM", segments: at(0x1fff0000, 4), err: ErrNotWritable},
		{name: "outside", segments: at(0x30000000, 4), err: ErrNotWritable},
		{name: "across the end of RAM", segments: at(0x20000ffe, 4), err: ErrNotWritable},
		{name: "erase refused", segments: at(0x08004000, 4), refuse: "vFlashErase", err: ErrRefused},
		{name: "write refused", segments: at(0x08004000, 4), refuse: "vFlashWrite", err: ErrRefused, log: 1},
		{name: "done refused", segments: at(0x08004000, 4), refuse: "vFlashDone", err: ErrRefused, log: 1},
		{name: "map refused and RAM not there", segments: at(0x20000ff0, 64), refuse: "qXfer", err: ErrRefused},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &flashStub{ramStub: ramStub{data: make([]byte, 0x1000)}, flash: make([]byte, 0x30000), refuse: tt.refuse}
			c, _ := answering(t, quick, s.answer)
			if err := c.Load(t.Context(), tt.segments, nil); !errors.Is(err, tt.err) || err == nil {
				t.Errorf("got %v, want %v", err, tt.err)
			}
			if len(s.log) != tt.log {
				t.Errorf("packets %q", s.log)
			}
		})
	}
}

// TestLoadWithoutMap writes and reads back: a stub may say OK to a write to
// flash.
func TestLoadWithoutMap(t *testing.T) {
	t.Parallel()
	s := &ramStub{data: make([]byte, 64)}
	flash := false
	c, _ := answering(t, quick, func(request string) string {
		if flash && request[0] == 'M' {
			return "OK"
		}
		return s.answer(request)
	})
	program := []Segment{{Addr: 0x20000000, Data: []byte("program")}}
	if err := c.Load(t.Context(), program, nil); err != nil || string(s.data[:7]) != "program" {
		t.Errorf("%v, %q", err, s.data)
	}
	flash = true
	program[0].Data = []byte("another")
	if err := c.Load(t.Context(), program, nil); !errors.Is(err, ErrNotWritable) {
		t.Errorf("flash: %v", err)
	}
}

// TestFlashByHand erases and programs without a map.
func TestFlashByHand(t *testing.T) {
	t.Parallel()
	s := &flashStub{flash: make([]byte, 0x8000)}
	c, _ := answering(t, quick, s.answer)
	ctx := t.Context()
	if err := errors.Join(c.FlashErase(ctx, 0x08000000, 0x4000), c.FlashWrite(ctx, 0x08000100, pattern(2000)), c.FlashDone(ctx)); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(s.flash[0x100:][:2000], pattern(2000)) {
		t.Error("what was programmed differs")
	}
	err := c.FlashWrite(ctx, 0x08000100, pattern(4))
	if e, ok := errors.AsType[*PacketError](err); !ok || e.Text() != "memtype" {
		t.Errorf("twice: %v", err)
	}
	if text := packetError("Z0", "E01", ErrRefused).Text(); text != "" {
		t.Errorf("text of a number: %q", text)
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	got := join([]span{{8, 12}, {0, 4}, {4, 6}, {2, 5}, {12, 13}})
	if diff := cmp.Diff([]span{{0, 6}, {8, 13}}, got, cmp.AllowUnexported(span{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
