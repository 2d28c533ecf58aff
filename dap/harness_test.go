package dap

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"pushmask/dap/dapclient"
)

// startAdapter runs a session that setup may change before it serves. The
// session must end without error when the test does.
func startAdapter(t *testing.T, setup func(*adapter)) *dapclient.Client {
	t.Helper()
	c, done := dapclient.Start(func(rw io.ReadWriter) error {
		a := newAdapter(rw, Options{})
		if setup != nil {
			setup(a)
		}
		return a.serve(context.WithoutCancel(t.Context()), rw)
	})
	t.Cleanup(func() {
		c.Close()
		if err := <-done; err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("session ended: %v", err)
		}
	})
	return c
}

// fixture returns the absolute path of a file of testdata/firmware.
func fixture(t testing.TB, elem ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{"..", "testdata", "firmware"}, elem...)...))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func demoImage(t testing.TB) string { return fixture(t, "demo", "fw.elf") }
func demoCore(t testing.TB) string  { return fixture(t, "demo", "crash.core") }

// changedImage writes a copy of the demo's image with a section changed to
// other content of the same size.
func changedImage(t *testing.T, section string, change func([]byte) []byte) string {
	t.Helper()
	image := must(os.ReadFile(demoImage(t)))(t)
	s := must(elf.NewFile(bytes.NewReader(image)))(t).Section(section)
	content := image[s.Offset : s.Offset+s.FileSize]
	copy(content, change(content))
	path := filepath.Join(t.TempDir(), "fw.elf")
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// openDemo returns a client whose session shows the demo's crash.
func openDemo(t *testing.T) *dapclient.Client {
	t.Helper()
	c := startAdapter(t, nil)
	if _, err := c.Open(demoImage(t), demoCore(t)); err != nil {
		t.Fatal(err)
	}
	return c
}

// must ends the test on an error.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// wantError checks that err is an error response with the given id.
func wantError(t testing.TB, err error, id errorID) *dapclient.Error {
	t.Helper()
	e, ok := errors.AsType[*dapclient.Error](err)
	if !ok {
		t.Fatalf("error %v is no error response", err)
	}
	if e.ID != int(id) {
		t.Errorf("%s: error id %d (%s), want %d", e.Command, e.ID, e.Text, id)
	}
	return e
}
