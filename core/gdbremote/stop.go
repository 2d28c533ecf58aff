package gdbremote

import (
	"cmp"
	"context"
	"encoding/hex"
	"strconv"
	"strings"

	"pushmask/core"
)

// How stubs differ in what they say of a stop:
//
//   - The register pairs of "T" are optional. pyOCD sends R7, SP, LR and PC
//     (context_facade.py, get_t_response); QEMU, OpenOCD, Black Magic Probe and
//     st-util send none.
//   - OpenOCD tells watch, rwatch and awatch, and a thread only with RTOS
//     support (gdb_signal_reply); breakpoints have no reason at all, SIGTRAP
//     stands for them and for steps.
//   - Black Magic Probe tells every watchpoint as "watch", and a target that is
//     lost as "X1D" (gdb_main.c); without a target it says "W00" to "?".
//   - An interrupted target stops with SIGINT, but for Renode, which says SIGTRAP
//     (GdbStub.cs, HaltReason.Pause).
//   - st-util answers "OK" to "?" in extended mode while nothing is attached
//     (gdb-server.c).

// StopKind tells why the target stopped.
type StopKind byte

// The kinds of stop (E.3, Stop Reply Packets).
const (
	StopSignal       StopKind = 'T' // halted; "S" reads as this too
	StopExited       StopKind = 'W' // the program ended
	StopTerminated   StopKind = 'X' // a signal ended the program
	StopThreadExited StopKind = 'w' // a thread ended
	StopNoThreads    StopKind = 'N' // no thread is left that could run
)

// StopReason tells what a stub says of a stop beside its signal.
type StopReason byte

// The reasons (E.3, "T").
const (
	ReasonNone               StopReason = iota // it says nothing
	ReasonSoftwareBreakpoint                   // swbreak
	ReasonHardwareBreakpoint                   // hwbreak
	ReasonWatch                                // a watched address was written
	ReasonReadWatch                            // read
	ReasonAccessWatch                          // read or written
	ReasonLibrary                              // the list of libraries changed
	ReasonFork                                 // fork, vfork and what belongs to them
	ReasonOther                                // one that is not in this list
)

// stopReasons are the names of "T" pairs that are reasons.
var stopReasons = map[string]StopReason{
	"swbreak": ReasonSoftwareBreakpoint, "hwbreak": ReasonHardwareBreakpoint,
	"watch": ReasonWatch, "rwatch": ReasonReadWatch, "awatch": ReasonAccessWatch,
	"library": ReasonLibrary,
	"fork":    ReasonFork, "vfork": ReasonFork, "vforkdone": ReasonFork, "exec": ReasonFork, "clone": ReasonFork,
	"syscall_entry": ReasonOther, "syscall_return": ReasonOther, "replaylog": ReasonOther, "create": ReasonOther,
}

// Stop is a stop reply.
type Stop struct {
	Kind StopKind
	// Code is the signal number of gdb (E.3: 2 SIGINT, 5 SIGTRAP, 11 SIGSEGV),
	// the exit status for StopExited and StopThreadExited.
	Code int
	// Thread is the stub's name of the thread, "" when it names none.
	Thread string
	Reason StopReason
	// Address is what was accessed, of the Reason*Watch.
	Address core.Addr
	// Registers are those that the stub sent along; others are unknown.
	Registers core.Regs
	// Interrupted says that the client had told the target to stop. It may have
	// stopped for another reason all the same, which only Reason can tell.
	Interrupted bool
}

// Halted asks why the target is halted. A stub that is attached to nothing
// says StopExited.
func (c *Client) Halted(ctx context.Context) (Stop, error) {
	end, err := c.begin(ctx)
	if err != nil {
		return Stop{}, packetError("?", "", err)
	}
	defer end()
	return c.stopAfter(ctx, "?")
}

// stopAfter sends a request that a halted target answers with its stop.
func (c *Client) stopAfter(ctx context.Context, packet string) (Stop, error) {
	reply, err := c.conn.exchange(ctx, packet)
	if err != nil {
		return Stop{}, err
	}
	return c.stopped(packet, reply)
}

