package probe

import (
	"errors"
	"os/exec"
	"runtime"
	"time"
)

// endTime is how long a server that was asked to end may take.
const endTime = 2 * time.Second

// drainTime is how long the output of a process is read after its end, while
// children of it keep it open.
const drainTime = 500 * time.Millisecond

// process is a process and those that it starts.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed after the process has ended and its output is read
	err  error         // how it ended, after done
}

// startProcess starts a command line in a group of its own, so that it can be
// ended with its children, and so that an interrupt from the terminal is not
// for it.
func startProcess(command []string, dir string, env []string, out *output) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, env
	stdout, stderr := out.stream(false), out.stream(true)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = drainTime
	ownGroup(cmd)
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// On Linux the process ends when the thread that started it does, so
		// that none outlives a crash of this program: the thread has to stay.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.err = cmd.Wait()
		if errors.Is(p.err, exec.ErrWaitDelay) { // it ended well, a child did not
			p.err = nil
		}
		killOrphans(cmd)
		stdout.flush()
		stderr.flush()
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// errEnded is the reason when a server ends although nobody asked it to.
var errEnded = errors.New("it ended before it was ready")

// ended returns how the process ended, after done.
func (p *process) ended() error {
	if p.err != nil {
		return errors.Join(errEnded, p.err)
	}
	return errEnded
}

// stop asks the group to end, ends it when it does not, and waits.
func (p *process) stop() {
	select {
	case <-p.done:
		return
	default:
	}
	askGroup(p.cmd)
	select {
	case <-p.done:
	case <-time.After(endTime):
		killGroup(p.cmd)
		<-p.done
	}
}
