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

func TestReadMemory(t *testing.T) {
	t.Parallel()
	c := play(t, quick, greeting("PacketSize=40"), // 30 bytes a packet
		ask("m20000000,1e", strings.Repeat("ab", 30)), ask("m2000001e,2", "cd"), ask("m2000001f,1", "ef"),
		ask("m0,4", "E01"), ask("m0,1", "E01"), ask("m8,4", "0102"), ask("ma,2", "E14"), ask("ma,1", "E14"),
		ask("m0,2", "010203"), ask("m0,2", "zz"), ask("mfffffffe,4", "0102"))
	ctx := t.Context()
	p := make([]byte, 32)
	if n, err := c.ReadMemory(ctx, 0x20000000, p); n != 32 || err != nil || p[29] != 0xab || p[30] != 0xcd || p[31] != 0xef {
		t.Errorf("read %d bytes % x, %v", n, p, err)
	}
	for _, tt := range []struct {
		addr, hole core.Addr
		n          int
	}{{0, 0, 0}, {8, 10, 2}} {
		n, err := c.ReadMemory(ctx, tt.addr, p[:4])
		hole, ok := errors.AsType[*core.ReadError](err)
		if n != tt.n || !ok || hole.Addr != tt.hole {
			t.Errorf("read at %v: %d bytes, %v; want %d and a hole at %v", tt.addr, n, err, tt.n, tt.hole)
		}
	}
	for range 2 {
		if _, err := c.ReadMemory(ctx, 0, p[:2]); !errors.Is(err, ErrMalformed) {
			t.Errorf("got %v", err)
		}
	}
	if n, err := c.ReadMemory(ctx, 0xfffffffe, p[:4]); n != 2 || !errors.Is(err, core.ErrNoMemory) {
		t.Errorf("across the top: %d, %v", n, err)
	}
}

// ramStub is a stub with memory from 0x20000000 on that refuses what is not
// within.
type ramStub struct {
	features string
	data     []byte
	binary   bool // takes X
}

func (s *ramStub) answer(request string) string {
	const base = 0x20000000
	var addr, size uint64
	letter := request[0]
	head, payload, _ := strings.Cut(request, ":")
	if _, err := fmt.Sscanf(head[1:], "%x,%x", &addr, &size); err != nil || !strings.ContainsRune("mxMX", rune(letter)) {
		if letter == 'q' {
			return s.features
		}
		return ""
	}
	if letter == 'X' && !s.binary {
		return ""
	}
	offset := addr - base
	if addr < base || offset+size > uint64(len(s.data)) {
		return "E01"
	}
	place := s.data[offset : offset+size]
	switch letter {
	case 'm':
		return fmt.Sprintf("%x", place)
	case 'x':
		return "b" + string(place)
	case 'M':
		var b []byte
		if _, err := fmt.Sscanf(payload, "%x", &b); err != nil {
			return "E02"
		}
		copy(place, b)
	case 'X':
		b, err := rsp.Unescape(payload)
		if err != nil || len(b) != len(place) {
			return "E03"
		}
		copy(place, b)
	}
	return "OK"
}

// TestHole finds the first byte that cannot be read, wherever it lies.
func TestHole(t *testing.T) {
	t.Parallel()
	for _, features := range []string{"PacketSize=40", "PacketSize=40;binary-upload+", "PacketSize=3fff"} {
		s := &ramStub{features: features, data: make([]byte, 101)}
		for i := range s.data {
			s.data[i] = byte(i)
		}
		c, _ := answering(t, quick, s.answer)
		for from := range 101 {
			p := make([]byte, 128)
			n, err := c.ReadMemory(t.Context(), core.Addr(0x20000000+from), p)
			hole, ok := errors.AsType[*core.ReadError](err)
			if n != 101-from || !ok || hole.Addr != 0x20000065 || !bytes.Equal(p[:n], s.data[from:]) {
				t.Fatalf("%s: from %d: %d bytes, %v", features, from, n, err)
			}
		}
	}
}

// TestBinaryRead has bytes that are escaped, and answers that are none.
func TestBinaryRead(t *testing.T) {
	t.Parallel()
	s := &ramStub{features: "PacketSize=200;binary-upload+", data: []byte("$#}*\x00\x03abcd")}
	c, seen := answering(t, quick, s.answer)
	p := make([]byte, 10)
	if n, err := c.ReadMemory(t.Context(), 0x20000000, p); n != 10 || err != nil || !bytes.Equal(p, s.data) {
		t.Errorf("read %q, %v", p[:n], err)
	}
	if diff := cmp.Diff([]string{"x20000000,a"}, seen.take()); diff != "" {
		t.Errorf("packets (-want +got):\n%s", diff)
	}
	for _, reply := range []string{"b", "babc", "b}", "0102", "q"} {
		c := play(t, quick, greeting("binary-upload+"), ask("x0,2", reply))
		if n, err := c.ReadMemory(t.Context(), 0, p[:2]); n != 0 || !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %d bytes, %v", reply, n, err)
		}
	}
}

