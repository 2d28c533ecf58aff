package dap

import (
	"testing"

	"pushmask/core"
)

func TestUnwrapped(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		at, addr core.Addr
		steps    int
		want     string
	}{
		{0x100, 0x100, 0, "0x00000100"},
		{0xfe, 0x100, -1, "0x000000fe"},
		{0x104, 0x100, 1, "0x00000104"},
		{0xfffffffe, 0x0, -1, "-2"},
		{0xffffff3a, 0x100, -240, "-198"},
		{0xfffffffc, 0xfffffffe, -1, "0xfffffffc"},
		{0x0, 0xfffffffe, 1, "0x100000000"},
		{0x10, 0xfffffff0, 16, "0x100000010"},
	} {
		if got := unwrapped(tt.at, tt.addr, tt.steps); got != tt.want {
			t.Errorf("%v, %d places from %v: %s, want %s", tt.at, tt.steps, tt.addr, got, tt.want)
		}
	}
}
