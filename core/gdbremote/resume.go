package gdbremote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"pushmask/core"
	"pushmask/core/gdbremote/rsp"
)

// How stubs differ in running a target:
//
//   - QEMU, OpenOCD, pyOCD and probe-rs have vCont, Renode on machines of several
//     cores; Black Magic Probe and st-util have "c" and "s" alone. QEMU and
//     OpenOCD have no range stepping, pyOCD has (vCont;c;C;s;S;r;t in
//     gdbserver.py).
//   - OpenOCD reads the first action of vCont and, of a step, whether "c"
//     follows (gdb_handle_vcont_packet); with its RTOS support it fakes a step
//     of a thread that does not run: it answers at once and nothing moved.
//   - QEMU masks interrupts and timers while it steps unless it is told not to
//     (Qqemu.sstep=1, through [Client.Exchange]).
//   - A byte that arrives while the target runs stops it in QEMU, whatever it
//     is; Black Magic Probe listens for 0x03 and 0x04 alone. No request is sent
//     before the stop reply, whatever the stub.
//   - QEMU stops at a breakpoint where the PC is before it moves: a client has
//     to step off it first (runTo in the tests does).
//   - An interrupt that crosses a stop is ignored by QEMU and Black Magic Probe.
//     OpenOCD keeps it and ends the next run at once with SIGINT (ctrl_c in
//     gdb_input_inner and gdb_signal_reply).
//   - Stubs print while the target runs ("O"), and those with semihosting ask
//     for file I/O ("F"): see package fileio.

// ActionKind is what a thread does in a [Client.Resume].
type ActionKind byte

// The actions, by their letter in vCont (E.2).
const (
	ContinueAction  ActionKind = 'c'
	StepAction      ActionKind = 's' // one instruction
	RangeStepAction ActionKind = 'r' // until the PC leaves Start..End
	StopAction      ActionKind = 't'
)

// Action lets a thread run.
type Action struct {
	Kind ActionKind
	// Signal is delivered to the thread, 0 for none; of ContinueAction and
	// StepAction.
	Signal int
	// Thread is the stub's name of the thread, "" for all that no other action
	// names.
	Thread string
	// Start and End bound a RangeStepAction, End exclusive.
	Start, End core.Addr
}

// Step runs one instruction. When ctx ends first, the target is interrupted.
func (c *Client) Step(ctx context.Context) (Stop, error) {
	return c.Resume(ctx, Action{Kind: StepAction})
}

// Continue runs until the target stops by itself; when ctx ends, the target is
// interrupted and the stop that this causes is returned.
func (c *Client) Continue(ctx context.Context) (Stop, error) {
	return c.Resume(ctx, Action{Kind: ContinueAction})
}

// Resume lets the target run and waits for it to stop, as long as ctx lives.
// When ctx ends, the target is interrupted, and the stop is returned without
// an error; it fails with [ErrNotInterrupted] when the target runs on all the
// same. A ctx that ends before the target runs is the error, and nothing ran. The
// first action that fits a thread counts, and a thread that none fits
// stays halted where the stub has vCont. Without vCont the first action counts
// alone and other threads run as the stub sees fit; what it cannot express is
// ErrUnsupported. No actions means ContinueAction.
func (c *Client) Resume(ctx context.Context, actions ...Action) (Stop, error) {
	if len(actions) == 0 {
		actions = []Action{{Kind: ContinueAction}}
	}
	end, err := c.begin(ctx)
	if err != nil {
		return Stop{}, packetError("vCont", "", err)
	}
	defer end()
	// A pause that comes during these exchanges must not cut them off, which would
	// end the connection.
	prepare := context.WithoutCancel(ctx)
	known, err := c.vContActions(prepare)
	if err != nil {
		return Stop{}, err
	}
	var packet string
	if known != "" {
		packet, err = vCont(known, actions)
	} else {
		packet, err = c.plainResume(prepare, actions)
	}
	if err != nil {
		return Stop{}, err
	}
	reply, interrupted, err := c.conn.resume(ctx, packet, c.features.InterruptPacket, c.fileIO)
	if err != nil {
		return Stop{}, err
	}
	s, err := c.stopped(packet, reply)
	s.Interrupted = interrupted
	return s, err
}

// vContActions returns the letters of the actions of vCont, "" where the stub
// does not have it. As gdb does, it takes no vCont without c, C, s and S.
func (c *Client) vContActions(ctx context.Context) (string, error) {
	if c.asked {
		return c.actions, nil
	}
	const packet = "vCont?"
	reply, err := c.request(ctx, packet)
	if err != nil && !isReply(err) {
		return "", err
	}
	c.asked = true
	names := strings.Split(reply, ";")
	if err != nil || names[0] != "vCont" {
		return "", nil
	}
	actions := strings.Join(names[1:], "")
	for _, need := range "cCsS" {
		if !strings.ContainsRune(actions, need) {
			return "", nil
		}
	}
	c.actions = actions
	return actions, nil
}

