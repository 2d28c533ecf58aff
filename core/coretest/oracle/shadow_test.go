package oracle

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Exception numbers (Armv7-M ARM B1.5.2).
const sysTick, pendSV = 15, 14

// thumbProgram is a program of halfwords at 0x1000 with two functions: outer
// up to 0x1040, and the rest under the given name.
func thumbProgram(second string, code map[uint32][]uint16) *program {
	data := make([]byte, 0x80)
	for a, halves := range code {
		for i, h := range halves {
			binary.LittleEndian.PutUint16(data[int(a)-0x1000+2*i:], h)
		}
	}
	return &program{
		segments:  []segment{{0x1000, data}},
		functions: []function{{"outer", 0x1000, 0x1040}, {second, 0x1040, 0x1080}},
	}
}

// at is a state in thread mode.
func at(pc, sp, lr uint32) state { return state{pc: pc, sp: sp, lr: lr} }

// in is a state in a handler.
func in(number, pc, sp, lr uint32) state { return state{pc: pc, sp: sp, lr: lr, psr: number} }

var (
	bl    = []uint16{0xf000, 0xf800}
	bxLR  = []uint16{0x4770}
	popPC = []uint16{0xbd00}
	movPC = []uint16{0x469f} // mov pc, r3
)

func TestShadow(t *testing.T) {
	t.Parallel()
	const top = 0x20001000
	tests := []struct {
		name   string
		second string
		code   map[uint32][]uint16
		path   []state
		v6m    bool
		want   []uint32 // return addresses, oldest first
		skip   int
	}{
		{
			name: "call", code: map[uint32][]uint16{0x1010: bl},
			path: []state{at(0x1010, top, 0), at(0x1040, top, 0x1015)}, want: []uint32{0x1014},
		},
		{
			name: "call and return", code: map[uint32][]uint16{0x1010: bl, 0x1040: bxLR},
			path: []state{at(0x1010, top, 0), at(0x1040, top, 0x1015), at(0x1014, top, 0x1015)},
		},
		{
			name: "jump to a return address by a branch is none", code: map[uint32][]uint16{0x1010: bl, 0x1040: {0xe7e8}},
			path: []state{at(0x1010, top, 0), at(0x1040, top, 0x1015), at(0x1014, top, 0x1015)}, want: []uint32{0x1014},
		},
		{
			name: "recursion returns by SP", code: map[uint32][]uint16{0x1010: bl, 0x1044: bl, 0x1050: popPC},
			path: []state{
				at(0x1010, top, 0), at(0x1040, top, 0x1015), at(0x1044, top-8, 0x1015), at(0x1040, top-8, 0x1049),
				at(0x1044, top-16, 0x1049), at(0x1040, top-16, 0x1049), at(0x1050, top-24, 0x1049), at(0x1048, top-16, 0x1049),
			},
			want: []uint32{0x1014, 0x1048},
		},
		{
			name: "far branch of v6-M", v6m: true, code: map[uint32][]uint16{0x1010: bl, 0x1044: bl, 0x1060: popPC},
			path: []state{
				at(0x1010, top, 0), at(0x1040, top, 0x1015), at(0x1044, top-8, 0x1015), at(0x1060, top-8, 0x1049), at(0x1014, top, 0x1049),
			},
		},
		{
			name: "two local subroutines, LR of the first in a register", v6m: true, code: map[uint32][]uint16{0x1010: bl, 0x1020: bl, 0x1030: bxLR},
			path: []state{at(0x1010, top, 0), at(0x1020, top, 0x1015), at(0x1030, top, 0x1025), at(0x1024, top, 0x1025)},
			want: []uint32{0x1014},
		},
		{
			name: "far branches around a loop", v6m: true, code: map[uint32][]uint16{0x1010: bl},
			path: []state{at(0x1010, top, 0), at(0x1008, top, 0x1015), at(0x1010, top, 0x1015), at(0x1008, top, 0x1015)},
			want: []uint32{0x1014},
		},
		{
			name: "LR by hand is a call", code: map[uint32][]uint16{0x1010: bl, 0x1046: {0x4718}},
			path: []state{at(0x1010, top, 0), at(0x1042, top, 0x1015), at(0x1044, top-8, 0x1015), at(0x1046, top-8, 0x1051), at(0x1000, top-8, 0x1051)},
			want: []uint32{0x1014, 0x1050},
		},
		{
			name: "a tail call behind pop {lr} is none", code: map[uint32][]uint16{0x1010: bl, 0x1046: {0x4718}},
			path: []state{at(0x1010, top, 0), at(0x1042, top, 0x1015), at(0x1044, top-8, 0x1051), at(0x1046, top, 0x1015), at(0x1000, top, 0x1015)},
			want: []uint32{0x1014},
		},
		{
			name: "switch helper goes on in the table", second: "__gnu_thumb1_case_uqi", code: map[uint32][]uint16{0x1010: bl, 0x1040: bxLR},
			path: []state{at(0x1010, top, 0), at(0x1040, top, 0x1015), at(0x1020, top, 0x1021)},
		},
		{
			name: "longjmp drops by SP", second: "longjmp", code: map[uint32][]uint16{0x1010: bl, 0x1020: bl, 0x1040: bxLR},
			path: []state{
				at(0x1010, top-64, 0), at(0x1008, top-64, 0x1015), at(0x1020, top-128, 0x1015), at(0x1040, top-128, 0x1025), at(0x1004, top-64, 0x1005),
			},
		},
		{
			name: "frames that vanish are counted", code: map[uint32][]uint16{0x1010: bl, 0x1044: bl, 0x1004: popPC},
			path: []state{
				at(0x1010, top, 0), at(0x1040, top, 0x1015), at(0x1044, top-8, 0x1015), at(0x1000, top-8, 0x1049),
				at(0x1004, top-8, 0x1049), at(0x1014, top, 0x1049),
			},
			skip: 1,
		},
		{
			name: "table jump over v6-M's branch", v6m: true, code: map[uint32][]uint16{0x1044: bl, 0x1060: movPC},
			path: []state{at(0x1044, top, 0), at(0x1060, top, 0x1049), at(0x1048, top, 0x1049)},
			want: []uint32{0x1048},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := shadow{prog: thumbProgram(tt.second, tt.code), farBranches: tt.v6m}
			follow(t, &s, tt.path, nil)
			if diff := cmp.Diff(tt.want, returns(&s)); diff != "" || s.skipped != tt.skip {
				t.Errorf("frames (-want +got):\n%sskipped %d, want %d", diff, s.skipped, tt.skip)
			}
		})
	}
}

