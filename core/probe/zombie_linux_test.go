package probe

import (
	"fmt"
	"os"
	"strings"
)

// isZombie reports whether a process has ended and nobody has noticed
// (proc(5), /proc/PID/stat).
func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}