// vCont is the packet for actions; known are the letters that the stub takes.
func vCont(known string, actions []Action) (string, error) {
	var b strings.Builder
	b.WriteString("vCont")
	for _, a := range actions {
		letter := byte(a.Kind)
		switch {
		case a.Signal != 0 && (a.Kind == ContinueAction || a.Kind == StepAction):
			letter -= 'a' - 'A'
			fmt.Fprintf(&b, ";%c%02x", letter, a.Signal&0xff)
		case a.Kind == RangeStepAction:
			fmt.Fprintf(&b, ";r%x,%x", uint32(a.Start), uint32(a.End))
		default:
			fmt.Fprintf(&b, ";%c", letter)
		}
		if strings.IndexByte(known, letter) < 0 {
			return "", packetError(b.String(), "", ErrUnsupported)
		}
		if a.Thread == "" {
			continue
		}
		id, ok := threadID(a.Thread)
		if !ok {
			return "", fmt.Errorf("resume thread %q: %w", shorten(a.Thread), ErrMalformed)
		}
		b.WriteString(":" + id)
	}
	return b.String(), nil
}

// plainResume is the packet for stubs without vCont, after the choice of the
// thread.
func (c *Client) plainResume(ctx context.Context, actions []Action) (string, error) {
	a := actions[0]
	if a.Kind != ContinueAction && a.Kind != StepAction {
		return "", packetError(fmt.Sprintf("vCont;%c", a.Kind), "", ErrUnsupported)
	}
	if a.Thread != "" {
		if err := c.selectThread(ctx, 'c', a.Thread); err != nil {
			return "", err
		}
	}
	if a.Signal != 0 {
		return fmt.Sprintf("%c%02x", byte(a.Kind)-('a'-'A'), a.Signal&0xff), nil
	}
	return string(rune(a.Kind)), nil
}

// resume sends a request that lets the target run and waits for it to stop, as
// long as ctx lives. When ctx ends it interrupts the target and still takes
// the stop, so that the connection stays usable. File requests go to fileIO,
// which may exchange packets by roundTrip and returns the answer.
func (c *conn) resume(ctx context.Context, packet string, byPacket bool, fileIO func(ctx context.Context, request string) string) (reply string, interrupted bool, err error) {
	if err := c.take(ctx); err != nil {
		return "", false, packetError(packet, "", err)
	}
	defer c.give()
	defer c.running.begin()()
	i := interrupt{conn: c, byPacket: byPacket}
	payload, err := c.start(ctx, packet)
	for err == nil {
		if payload == nil {
			payload, err = i.awaitStop(ctx)
		}
		if err != nil || len(payload) == 0 || payload[0] != 'F' {
			break
		}
		answer := fileIO(ctx, string(payload))
		if c.err != nil { // by its exchanges
			return "", false, packetError(packet, string(payload), c.err)
		}
		payload, err = c.start(ctx, answer)
	}
	if ctx.Err() != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		err = ErrNotInterrupted
	}
	if err == nil {
		c.settle(context.WithoutCancel(ctx))
		_ = c.net.SetReadDeadline(time.Time{})
	}
	reply, err = c.finish(packet, payload, err)
	return reply, !i.deadline.IsZero(), err
}

// start sends the request of resume, whether ctx ends meanwhile or not.
func (c *conn) start(ctx context.Context, packet string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), c.timeout, ErrNoAnswer)
	defer cancel()
	defer c.watch(ctx)()
	payload, err := c.send(ctx, packet, c.output)
	if err != nil {
		err = cmp.Or(context.Cause(ctx), err)
	}
	return payload, err
}

// interrupt stops a target that runs when its context ends.
type interrupt struct {
	conn     *conn
	byPacket bool
	deadline time.Time // for the stop; zero before the interrupt
}

// awaitStop waits for a packet that is no output, and interrupts the target
// when ctx ends, once however often it is called.
func (i *interrupt) awaitStop(ctx context.Context) ([]byte, error) {
	defer i.conn.onEnd(ctx, i.send)()
	for {
		payload, err := i.conn.receive(i.conn.output)
		if err != nil || ctx.Err() == nil || !i.byPacket || string(payload) != "OK" {
			return payload, err
		}
	}
}

func (i *interrupt) send() {
	if !i.deadline.IsZero() {
		_ = i.conn.net.SetDeadline(i.deadline)
		return
	}
	i.deadline = time.Now().Add(i.conn.timeout)
	_ = i.conn.net.SetDeadline(i.deadline)
	raw := []byte{rsp.Break}
	if i.byPacket {
		raw = rsp.Append(nil, []byte(interruptPacket))
	}
	_, _ = i.conn.net.Write(raw) // a failure shows in the read
}

// interruptPacket is what stubs that offer it take in place of 0x03 (E.2); its
// answer is OK, before the stop.
const interruptPacket = "vCtrlC"
