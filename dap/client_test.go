package dap

import (
	"testing"

	"github.com/google/go-dap"
)

func TestClientPositions(t *testing.T) {
	t.Parallel()
	one := newClient(&dap.InitializeRequestArguments{LinesStartAt1: true, ColumnsStartAt1: true})
	zero := newClient(&dap.InitializeRequestArguments{})
	for _, test := range []struct{ in, one, zero int }{{0, 0, 0}, {1, 1, 0}, {42, 42, 41}} {
		if got := one.line(test.in); got != test.one {
			t.Errorf("line %d for a client from 1: %d, want %d", test.in, got, test.one)
		}
		if got := zero.line(test.in); got != test.zero {
			t.Errorf("line %d for a client from 0: %d, want %d", test.in, got, test.zero)
		}
		if got := zero.column(test.in); got != test.zero {
			t.Errorf("column %d for a client from 0: %d, want %d", test.in, got, test.zero)
		}
	}
}

func TestClientPaths(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, uri, name string }{
		{"/home/me/src/main.c", "file:///home/me/src/main.c", "main.c"},
		{"/a b/ü#1.c", "file:///a%20b/%C3%BC%231.c", "ü#1.c"},
		{`C:\src\main.c`, "file:///C:/src/main.c", "main.c"},
	} {
		plain := newClient(&dap.InitializeRequestArguments{PathFormat: "path"})
		if got := plain.file(test.path); got.Path != test.path || got.Name != test.name {
			t.Errorf("path: %+v, want %q, %q", got, test.path, test.name)
		}
		uri := newClient(&dap.InitializeRequestArguments{PathFormat: "uri"})
		if got := uri.file(test.path); got.Path != test.uri || got.Name != test.name {
			t.Errorf("uri: %+v, want %q, %q", got, test.uri, test.name)
		}
	}
}

func TestClientMemoryReferences(t *testing.T) {
	t.Parallel()
	with := newClient(&dap.InitializeRequestArguments{SupportsMemoryReferences: true})
	if got := with.memoryReference("0x20000000"); got != "0x20000000" {
		t.Errorf("reference for a client that supports it: %q", got)
	}
	if got := (client{}).memoryReference("0x20000000"); got != "" {
		t.Errorf("reference for a client that does not: %q", got)
	}
}
