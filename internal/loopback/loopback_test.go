package loopback

import (
	"errors"
	"testing"
)

func TestAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		addr   string
		remote bool
		want   string
		err    error
	}{
		{":4711", false, "127.0.0.1:4711", nil},
		{"127.0.0.1:0", false, "127.0.0.1:0", nil},
		{"[::1]:0", false, "[::1]:0", nil},
		{"localhost:1", false, "localhost:1", nil},
		{"0.0.0.0:4711", false, "", ErrNotLoopback},
		{"192.168.1.5:4711", false, "", ErrNotLoopback},
		{"example.com:4711", false, "", ErrNotLoopback},
		{":4711", true, ":4711", nil},
		{"0.0.0.0:4711", true, "0.0.0.0:4711", nil},
	} {
		got, err := Address(test.addr, test.remote)
		if got != test.want || !errors.Is(err, test.err) {
			t.Errorf("Address(%q, %v) = %q, %v; want %q, %v", test.addr, test.remote, got, err, test.want, test.err)
		}
	}
	if _, err := Address("4711", false); err == nil {
		t.Error("an address without a colon is accepted")
	}
}
