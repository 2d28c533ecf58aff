package dap

import (
	"io"
	"testing"

	"pushmask/dap/dapclient"
)

// BenchmarkFirstStack measures a session from its start to the first frames,
// as an editor asks for them.
func BenchmarkFirstStack(b *testing.B) {
	image, core := demoImage(b), demoCore(b)
	for b.Loop() {
		c, done := dapclient.Start(func(rw io.ReadWriter) error { return Serve(b.Context(), rw, Options{}) })
		stopped := must(c.Open(image, core))(b)
		must(c.StackTrace(stopped.ThreadId, 0, 20))(b)
		if err := c.Disconnect(); err != nil {
			b.Fatal(err)
		}
		if err := <-done; err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}
