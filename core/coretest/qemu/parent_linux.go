package qemu

import (
	"os/exec"
	"syscall"
)

// endWithParent has the kernel end QEMU when the thread that started it ends
// (prctl PR_SET_PDEATHSIG): a test binary that is killed, as one that takes too
// long is, runs no cleanup.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
