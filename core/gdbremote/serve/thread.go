package serve

import (
	"cmp"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/core/session"
)

// current answers qC: the thread that crashed.
func (c *client) current(string) string { return "QC" + threadID(c.stub.threads[0].ID) }

// selectThread answers H: g selects for registers and memory, c for running.
func (c *client) selectThread(args string) string {
	if args == "" {
		return c.number(errInvalid)
	}
	first := c.stub.threads[0].ID
	id, ok := parseThread(args[1:], first)
	if _, known := c.stub.thread(id); !ok || !known {
		return c.number(errInvalid)
	}
	if args[0] == 'c' {
		c.resumed = id
	} else {
		c.general = id
	}
	return "OK"
}

// isAlive answers T.
func (c *client) isAlive(args string) string {
	id, ok := parseThread(args, c.general)
	if _, known := c.stub.thread(id); !ok || !known {
		return c.number(errInvalid)
	}
	return "OK"
}

// firstThreads answers qfThreadInfo with as many threads as a packet has room
// for; qXfer:threads lists all.
func (c *client) firstThreads(string) string { return "m" + c.threadIDs() }

func (c *client) threadIDs() string {
	var b strings.Builder
	for i := range c.stub.threads {
		id := threadID(c.stub.threads[i].ID)
		if b.Len()+len(id) > maxData {
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(id)
	}
	return b.String()
}

// extraInfo answers qThreadExtraInfo: what "info threads" shows of a thread.
func (c *client) extraInfo(args string) string {
	id, ok := parseThread(args, c.general)
	t, known := c.stub.thread(id)
	if !ok || !known {
		return c.number(errInvalid)
	}
	return hex.EncodeToString([]byte(cmp.Or(strings.Join(nonEmpty(c.name(t), c.state(t)), ", "), "thread")))
}

func nonEmpty(texts ...string) (list []string) {
	for _, t := range texts {
		if t != "" {
			list = append(list, t)
		}
	}
	return list
}

// name is that of a thread; interrupted code is named by what interrupted it.
func (c *client) name(t *session.DebuggerThread) string {
	if t.Interrupted == 0 {
		return t.Name
	}
	name := "interrupted by " + cmp.Or(t.Exception, "an exception")
	if of, ok := c.stub.thread(t.Interrupted); ok && of.Name != "" {
		name = of.Name + ", " + name
	}
	return name
}

// state is what else is known of a thread: why it crashed, and what its
// operating system says of it.
func (c *client) state(t *session.DebuggerThread) string {
	crash := ""
	if t.Crashed {
		crash = c.stub.cause(c.ctx, t.ID).Name
	}
	return strings.Join(nonEmpty(session.ThreadState(t.Thread), crash), ", ")
}

// threadList is the document of qXfer:threads (E.16, Thread List Format).
func (c *client) threadList() string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<threads>\n")
	for i := range c.stub.threads {
		t := &c.stub.threads[i]
		fmt.Fprintf(&b, "<thread id=\"%s\"", threadID(t.ID))
		if name := c.name(t); name != "" {
			fmt.Fprintf(&b, " name=\"%s\"", escapeXML(name))
		}
		fmt.Fprintf(&b, ">%s</thread>\n", escapeXML(c.state(t)))
	}
	b.WriteString("</threads>\n")
	return b.String()
}

func escapeXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}

// suffixed splits lldb's ";thread:1;" off, and returns the registers of that
// thread or of the selected one.
func (c *client) suffixed(args string) (rest string, regs *core.Regs, ok bool) {
	id := c.general
	rest, suffix, has := strings.Cut(args, ";")
	if has {
		text, isThread := strings.CutPrefix(strings.TrimSuffix(suffix, ";"), "thread:")
		if id, ok = parseThread(text, c.general); !ok || !isThread {
			return "", nil, false
		}
	}
	t, ok := c.stub.thread(id)
	if !ok {
		return "", nil, false
	}
	return rest, &t.Regs, true
}

// readRegisters answers g.
func (c *client) readRegisters(args string) string {
	_, regs, ok := c.suffixed(args)
	if !ok {
		return c.number(errInvalid)
	}
	var b strings.Builder
	for i := range c.stub.regs {
		text, known := c.stub.regs[i].hex(regs)
		if !known && c.lldb {
			return c.number(errInvalid)
		}
		b.WriteString(text)
	}
	return b.String()
}

// readRegister answers p.
func (c *client) readRegister(args string) string {
	digits, regs, ok := c.suffixed(args)
	n, isHex := parseHex(digits)
	if !ok || !isHex {
		return c.number(errInvalid)
	}
	for i := range c.stub.regs {
		r := &c.stub.regs[i]
		if uint32(r.number) != n {
			continue
		}
		if text, known := r.hex(regs); known || !c.lldb {
			return text
		}
	}
	return c.number(errInvalid)
}