// stopped reads a stop reply and keeps what it tells for later exchanges: the
// thread that stopped is the one that the stub has selected then.
func (c *Client) stopped(packet, reply string) (Stop, error) {
	s, err := parseStop(packet, reply, func(thread string) *layout {
		l, _ := c.layoutOf(thread)
		return l
	})
	clear(c.selected)
	c.current = anyThread
	if err != nil || s.Thread == "" || s.Kind == StopThreadExited {
		return s, err
	}
	c.selected['g'], c.current = s.Thread, s.Thread
	if p, ok := process(s.Thread); ok {
		c.attached[p] = true
		c.home = cmp.Or(c.home, p)
	}
	return s, nil
}

// parseStop reads the answer to a packet that ends in a stop. layoutOf gives
// the registers of a thread, nil where they are not known.
func parseStop(packet, reply string, layoutOf func(thread string) *layout) (Stop, error) {
	if err := replyError(packet, reply); err != nil {
		return Stop{}, err
	}
	malformed := packetError(packet, reply, ErrMalformed)
	s := Stop{Kind: StopKind(reply[0])}
	switch s.Kind {
	case StopNoThreads:
		return s, nil
	case StopThreadExited:
		return parseThreadExit(s, reply, malformed)
	case 'S':
		s.Kind = StopSignal
	case StopSignal, StopExited, StopTerminated:
	default:
		return Stop{}, malformed
	}
	if len(reply) < 3 {
		return Stop{}, malformed
	}
	code, err := strconv.ParseUint(reply[1:3], 16, 8)
	if err != nil {
		return Stop{}, malformed
	}
	s.Code = int(code)
	if s.Kind != StopSignal {
		return s, nil
	}
	var numbered [][2]string // registers; the thread may stand behind them
	for pair := range strings.SplitSeq(reply[3:], ";") {
		name, value, ok := strings.Cut(pair, ":")
		if ok && !s.pair(name, value) {
			numbered = append(numbered, [2]string{name, value})
		}
	}
	if l := layoutOf(s.Thread); l != nil {
		for _, r := range numbered {
			if n, err := strconv.ParseUint(r[0], 16, 16); err == nil {
				l.setNumbered(&s.Registers, int(n), r[1])
			}
		}
	}
	return s, nil
}

// parseThreadExit reads "w", the status and the thread.
func parseThreadExit(s Stop, reply string, malformed error) (Stop, error) {
	code, thread, _ := strings.Cut(reply[1:], ";")
	n, err := strconv.ParseUint(code, 16, 32)
	id, ok := threadID(thread)
	if err != nil || !ok {
		return Stop{}, malformed
	}
	s.Code, s.Thread = int(n), id
	return s, nil
}

// pair reads "name:value" and reports whether that is something else than a
// register. What cannot be read is left out: the target has stopped all the
// same.
func (s *Stop) pair(name, value string) bool {
	if name == "thread" {
		if id, ok := threadID(value); ok {
			s.Thread = id
		}
		return true
	}
	r, ok := stopReasons[name]
	if !ok {
		return false
	}
	s.Reason = r
	if r == ReasonWatch || r == ReasonReadWatch || r == ReasonAccessWatch {
		a, err := strconv.ParseUint(value, 16, 32)
		if err != nil {
			s.Reason = ReasonOther
			return true
		}
		s.Address = core.Addr(a)
	}
	return true
}

// printed passes output on, "O" and hexadecimal text (E.3), and reports
// whether that is what the packet is. No answer to a request begins with "O"
// but OK.
func printed(payload []byte, console func([]byte)) bool {
	if len(payload) == 0 || payload[0] != 'O' || string(payload) == "OK" {
		return false
	}
	if text, err := hex.DecodeString(string(payload[1:])); err == nil {
		console(text)
	}
	return true
}

// isStop tells a stop reply with a code from other packets.
func isStop(payload []byte) bool {
	if len(payload) < 3 || strings.IndexByte("TSWX", payload[0]) < 0 {
		return false
	}
	if _, err := strconv.ParseUint(string(payload[1:3]), 16, 8); err != nil {
		return false
	}
	return len(payload) == 3 || payload[0] == byte(StopSignal) || payload[3] == ';'
}