func TestWriteMemory(t *testing.T) {
	t.Parallel()
	text := []byte("0123$#}*\x00\x03 a text with bytes that take two and is longer than a packet")
	for _, binary := range []bool{false, true} {
		for _, size := range []string{"PacketSize=40", "PacketSize=1000"} {
			s := &ramStub{features: size, data: make([]byte, 100), binary: binary}
			c, _ := answering(t, quick, s.answer)
			if err := c.WriteMemory(t.Context(), 0x20000004, text); err != nil {
				t.Errorf("binary %v, %s: %v", binary, size, err)
			}
			if !bytes.Equal(s.data[4:4+len(text)], text) {
				t.Errorf("binary %v, %s: wrote %q", binary, size, s.data)
			}
			err := c.WriteMemory(t.Context(), 0x20000050, text)
			if e, ok := errors.AsType[*WriteError](err); !ok || e.Addr < 0x20000050 || !errors.Is(err, ErrRefused) {
				t.Errorf("beyond the end: %v", err)
			}
		}
	}
}

// TestWritePackets asks for X once, and writes nothing for nothing.
func TestWritePackets(t *testing.T) {
	t.Parallel()
	s := &ramStub{data: make([]byte, 8), binary: true}
	c, seen := answering(t, quick, s.answer)
	for _, p := range [][]byte{nil, {1, '#'}, {2}} {
		if err := c.WriteMemory(t.Context(), 0x20000000, p); err != nil {
			t.Error(err)
		}
	}
	want := []string{"X20000000,0:", "X20000000,2:\x01}\x03", "X20000000,1:\x02"}
	if diff := cmp.Diff(want, seen.take()); diff != "" {
		t.Errorf("packets (-want +got):\n%s", diff)
	}
	if err := c.WriteMemory(t.Context(), 0xffffffff, []byte{1, 2}); !errors.Is(err, ErrRefused) {
		t.Errorf("at the top: %v", err)
	}
}

func TestMemoryMap(t *testing.T) {
	t.Parallel()
	// As st-util describes an STM32F4: sectors of three sizes.
	const stm32 = `<?xml version="1.0"?><!DOCTYPE memory-map PUBLIC "+//IDN gnu.org//DTD GDB Memory Map V1.0//EN" "http://sourceware.org/gdb/gdb-memory-map.dtd">
<memory-map>
  <memory type="ram" start="0x20000000" length="0x20000"/>
  <memory type="flash" start="0x08000000" length="0x10000"><property name="blocksize">0x4000</property></memory>
  <memory type="flash" start="0x08010000" length="0x10000"><property name="blocksize">0x10000</property></memory>
  <memory type="rom" start="0x1fff0000" length="0x7800"/>
  <memory type="ram" start="0xe0000000" length="0x100000000"/>
  <memory type="nvram" start="0x30000000" length="16"/>
  <memory type="ram" start="0x40000000" length="0"/>
  <memory type="ram" start="0x100000000" length="16"/>
</memory-map>`
	want := []MemoryRegion{
		{Kind: Flash, Addr: 0x08000000, Size: 0x10000, BlockSize: 0x4000},
		{Kind: Flash, Addr: 0x08010000, Size: 0x10000, BlockSize: 0x10000},
		{Kind: ROM, Addr: 0x1fff0000, Size: 0x7800},
		{Kind: RAM, Addr: 0x20000000, Size: 0x20000},
		{Kind: RAM, Addr: 0xe0000000, Size: 0x20000000},
	}
	c, _ := answering(t, quick, func(request string) string {
		if strings.HasPrefix(request, "qSupported") {
			return "PacketSize=100;qXfer:memory-map:read+"
		}
		return document(request, "memory-map", "", stm32)
	})
	got, err := c.MemoryMap(t.Context())
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if end := want[4].End(); end != 1<<32 {
		t.Errorf("end of the last: %#x", end)
	}
	for _, text := range []string{
		`<memory-map><memory type="ram" start="x" length="1"/>`, `<memory-map><memory type="ram" start="1"/>`,
		`<memory-map><memory type="flash" start="0" length="1"><property name="blocksize">?</property></memory>`,
		`<memory-map>`, `<`, "<m>" + strings.Repeat(`<memory type="ram" start="0" length="1"/>`, maxRegions+1) + "</m>",
	} {
		if got, err := parseMemoryMap(text); !errors.Is(err, ErrMalformed) {
			t.Errorf("%.60s: %d regions, %v", text, len(got), err)
		}
	}
	if k := Flash.String() + RAM.String() + ROM.String() + MemoryKind(9).String(); k != "flashramromkind 9" {
		t.Errorf("kinds are %q", k)
	}
}

// TestNoMemoryMap has a stub without one.
func TestNoMemoryMap(t *testing.T) {
	t.Parallel()
	c, seen := answering(t, quick, table(nil))
	if _, err := c.MemoryMap(t.Context()); !errors.Is(err, ErrUnsupported) || len(seen.take()) != 0 {
		t.Errorf("got %v", err)
	}
}

func FuzzMemoryMap(f *testing.F) {
	f.Add(`<memory-map><memory type="flash" start="0x08000000" length="0x10000"><property name="blocksize">0x4000</property></memory></memory-map>`)
	f.Add(`<memory-map><property name="blocksize">1</property><memory type="rom" start="4294967295" length="18446744073709551615"/></memory-map>`)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseMemoryMap(text)
		if err != nil {
			return
		}
		for i, r := range list {
			if r.Size == 0 || r.End() > 1<<32 || i > 0 && list[i-1].Addr > r.Addr {
				t.Errorf("region %d: %+v", i, r)
			}
		}
	})
}
