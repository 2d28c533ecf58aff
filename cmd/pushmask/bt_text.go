package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"pushmask/core/session"
)

// textTrace writes stacks for people.
type textTrace struct {
	w        io.Writer
	paint    painter
	headings bool // name the dump above its stacks
	written  int
}

func (t *textTrace) write(b *backtrace) {
	if b.err != nil && len(b.threads) == 0 {
		return
	}
	if t.written++; t.written > 1 {
		fmt.Fprintln(t.w)
	}
	if t.headings {
		fmt.Fprintln(t.w, t.paint.paint(bold, b.heading()))
	}
	for i := range b.threads {
		if i > 0 {
			fmt.Fprintln(t.w)
		}
		t.thread(&b.threads[i])
	}
}

func (t *textTrace) thread(tt *threadTrace) {
	fmt.Fprintln(t.w, t.heading(tt))
	if tt.Crashed {
		t.cause(&tt.cause)
	}
	for i := range tt.frames {
		fmt.Fprintln(t.w, t.frame(i, &tt.frames[i]))
		if tt.locals != nil {
			t.locals(tt.locals[i])
		}
	}
	if !tt.stop.Complete() {
		text := "the stack ends here: " + tt.stop.Detail
		if tt.stop.Detail == "" {
			text = "the stack ends here: " + tt.stop.Kind.String()
		}
		fmt.Fprintln(t.w, "     "+t.paint.paint(yellow, text))
	}
}

// heading is the line above a stack: the thread and why it stopped.
func (t *textTrace) heading(tt *threadTrace) string {
	s := fmt.Sprintf("thread %d", tt.ID)
	if tt.Name != "" {
		s += fmt.Sprintf(" %q", tt.Name)
	}
	s = t.paint.paint(bold, s)
	for _, more := range []string{session.ThreadState(tt.Thread), session.StackUse(tt.Stack)} {
		if more != "" {
			s += ", " + more
		}
	}
	if tt.Crashed {
		s += ": " + t.paint.paint(red, tt.cause.Name)
	}
	return s
}

// cause is the block between the heading and the stack of a crashed thread.
func (t *textTrace) cause(c *session.Cause) {
	fmt.Fprintln(t.w, "  "+t.paint.paint(red, c.Description))
	for _, note := range c.Notes {
		fmt.Fprintln(t.w, "  "+note)
	}
}

// frame is one line of a stack.
func (t *textTrace) frame(n int, f *session.Frame) string {
	var s strings.Builder
	fmt.Fprintf(&s, "#%-3d ", n)
	if f.Kind == session.KindException {
		s.WriteString(t.paint.paint(yellow, f.Function))
		return s.String()
	}
	s.WriteString(t.paint.paint(dim, f.Core.PC.String()) + " ")
	name := f.Label()
	if f.Offset != 0 && f.Kind == session.KindFrame {
		name += fmt.Sprintf("+%d", f.Offset)
	}
	s.WriteString(t.paint.paint(cyan, name))
	if f.Kind == session.KindInline {
		s.WriteString(" (inlined)")
	}
	if f.File != "" {
		s.WriteString(" at " + shortPath(f.File))
		if f.Line > 0 {
			fmt.Fprintf(&s, ":%d", f.Line)
		}
	}
	if f.Core.Trust.Guess() {
		s.WriteString(" " + t.paint.paint(yellow, "[guess: "+f.Core.Trust.String()+"]"))
	}
	return s.String()
}

// shortPath shows a path below the working folder relative to it.
func shortPath(path string) string {
	wd, err := filepath.Abs(".")
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return rel
}
