package probe

import (
	"errors"
	"net"
	"os"
	"strconv"
	"sync"
	"time"
)

// loopback is where servers listen: nobody else on the network is to halt a
// machine.
const loopback = "127.0.0.1"

// portName is what a port is for.
type portName string

// The ports of servers, named as in Cortex-Debug.
const (
	gdbPort    portName = "gdbPort"
	telnetPort portName = "consolePort"
	tclPort    portName = "tclPort"
	swoPort    portName = "swoPort"
	gapPort1   portName = "gap1" // ST-LINK_gdbserver opens four
	gapPort2   portName = "gap2"
)

// Ports are the TCP ports of a server, one for each core.
type Ports map[portName][]int

func (p Ports) first(name portName) int {
	if len(p[name]) == 0 {
		return 0
	}
	return p[name][0]
}

// all returns every port.
func (p Ports) all() []int {
	var out []int
	for _, list := range p {
		out = append(out, list...)
	}
	return out
}

// GDB returns the port of the GDB server of a core, 0 when there is none.
func (p Ports) GDB(core int) int {
	if core < 0 || core >= len(p[gdbPort]) {
		return 0
	}
	return p[gdbPort][core]
}

// The range in which Cortex-Debug looks for ports.
const (
	firstPort = 50000
	lastPort  = 52000
)

// ErrNoPorts is the error when no ports are free.
var ErrNoPorts = errors.New("no free TCP ports from " + strconv.Itoa(firstPort) + " to " + strconv.Itoa(lastPort))

// reserved are the ports of the servers of this process. A server that is
// starting does not listen yet.
var reserved = struct {
	sync.Mutex
	ports map[int]bool
}{ports: map[int]bool{}}

// reservePorts finds free ports with consecutive numbers: first one of each
// core for the first name, then for the next, since servers count up from the
// first port of a kind.
func reservePorts(wanted []portName, cores int) (Ports, error) {
	count := len(wanted) * cores
	reserved.Lock()
	defer reserved.Unlock()
	base, ok := freeRange(searchFrom, count)
	if !ok {
		if base, ok = freeRange(firstPort, count); !ok {
			return nil, ErrNoPorts
		}
	}
	ports := Ports{}
	for i, name := range wanted {
		for core := range cores {
			port := base + i*cores + core
			ports[name] = append(ports[name], port)
			reserved.ports[port] = true
		}
	}
	return ports, nil
}

// searchFrom is where this process looks first: another one that starts a server
// at the same time looks elsewhere, for a server that is starting does not listen
// yet.
var searchFrom = firstPort + os.Getpid()%100*10

// freeRange returns the first of count ports from a port on that are free.
func freeRange(from, count int) (base int, ok bool) {
	for base := from; base+count-1 <= lastPort; {
		taken := takenPort(base, count)
		if taken < 0 {
			return base, true
		}
		base = taken + 1
	}
	return 0, false
}

// releasePorts makes ports available again.
func releasePorts(p Ports) {
	reserved.Lock()
	defer reserved.Unlock()
	for _, port := range p.all() {
		delete(reserved.ports, port)
	}
}

// takenPort returns the last port of count from base on that somebody uses, -1
// when all are free.
func takenPort(base, count int) int {
	for port := base + count - 1; port >= base; port-- {
		if reserved.ports[port] || !isFree(port) {
			return port
		}
	}
	return -1
}

// isFree reports whether servers can listen at port, on loopback and on all
// interfaces, since not every server can be told which.
func isFree(port int) bool {
	for _, host := range []string{loopback, "", "::1"} {
		if host == "::1" && !hasIPv6() {
			continue
		}
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			return false
		}
		_ = l.Close() // nothing was accepted
	}
	return true
}

// hasIPv6 reports whether the machine has the IPv6 loopback address.
var hasIPv6 = sync.OnceValue(func() bool {
	l, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		return false
	}
	return l.Close() == nil
})

// accepts reports whether something accepts connections at a port.
func accepts(port int) bool {
	const longest = time.Second // a port of this machine answers at once
	conn, err := net.DialTimeout("tcp", net.JoinHostPort(loopback, strconv.Itoa(port)), longest)
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was sent
	return true
}
