//go:build unix

package probe

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

// TestChildren expects the children of a server to end with it, and a server
// that ignores the request to be ended.
func TestChildren(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"parent", "stubborn"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			var got lines
			s := start(t, fake(t, OpenOCD, mode, openOCDReady), Options{Output: got.add})
			pids := []int{s.process.cmd.Process.Pid}
			for _, l := range got.text() {
				var pid int
				if n, _ := fmt.Sscanf(l, "child %d", &pid); n == 1 {
					pids = append(pids, pid)
				}
			}
			if mode == "parent" && len(pids) != 2 {
				t.Fatalf("no child in %q", got.text())
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			for _, pid := range pids {
				awaitEnd(t, pid)
			}
		})
	}
}

// awaitEnd waits until there is no process of the number. An orphan is there
// until the first process of the machine has taken note of its end.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	for range 500 {
		if syscall.Kill(pid, 0) == syscall.ESRCH || isZombie(pid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d is still there", pid)
}
