package gdbremote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ErrTarget is what errors.Is finds when a target is not of a form that
// [Dial] knows.
var ErrTarget = errors.New("no address of a GDB server")

// DialError is a connection that could not be made; its text says what to
// check.
type DialError struct {
	Target string
	Advice string // a sentence without its full stop
	Err    error
}

// Error implements error.
func (e *DialError) Error() string {
	return fmt.Sprintf("connect to %s: %s (%v)", e.Target, e.Advice, e.Err)
}

// Unwrap returns the reason.
func (e *DialError) Unwrap() error { return e.Err }

// endpoint is where a stub listens.
type endpoint struct {
	network string // "tcp", "unix" or "serial"
	address string
}

// Dial connects to a stub. target has the forms that gdb's "target remote"
// takes: "host:port", ":port" and "port" on this machine, "tcp:host:port",
// "[::1]:port", "unix:/path" or the path of a socket, and serial devices as
// "/dev/ttyACM0", "COM3" or "\\.\COM10". Errors are a [*DialError].
func Dial(ctx context.Context, target string, opt Options) (*Client, error) {
	e, err := parseTarget(target)
	if err != nil {
		return nil, err
	}
	var nc net.Conn
	if e.network == "serial" {
		nc, err = openSerial(e.address, opt.Baud)
	} else {
		timeout := opt.Timeout
		if timeout == 0 {
			timeout = defaultTimeout
		}
		d := net.Dialer{Timeout: timeout, KeepAlive: -1, KeepAliveConfig: keepAlive(opt.KeepAlive)}
		nc, err = d.DialContext(ctx, e.network, e.address)
	}
	if err != nil {
		return nil, &DialError{Target: target, Advice: advice(e, err), Err: err}
	}
	c, err := New(ctx, nc, opt)
	if err != nil {
		return nil, &DialError{Target: target, Advice: greetingAdvice(err), Err: err}
	}
	return c, nil
}

// greetingAdvice says what to check after something that listens did not greet
// as a stub does. QEMU and others let a second client wait without a word,
// OpenOCD closes; a telnet port echoes.
func greetingAdvice(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "given up"
	case errors.Is(err, ErrClosed):
		return "the server closed the connection at once, check what it prints and that no other debugger is connected"
	}
	return "what listens there does not answer as a GDB server does, check the port and that no other debugger is connected"
}

// keepAlive has a peer that is gone noticed after idle and four probes.
func keepAlive(idle time.Duration) net.KeepAliveConfig {
	const probes = 4
	if idle == 0 {
		idle = defaultKeepAlive
	}
	return net.KeepAliveConfig{Enable: idle > 0, Idle: idle, Interval: max(idle/3, time.Second), Count: probes}
}

// serialName are the names of serial devices: of Windows with and without the
// prefix that it needs from COM10 on, and paths in /dev.
var serialName = regexp.MustCompile(`^(?i:\\\\\.\\)?(?i:COM[0-9]{1,3})$|^/dev/`)

// parseTarget tells the forms of target.
func parseTarget(target string) (endpoint, error) {
	bad := func(advice string) (endpoint, error) {
		return endpoint{}, &DialError{Target: strconv.Quote(target), Advice: advice, Err: ErrTarget}
	}
	rest := strings.TrimSpace(target)
	switch {
	case rest == "":
		return bad("name a server as host:port, a socket as unix:/path, or a serial device")
	case strings.HasPrefix(rest, "|"):
		return bad("start the server yourself and name the port it listens on: commands are not run")
	case serialName.MatchString(rest):
		return endpoint{"serial", rest}, nil
	case strings.HasPrefix(rest, "unix:"):
		return endpoint{"unix", strings.TrimPrefix(rest, "unix:")}, nil
	case isSocket(rest):
		return endpoint{"unix", rest}, nil
	}
	for _, network := range []string{"tcp", "tcp4", "tcp6"} {
		if address, ok := strings.CutPrefix(rest, network+":"); ok {
			return tcpEndpoint(network, address, bad)
		}
	}
	if strings.HasPrefix(rest, "udp") {
		return bad("use tcp: packets over udp get lost")
	}
	return tcpEndpoint("tcp", rest, bad)
}

// tcpEndpoint reads host:port; the port is what stands behind the last colon,
// so that "::1:3333" is read as gdb does.
func tcpEndpoint(network, address string, bad func(string) (endpoint, error)) (endpoint, error) {
	host, port := "", address
	if i := strings.LastIndexByte(address, ':'); i >= 0 {
		host, port = address[:i], address[i+1:]
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return bad("the port, a number from 1 to 65535 behind a colon, is missing")
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if host == "" {
		host = "localhost"
	}
	return endpoint{network, net.JoinHostPort(host, strconv.FormatUint(n, 10))}, nil
}

func isSocket(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Type() == fs.ModeSocket
}

// advice says what to check after a connection could not be made.
func advice(e endpoint, err error) string {
	name, unknown := errors.AsType[*net.DNSError](err)
	timeout, timed := errors.AsType[net.Error](err)
	switch {
	case e.network == "serial":
		return serialAdvice(err)
	case errors.Is(err, context.Canceled):
		return "given up"
	case unknown:
		return fmt.Sprintf("no machine is known as %q, check its name", name.Name)
	case isAny(err, refusedErrors) && e.network == "unix":
		return "nothing listens on this socket, start the GDB server"
	case isAny(err, refusedErrors):
		return "nothing listens on this port, start the GDB server and check the port that it prints"
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such socket, start the GDB server"
	case errors.Is(err, fs.ErrPermission):
		return "no permission to use this socket"
	case errors.Is(err, context.DeadlineExceeded), timed && timeout.Timeout():
		return "no answer, check the address and that no firewall is in between"
	}
	return "check the address of the GDB server and the network"
}
