package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options are about the start of a server, not about the server.
type Options struct {
	// Output gets every line that the server prints, one at a time. It may be
	// nil.
	Output func(Line)
	// Timeout bounds the time until the server is ready, 0 for
	// [DefaultTimeout].
	Timeout time.Duration
}

// DefaultTimeout is how long Cortex-Debug waits for a server: some ask the user
// to plug in a probe, or update its firmware first.
const DefaultTimeout = 10 * time.Minute

// Server is a GDB server that was started. Its goroutines: one waits for the
// end of the process; those of os/exec copy what it prints and end with it.
type Server struct {
	program *program
	command []string
	ports   Ports
	core    int
	out     *output
	process *process

	close sync.Once
}

// Start starts the server of a configuration and returns when it accepts
// connections. An error is a [*ConfigError] when the configuration cannot
// work, else a [*StartError]; no process is left then. ctx is for the start
// alone; the server runs until [Server.Close].
func Start(ctx context.Context, cfg Config, opts Options) (*Server, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	p := programs[cfg.Type]
	ready, err := cfg.readyPattern(p)
	if err != nil {
		return nil, err
	}
	if attribute, dir := cfg.folder(); dir != "" && !isDir(dir) {
		return nil, &ConfigError{cfg.Type, attribute, "is no folder: " + dir}
	}
	cores, core := 1, 0
	if p.perCore {
		cores, core = cfg.processors(), cfg.Processor
	}
	ports, err := reservePorts(p.ports, cores)
	if err != nil {
		return nil, &StartError{Name: p.name, Err: err}
	}
	s := &Server{program: p, ports: ports, core: core, out: newOutput(opts.Output, ready, p.fatal)}
	path, err := cfg.executable(p)
	dir := cfg.workDir(p, path)
	s.command = append([]string{path}, p.args(cfg, ports)...)
	if err != nil {
		releasePorts(ports)
		return nil, s.failed(err)
	}
	s.process, err = startProcess(s.command, dir, cfg.environ(), s.out)
	if err != nil {
		releasePorts(ports)
		return nil, s.failed(err)
	}
	timeout := opts.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	if err := s.awaitReady(ctx, ready != nil, timeout); err != nil {
		_ = s.Close() // the first error says why
		return nil, s.failed(err)
	}
	return s, nil
}

// The reasons when a server does not become ready and goes on.
var (
	errTimeout  = errors.New("it was not ready in time")
	errHopeless = errors.New("it cannot become ready")
)

// awaitReady waits until the server says that it is ready or, when it does not
// say so, accepts a connection.
func (s *Server) awaitReady(ctx context.Context, says bool, timeout time.Duration) error {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	const pause = 20 * time.Millisecond
	poll := time.NewTicker(pause)
	defer poll.Stop()
	for {
		select {
		case <-s.process.done:
			return s.process.ended()
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return fmt.Errorf("%w (%v)", errTimeout, timeout)
		case <-s.out.fatal.seen:
			return errHopeless
		case <-s.out.ready.seen:
			return s.settle(ctx)
		case <-poll.C:
			if !says && accepts(s.ports.GDB(s.core)) {
				return s.settle(ctx)
			}
		}
	}
}

// settle waits until the server does what it says, and finds out whether it is
// still there.
func (s *Server) settle(ctx context.Context) error {
	select {
	case <-s.process.done:
		return s.process.ended()
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(s.program.settle):
		return nil
	}
}

// failed makes the error of a server that did not start.
func (s *Server) failed(err error) error {
	lines := s.out.last()
	return &StartError{
		Name: s.program.name, Command: s.command, Lines: lines, Err: err,
		Hint: s.program.explain(err, lines),
	}
}

// Name returns the name of the server for people.
func (s *Server) Name() string { return s.program.name }

// Address returns where the GDB server of the chosen core listens, as
// "127.0.0.1:50000".
func (s *Server) Address() string {
	return net.JoinHostPort(loopback, strconv.Itoa(s.ports.GDB(s.core)))
}

// Ports returns all ports of the server.
func (s *Server) Ports() Ports { return s.ports }

// Command returns the command line, the path of the program first.
func (s *Server) Command() []string { return slices.Clone(s.command) }

// Done is closed when the process of the server has ended.
func (s *Server) Done() <-chan struct{} { return s.process.done }

// LastLines returns what the server printed last, for the message when it ends
// by itself.
func (s *Server) LastLines() []string { return s.out.last() }

// Close ends the server and every process that it started, and waits for their
// end. It returns how the server ended when it did so by itself, with an exit
// status that is not 0.
func (s *Server) Close() error {
	var err error
	s.close.Do(func() {
		select {
		case <-s.process.done:
			err = s.process.err
		default:
		}
		s.process.stop()
		releasePorts(s.ports)
	})
	return err
}

// readyPattern returns what tells that the server is ready, nil when its port
// has to be tried.
func (c Config) readyPattern(p *program) (*regexp.Regexp, error) {
	if c.StartedRegexp == "" {
		return p.ready, nil
	}
	re, err := regexp.Compile("(?i)" + c.StartedRegexp)
	if err != nil {
		return nil, &ConfigError{c.Type, "overrideGDBServerStartedRegex", "is no regular expression of Go: " + err.Error()}
	}
	return re, nil
}

// executable returns the path of the server's program.
func (c Config) executable(p *program) (string, error) {
	if c.Path != "" {
		path := c.Path
		if filepath.Base(path) != path {
			path = c.abs(path)
		}
		found, err := exec.LookPath(path)
		if err != nil {
			return path, err
		}
		return found, nil
	}
	if p.find != nil {
		if path := p.find(c); path != "" {
			return path, nil
		}
	}
	var first error
	for _, name := range p.executables {
		path, err := exec.LookPath(name)
		if err == nil {
			return path, nil
		}
		if first == nil {
			first = err
		}
	}
	return p.executables[0], first
}

// folder returns the folder that the configuration asks for, and by which
// attribute.
func (c Config) folder() (attribute, dir string) {
	if c.WorkDir != "" {
		return "serverCwd", c.abs(c.WorkDir)
	}
	return "cwd", c.Dir
}

// workDir returns the folder in which the server runs.
func (c Config) workDir(p *program, path string) string {
	if c.WorkDir == "" && p.ownDir && filepath.IsAbs(path) {
		return filepath.Dir(path)
	}
	_, dir := c.folder()
	return dir
}

// environ returns the environment of the server.
func (c Config) environ() []string {
	env := os.Environ()
	for name, value := range c.Env {
		if name != "" && !strings.ContainsAny(name, "=\x00") && !strings.ContainsRune(value, 0) {
			env = append(env, name+"="+value)
		}
	}
	return env
}
