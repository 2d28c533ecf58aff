package probe

import (
	"os/exec"
	"strconv"
	"syscall"
)

// ownGroup keeps the console's Ctrl+C from the command, and its window hidden.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP,
	}
}

// askGroup ends the command and its children at once: a program without a
// window cannot be asked.
func askGroup(cmd *exec.Cmd) { killGroup(cmd) }

// killOrphans does nothing: Windows does not know the children of a process that
// has ended, and its number may be another's by now.
func killOrphans(*exec.Cmd) {}

// killGroup ends the command and its children. That they are gone already is
// no error.
func killGroup(cmd *exec.Cmd) {
	kill := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid))
	kill.SysProcAttr = &syscall.SysProcAttr{HideWindow: true}
	if kill.Run() != nil {
		_ = cmd.Process.Kill()
	}
}
