//go:build unix

package session

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"pushmask/core/dump"
)

// TestPipe gives a named pipe that nobody writes to for a file: no waiting.
func TestPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenProgram(context.Background(), Config{Image: pipe}); !errors.Is(err, dump.ErrNotRegular) {
		t.Errorf("image: %v, want %v", err, dump.ErrNotRegular)
	}
	if _, err := openDemo(t, Config{}).OpenDump(context.Background(), pipe, DumpOptions{}); !errors.Is(err, dump.ErrNotRegular) {
		t.Errorf("dump: %v, want %v", err, dump.ErrNotRegular)
	}
}
