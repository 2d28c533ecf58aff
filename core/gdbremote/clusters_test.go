package gdbremote

import (
	"testing"

	"pushmask/core/coretest/qemu"
)

// TestClusters attaches to all cores of a machine, whose first core is the one
// that stopped all the same.
func TestClusters(t *testing.T) {
	t.Parallel()
	for machine, want := range map[string]int{"mps2-an521": 1, "mps2-an505": 0} {
		c, _ := attach(t, qemu.Config{Machine: machine, ELF: "m33-two"}, Options{})
		ctx := t.Context()
		if _, err := c.Threads(ctx); err != nil {
			t.Fatal(err)
		}
		if n, err := c.AttachClusters(ctx); err != nil || n != want {
			t.Errorf("%s: %d further clusters, %v; want %d", machine, n, err, want)
		}
		list, err := c.Threads(ctx)
		if err != nil || len(list) != want+1 {
			t.Fatalf("%s: threads %+v, %v", machine, list, err)
		}
		regs, err := c.Registers(ctx)
		if err != nil {
			t.Fatal(err)
		}
		first, err := c.RegistersOf(ctx, list[0].ID)
		if err != nil || regs != first {
			t.Errorf("%s: the first core did not stay the one that stopped, %v", machine, err)
		}
	}
}
