package gdbremote

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// TestAccess reads and writes in one packet each, whatever the answer is.
func TestAccess(t *testing.T) {
	t.Parallel()
	c := play(t, quick, greeting("PacketSize=40;binary-upload+"), ask("m40000000,4", "01020304"), ask("m40000001,1", "E01"),
		ask("m40000004,4", "0102"), ask("m40000008,2", "zz"), ask("M40000000,2:0102", "OK"), ask("M40000002,1:03", "E01"))
	ctx := t.Context()
	p := make([]byte, 4)
	if err := c.ReadAccess(ctx, 0x40000000, p); err != nil || p[3] != 4 {
		t.Errorf("read % x, %v", p, err)
	}
	for _, tt := range []struct {
		addr core.Addr
		size int
		want error
	}{{0x40000001, 1, core.ErrNoMemory}, {0x40000004, 4, core.ErrNoMemory}, {0x40000008, 2, ErrMalformed}} {
		if err := c.ReadAccess(ctx, tt.addr, p[:tt.size]); !errors.Is(err, tt.want) {
			t.Errorf("read at %v: %v, want %v", tt.addr, err, tt.want)
		}
	}
	if err := c.WriteAccess(ctx, 0x40000000, []byte{1, 2}); err != nil {
		t.Error(err)
	}
	if err := c.WriteAccess(ctx, 0x40000002, []byte{3}); !errors.Is(err, ErrRefused) {
		t.Errorf("refused write: %v", err)
	}
}

// TestWritePhysical has QEMU take an address for a physical one, and others take
// it for what it is.
func TestWritePhysical(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"ENABLE=1": {"qqemu.sstepbits", "Qqemu.PhyMemMode:1", "M40000000,1:05", "Qqemu.PhyMemMode:0"},
		"":         {"qqemu.sstepbits", "M40000000,1:05"},
	} {
		c, seen := answering(t, quick, func(request string) string {
			switch request[0] {
			case 'M', 'Q':
				return "OK"
			case 'q':
				if request == "qqemu.sstepbits" {
					return name
				}
			}
			return ""
		})
		if err := c.WritePhysical(t.Context(), 0x40000000, []byte{5}); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, seen.take()); diff != "" {
			t.Errorf("packets (-want +got):\n%s", diff)
		}
	}
}