// TestShadowExceptions takes SysTick in the middle of a function, chains
// PendSV to it and comes back.
func TestShadowExceptions(t *testing.T) {
	t.Parallel()
	const top = 0x20001000
	read := func(addr uint32, p []byte) error {
		if addr != top-0x20 {
			t.Errorf("hardware frame read at %#x", addr)
		}
		binary.LittleEndian.PutUint32(p[20:], 0x1015) // lr
		binary.LittleEndian.PutUint32(p[24:], 0x1050) // pc
		return nil
	}
	s := shadow{prog: thumbProgram("handler", map[uint32][]uint16{0x1010: bl, 0x1042: bxLR})}
	path := []state{at(0x1010, top, 0), at(0x1050, top, 0x1015), in(sysTick, 0x1040, top-0x20, 0xfffffff9), in(sysTick, 0x1042, top-0x20, 0xfffffff9)}
	follow(t, &s, path, read)
	if diff := cmp.Diff([]uint32{0x1014, 0x1050}, returns(&s)); diff != "" {
		t.Errorf("in the handler (-want +got):\n%s", diff)
	}
	follow(t, &s, []state{path[3], in(pendSV, 0x1042, top-0x20, 0xfffffff9)}, read)
	if diff := cmp.Diff([]uint32{0x1014, 0x1050}, returns(&s)); diff != "" {
		t.Errorf("tail-chained (-want +got):\n%s", diff)
	}
	follow(t, &s, []state{in(pendSV, 0x1042, top-0x20, 0xfffffff9), at(0x1050, top, 0x1015)}, read)
	if diff := cmp.Diff([]uint32{0x1014}, returns(&s)); diff != "" {
		t.Errorf("after the return (-want +got):\n%s", diff)
	}
}

