package inspect_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pushmask/core"
)

// recorder is a target that can be changed, and records how.
type recorder struct{ changes []string }

func (r *recorder) WriteMemory(a core.Addr, data []byte) error {
	r.changes = append(r.changes, fmt.Sprintf("%v: % x", a, data))
	return nil
}

func (r *recorder) WriteRegister(reg core.Reg, v uint32) error {
	r.changes = append(r.changes, fmt.Sprintf("%v = 0x%x", reg, v))
	return nil
}

// TestAssign changes memory and registers of a target that allows it.
func TestAssign(t *testing.T) {
	t.Parallel()
	s := openDemo(t)
	tests := []struct{ expr, want string }{
		{"accepted = 3", "0x20000078: 03 00 00 00"},
		{"accepted += 2", "0x20000078: 03 00 00 00"},
		{"++accepted", "0x20000078: 02 00 00 00"},
		{"sensors[1].offset = -1", "0x2000001c: 00 00 80 bf"},
		{"sensors[0].gain = sensors[1].gain * 2", "0x20000008: 82 e2 47 3d"},
		{"last_result = PACKET_OK", "00"},
		{"*(short *)0x20000002 = 0x1234", "0x20000002: 34 12"},
		{"$r0 = 5", "r0 = 0x5"},
		{"$pc = &main", "pc = 0x1dc"},
		{"sensors[2] = sensors[1]", "0x20000020: b8 04 00 00 44 00 00 20 82 e2 c7 3c 00 00 00 00"},
	}
	for _, tt := range tests {
		f, err := s.InspectFrame(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		r := &recorder{}
		f.Writer = r
		if _, err := s.Inspect().Evaluate(f, tt.expr); err != nil {
			t.Errorf("%s: %v", tt.expr, err)
		}
		if got := strings.Join(r.changes, ", "); !strings.HasSuffix(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.expr, got, tt.want)
		}
	}
	for expr, want := range map[string]string{
		"accepted = 1": "nothing can be changed in a dump",
	} {
		if _, err := s.Evaluate(context.Background(), expr, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", expr, err, want)
		}
	}
	f, err := s.InspectFrame(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	f.Writer = &recorder{}
	for expr, want := range map[string]string{
		"1 = 2":             "no place",
		"&accepted = 0":     "no place",
		"accepted + 1 = 0":  "no place",
		"sensors = 1":       "not of the size",
		"sensors[0] = 1":    "not of the size",
		"accepted = nobody": "no symbol",
	} {
		_, err := s.Inspect().Evaluate(f, expr)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", expr, err, want)
		}
	}
}
