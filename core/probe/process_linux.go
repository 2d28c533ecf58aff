package probe

import "syscall"

// endWithParent has the kernel end the process when its parent's thread ends
// (prctl PR_SET_PDEATHSIG).
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
