package main

import (
	"encoding/json"
	"io"

	"pushmask/core/session"
)

// jsonTrace is a line of bt --json. Its shape is a public contract, described
// in docs/bt-json.md.
type jsonTrace struct {
	Dump    string       `json:"dump"`
	Crash   int          `json:"crash,omitempty"`
	Error   string       `json:"error,omitempty"`
	Threads []jsonThread `json:"threads"`
}

type jsonThread struct {
	ID       int         `json:"id"`
	Name     string      `json:"name"`
	Crashed  bool        `json:"crashed"`
	Cause    *jsonCause  `json:"cause,omitempty"`
	State    string      `json:"state,omitempty"`
	Waits    string      `json:"waits,omitempty"`
	Priority *int        `json:"priority,omitempty"`
	Base     *int        `json:"basePriority,omitempty"`
	Stack    *jsonStack  `json:"stack,omitempty"`
	Stop     string      `json:"stop"`
	Frames   []jsonFrame `json:"frames"`
}

type jsonStack struct {
	Low  string  `json:"low"`
	High string  `json:"high"`
	Used *uint32 `json:"used,omitempty"`
}

// jsonCause says why a crashed thread stopped.
type jsonCause struct {
	Kind        string   `json:"kind"`
	Name        string   `json:"name"`
	Text        string   `json:"text"`
	Inferred    bool     `json:"inferred"`
	Notes       []string `json:"notes,omitempty"`
	Registers   []string `json:"registers,omitempty"`
	PC          string   `json:"pc,omitempty"`
	Instruction string   `json:"instruction,omitempty"`
	Address     string   `json:"address,omitempty"`
}

type jsonFrame struct {
	Kind     session.FrameKind `json:"kind"`
	PC       string            `json:"pc,omitempty"`
	CFA      string            `json:"cfa,omitempty"`
	Function string            `json:"function"`
	Image    string            `json:"image,omitempty"`
	File     string            `json:"file,omitempty"`
	Line     int               `json:"line,omitempty"`
	Trust    string            `json:"trust"`
	Locals   []*jsonValue      `json:"locals,omitempty"`
}

// newTracedThread converts a thread with its frames and, where it crashed, its
// cause.
func newTracedThread(t *threadTrace) jsonThread {
	jt := newJSONThread(t)
	if t.Crashed {
		jt.Cause = newJSONCause(&t.cause)
	}
	for i := range t.frames {
		jt.Frames[i] = newJSONFrame(&t.frames[i])
		if t.locals != nil {
			jt.Frames[i].Locals = t.locals[i]
		}
	}
	return jt
}

// newJSONThread converts all but the frames of a thread.
func newJSONThread(t *threadTrace) jsonThread {
	jt := jsonThread{
		ID:      int(t.ID),
		Name:    t.Name,
		Crashed: t.Crashed,
		State:   t.State,
		Waits:   t.Waits,
		Stop:    t.stop.Kind.String(),
		Frames:  make([]jsonFrame, len(t.frames)),
	}
	if t.HasPriority {
		jt.Priority, jt.Base = &t.Priority, &t.BasePriority
	}
	if t.Stack.Known() {
		jt.Stack = &jsonStack{Low: t.Stack.Low.String(), High: t.Stack.High.String()}
		if t.Stack.HasUsed {
			jt.Stack.Used = &t.Stack.Used
		}
	}
	return jt
}

// writeJSON writes one line.
func writeJSON(w io.Writer, b *backtrace) {
	line := jsonTrace{Dump: b.dump, Crash: b.crash, Threads: []jsonThread{}}
	if b.err != nil {
		line.Error = b.err.Error()
	}
	for i := range b.threads {
		line.Threads = append(line.Threads, newTracedThread(&b.threads[i]))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	// The values are strings and numbers, and w is a bufio.Writer, which
	// reports its error when flushed.
	_ = enc.Encode(line)
}

func newJSONCause(c *session.Cause) *jsonCause {
	j := &jsonCause{
		Kind: string(c.Kind), Name: c.Name, Text: c.Description, Inferred: c.Inferred,
		Notes: c.Notes, Registers: c.Details, Instruction: c.Instruction,
	}
	if c.HasPC {
		j.PC = c.PC.String()
	}
	if c.HasAddr {
		j.Address = c.Addr.String()
	}
	return j
}

func newJSONFrame(f *session.Frame) jsonFrame {
	j := jsonFrame{
		Kind:     f.Kind,
		Function: f.Function,
		Image:    f.Image,
		Trust:    f.Core.Trust.String(),
	}
	if f.Line > 0 { // line 0 stands for code of no line (DWARF 5, 6.2.2)
		j.File, j.Line = f.File, f.Line
	}
	if f.Kind != session.KindException {
		j.PC = f.Core.PC.String()
	}
	if f.Core.HasCFA {
		j.CFA = f.Core.CFA.String()
	}
	return j
}