// TestShadowPointerCall calls a pointer by a bl to a bx of the same function:
// the frame is certain once another function is entered.
func TestShadowPointerCall(t *testing.T) {
	t.Parallel()
	const top = 0x20001000
	s := shadow{prog: thumbProgram("callee", map[uint32][]uint16{0x1010: bl, 0x1020: {0x4718}}), farBranches: true}
	path := []state{at(0x1010, top, 0), at(0x1020, top, 0x1015), at(0x1040, top, 0x1015)}
	follow(t, &s, path[:2], nil)
	if got := s.frames[0].certainty; got != open {
		t.Errorf("in the caller's bx: certainty %v, want open", got)
	}
	follow(t, &s, path[1:], nil)
	if got := s.frames[0].certainty; got != certain {
		t.Errorf("in the callee: certainty %v, want certain", got)
	}
}

// TestShadowUnwinding leaves out where longjmp has loaded registers, in
// longjmp and in handlers that interrupt it.
func TestShadowUnwinding(t *testing.T) {
	t.Parallel()
	const top = 0x20001000
	call := &activation{ret: 0x1014, sp: top}
	interrupt := func(pc, sp, lr uint32) *activation {
		return &activation{ret: pc, sp: sp, exception: &entry{lr: lr}}
	}
	tests := []struct {
		name   string
		frames []*activation
		at     state
		want   bool
	}{
		{"nothing loaded yet", []*activation{call}, at(0x1044, top, 0x1015), false},
		{"LR loaded", []*activation{call}, at(0x1044, top, 0x1009), true},
		{"SP loaded", []*activation{call}, at(0x1044, top+64, 0x1015), true},
		{"not in longjmp", []*activation{call}, at(0x1004, top, 0x1009), false},
		{"interrupted before", []*activation{call, interrupt(0x1044, top, 0x1015)}, at(0x1004, top-32, 0), false},
		{"interrupted half-way", []*activation{call, interrupt(0x1044, top, 0x1009)}, at(0x1004, top-32, 0), true},
		{"below a handler's calls", []*activation{call, interrupt(0x1044, top, 0x1009), {ret: 0x1008, sp: top - 40}}, at(0x1004, top-48, 0), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := shadow{prog: thumbProgram("longjmp", nil), frames: tt.frames}
			if got := s.unwinding(tt.at); got != tt.want {
				t.Errorf("unwinding is %v, want %v", got, tt.want)
			}
		})
	}
}

// TestShadowARMv4 calls by "mov lr, pc; bx r3".
func TestShadowARMv4(t *testing.T) {
	t.Parallel()
	p := thumbProgram("callee", map[uint32][]uint16{0x1010: {0xe00f, 0xe1a0}, 0x1014: {0xff13, 0xe12f}})
	p.arm = true
	s := shadow{prog: p}
	follow(t, &s, []state{at(0x1010, 0x20001000, 0), at(0x1014, 0x20001000, 0x1018), at(0x1040, 0x20001000, 0x1018)}, nil)
	if diff := cmp.Diff([]uint32{0x1018}, returns(&s)); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
}

func follow(t *testing.T, s *shadow, path []state, read reader) {
	t.Helper()
	for i := range path[1:] {
		if err := s.step(path[i], path[i+1], read); err != nil {
			t.Fatal(err)
		}
	}
}

func returns(s *shadow) []uint32 {
	var list []uint32
	for _, f := range s.frames {
		list = append(list, f.ret)
	}
	return list
}
