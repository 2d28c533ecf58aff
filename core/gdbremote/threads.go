package gdbremote

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// How stubs differ in threads:
//
//   - OpenOCD and pyOCD have qXfer:threads:read, OpenOCD's without threads unless
//     its RTOS support is on. QEMU has qfThreadInfo and qThreadExtraInfo, one
//     thread for each core, of the clusters that the client is attached to; the
//     state that it tells ("running") is that of its CPU model, not of the
//     session.
//   - Black Magic Probe and st-util have no list at all: one thread without a
//     name.
//   - A list may hold a thread twice, or go on without end: TestThreads.

// ThreadInfo is a thread of the stub.
type ThreadInfo struct {
	ID   string // the stub's name of it: "1", "p1.2"
	Name string // "" when it has none
	Core string // the core it runs on, "" when not told
	Info string // what the stub says of it, one line: state, priority
}

// Bounds on a list of threads.
const (
	maxThreads  = 4096
	maxThreadID = 2*16 + 2 // "p", two numbers of 64 bits and "."
)

// anyThread is the id for a thread of the stub's choice (E.1).
const anyThread = "0"

// threadID is a thread-id in one spelling, without leading zeros: stubs do not
// keep to one (OpenOCD's faked steps have 16 digits, QEMU has "p01.01"). ok is
// false for what is none: E.1 has hex digits, with a process "p1.2", and -1 for
// all in place of a number.
func threadID(s string) (id string, ok bool) {
	if len(s) > maxThreadID {
		return "", false
	}
	rest, multi := strings.CutPrefix(s, "p")
	if !multi {
		return threadNumber(rest)
	}
	p, t, found := strings.Cut(rest, ".")
	if p, ok = threadNumber(p); !ok {
		return "", false
	}
	if !found {
		return "p" + p, true
	}
	if t, ok = threadNumber(t); !ok {
		return "", false
	}
	return "p" + p + "." + t, true
}

func threadNumber(s string) (string, bool) {
	if s == "-1" {
		return s, true
	}
	if s == "" || strings.Trim(s, "0123456789abcdefABCDEF") != "" {
		return "", false
	}
	s = strings.ToLower(strings.TrimLeft(s, "0"))
	return cmp.Or(s, anyThread), true
}

// Threads lists the threads. A stub that knows none gives an empty list.
func (c *Client) Threads(ctx context.Context) ([]ThreadInfo, error) {
	end, err := c.begin(ctx)
	if err != nil {
		return nil, packetError("qfThreadInfo", "", err)
	}
	defer end()
	list, err := c.listThreads(ctx)
	if err != nil {
		return nil, fmt.Errorf("list threads: %w", err)
	}
	for _, t := range list {
		if p, ok := process(t.ID); ok {
			c.attached[p] = true
			c.home = cmp.Or(c.home, p) // the first listed, where no stop has told
		}
	}
	if len(list) == 1 && c.current == anyThread {
		c.selected['g'], c.current = list[0].ID, list[0].ID
	}
	return list, nil
}

func (c *Client) listThreads(ctx context.Context) ([]ThreadInfo, error) {
	if c.features.ThreadList {
		text, err := c.readObject(ctx, "threads", "")
		if err == nil {
			return parseThreads(text)
		}
		if !isReply(err) {
			return nil, err
		}
	}
	list, err := c.pagedThreads(ctx)
	if err != nil {
		return nil, err
	}
	return list, c.describeThreads(ctx, list)
}

// parseThreads reads <thread id= core= name=>text</thread> (G, Thread List
// Format). A thread that is listed again is left out.
func parseThreads(text string) ([]ThreadInfo, error) {
	dec := xml.NewDecoder(strings.NewReader(text))
	var list threadList
	inside := false
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return list.threads, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			if e.Name.Local != "thread" {
				continue
			}
			inside, err = list.add(ThreadInfo{ID: attr(e, "id"), Name: attr(e, "name"), Core: attr(e, "core")})
			if err != nil {
				return nil, err
			}
		case xml.CharData:
			if inside {
				t := &list.threads[len(list.threads)-1]
				t.Info = oneLine(t.Info + string(e))
			}
		case xml.EndElement:
			inside = false
		}
	}
}

// threadList grows within bounds and without repetitions.
type threadList struct {
	threads []ThreadInfo
	seen    map[string]bool
}

// add reports whether t is new.
func (l *threadList) add(t ThreadInfo) (bool, error) {
	id, ok := threadID(t.ID)
	switch {
	case !ok:
		return false, fmt.Errorf("thread %q: %w", shorten(t.ID), ErrMalformed)
	case l.seen[id]:
		return false, nil
	case len(l.threads) == maxThreads:
		return false, fmt.Errorf("more than %d threads: %w", maxThreads, ErrTooLong)
	}
	if l.seen == nil {
		l.seen = make(map[string]bool)
	}
	t.ID = id
	l.seen[id] = true
	l.threads = append(l.threads, t)
	return true, nil
}

// pagedThreads is qfThreadInfo and qsThreadInfo until "l" (E.4). A page without
// a new thread ends it too.
func (c *Client) pagedThreads(ctx context.Context) ([]ThreadInfo, error) {
	var list threadList
	packet := "qfThreadInfo"
	for {
		reply, err := c.request(ctx, packet)
		if isReply(err) {
			return list.threads, nil
		}
		if err != nil {
			return nil, err
		}
		ids, more := strings.CutPrefix(reply, "m")
		if !more {
			if reply != "l" {
				err = packetError(packet, reply, ErrMalformed)
			}
			return list.threads, err
		}
		fresh := false
		for id := range strings.SplitSeq(ids, ",") {
			added, err := list.add(ThreadInfo{ID: id})
			if err != nil {
				return nil, packetError(packet, reply, err)
			}
			fresh = fresh || added
		}
		if !fresh {
			return list.threads, nil
		}
		packet = "qsThreadInfo"
	}
}

// describeThreads asks what the stub says of each thread, as long as it says
// anything. One that is alone needs no description.
func (c *Client) describeThreads(ctx context.Context, list []ThreadInfo) error {
	if len(list) == 1 {
		return nil
	}
	for i := range list {
		if c.lacking["qThreadExtraInfo"] {
			return nil
		}
		packet := "qThreadExtraInfo," + list[i].ID
		reply, err := c.request(ctx, packet)
		c.lacking["qThreadExtraInfo"] = errors.Is(err, ErrUnsupported)
		if err != nil && !isReply(err) {
			return err
		}
		if err != nil {
			continue
		}
		text, err := hex.DecodeString(reply)
		if err != nil {
			return packetError(packet, reply, ErrMalformed)
		}
		list[i].Info = oneLine(string(text))
	}
	return nil
}

// oneLine makes a text of a stub one that fits a list: without control
// characters, short.
func oneLine(s string) string {
	const most = 256
	s = strings.ToValidUTF8(s, "")
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' }), " ")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}
