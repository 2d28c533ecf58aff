package session

import (
	"testing"

	"pushmask/core"
)

// quietTarget is a live target whose memory from 0x40000000 on is of devices.
type quietTarget struct{ *fakeTarget }

func (quietTarget) Quiet(a core.Addr) bool { return a < 0x40000000 }

// TestQuiet reads nothing of a device unless it is asked for.
func TestQuiet(t *testing.T) {
	t.Parallel()
	target := oneThread(core.ProfileM, 0, nil)
	target.mem.AddBytes(0x3ffffe00, make([]byte, 0x400))
	s := openFake(t, nil, quietTarget{target})
	for _, tt := range []struct {
		addr    core.Addr
		size, n int
	}{
		{0x3ffffe80, 0x180, 0x180}, {0x3ffffe80, 0x200, 0x180}, {0x3fffffff, 2, 1}, {0x40000000, 4, 0}, {0x3ffffd00, 0x400, 0}, {0xffffffff, 4, 0},
	} {
		if n, err := s.quiet(s.Memory()).ReadAt(tt.addr, make([]byte, tt.size)); n != tt.n || (err == nil) != (tt.n == tt.size) {
			t.Errorf("%d bytes at %v: %d, %v; want %d", tt.size, tt.addr, n, err, tt.n)
		}
	}
	if _, err := core.ReadU32(s.Memory(), 0x40000000); err != nil || s.Readable(0x40000000) || !s.Readable(0x3fffffff) {
		t.Errorf("device memory: %v, readable %v", err, s.Readable(0x40000000))
	}
	for expr, want := range map[string]string{
		"(char *)0x40000000": "0x40000000", "(char *)0x3fffffff": `0x3fffffff ""`, "*(char *)0x40000000": "0 '\\000'",
	} {
		if v, err := s.Evaluate(t.Context(), expr, nil); err != nil || v.Text != want {
			t.Errorf("%s is %s, %v; want %s", expr, v.Text, err, want)
		}
	}
	if dump := openFake(t, nil, target); !dump.Readable(0x40000000) {
		t.Error("a dump may be read everywhere")
	}
}
