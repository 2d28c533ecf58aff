package runcontrol

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/core/session"
)

// hitCondition decides by the number of a hit, from 1. The zero value always
// stops.
type hitCondition struct {
	op string
	n  int
}

// parseHitCondition reads a HitCondition.
func parseHitCondition(text string) (hitCondition, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return hitCondition{}, nil
	}
	op := "=="
	for _, known := range []string{">=", "<=", "==", ">", "<", "=", "%"} {
		if rest, ok := strings.CutPrefix(text, known); ok {
			op, text = known, strings.TrimSpace(rest)
			break
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n == 0 && op == "%" {
		return hitCondition{}, fmt.Errorf("the hit condition is no number such as 5, >5, >=5, <5, <=5, ==5 or %%5")
	}
	return hitCondition{op, n}, nil
}

// admits reports whether hit number n stops.
func (c hitCondition) admits(n int) bool {
	switch c.op {
	case "==", "=":
		return n == c.n
	case ">":
		return n > c.n
	case ">=":
		return n >= c.n
	case "<":
		return n < c.n
	case "<=":
		return n <= c.n
	case "%":
		return n%c.n == 0
	}
	return true
}

// hit counts a hit and reports whether it stops the target; text is what the
// user should know beyond that. A log point prints and goes on.
func (r *runner) hit(ctx context.Context, p *placed) (stops bool, text string, err error) {
	if p.spec.Condition != "" {
		if p.broken {
			return false, "", nil
		}
		v, err := r.evaluate(ctx, p, p.spec.Condition)
		if err != nil {
			p.broken = true
			return true, fmt.Sprintf("the condition %q cannot be evaluated, the breakpoint does not stop any more: %v", p.spec.Condition, err), nil
		}
		if !v.Truth {
			return false, "", nil
		}
	}
	p.hits++
	if !p.when.admits(p.hits) {
		return false, "", nil
	}
	if p.spec.LogMessage != "" {
		if r.opt.Log != nil {
			r.opt.Log(r.logText(ctx, p, p.spec.LogMessage))
		}
		return false, "", nil
	}
	if p.spec.Temporary {
		err = r.remove(ctx, p)
		r.points.drop(p)
	}
	return true, "", err
}

// evaluate computes an expression in the frame that hit a breakpoint: the
// innermost one, or the one whose line the breakpoint is on where inlined code
// begins at it.
func (r *runner) evaluate(ctx context.Context, p *placed, expr string) (Result, error) {
	s, frames, err := r.frames(ctx, 1)
	if err != nil {
		return Result{}, err
	}
	var f *session.Frame
	if len(frames) > 0 {
		f = &frames[0]
		if hidden := r.lines.hiddenFor(f.Core.PC, p.Line); hidden < len(frames) {
			f = &frames[hidden]
		}
	}
	return r.opt.Evaluate(ctx, s, f, expr)
}

// frames returns the frames of at least n activations of the thread, 0 for all,
// with the inlined ones, in a session that the user never sees.
func (r *runner) frames(ctx context.Context, n int) (*session.Session, []session.Frame, error) {
	s, err := r.program.OpenTarget(ctx, r.machine)
	if err != nil {
		return nil, nil, err
	}
	stack, err := s.Stack(r.thread)
	if err != nil {
		return nil, nil, err
	}
	if _, err := stack.Frames(ctx, 0, n); err != nil {
		return nil, nil, err
	}
	all, _ := stack.Len()
	frames, err := stack.Frames(ctx, 0, all)
	return s, frames, err
}

// logText fills in the expressions of a log message. What cannot be evaluated
// says why.
func (r *runner) logText(ctx context.Context, p *placed, message string) string {
	var b strings.Builder
	for len(message) > 0 {
		switch {
		case strings.HasPrefix(message, "{{"), strings.HasPrefix(message, "}}"):
			b.WriteByte(message[0])
			message = message[2:]
		case message[0] == '{' && strings.IndexByte(message, '}') > 0:
			end := strings.IndexByte(message, '}')
			v, err := r.evaluate(ctx, p, message[1:end])
			if err != nil {
				v.Text = fmt.Sprintf("<%v>", err)
			}
			b.WriteString(v.Text)
			message = message[end+1:]
		default:
			b.WriteByte(message[0])
			message = message[1:]
		}
	}
	return b.String()
}

// codeHits decides which of the breakpoints at an address stop the target.
func (r *runner) codeHits(ctx context.Context, a core.Addr) (*Event, error) {
	var ev *Event
	for _, p := range r.points.at(a) {
		stops, text, err := r.hit(ctx, p)
		if err != nil {
			return nil, err
		}
		if !stops {
			continue
		}
		if ev == nil {
			ev = &Event{Kind: EventBreakpoint, HitKind: p.spec.Kind, Description: r.title(p)}
			ev.Text = ev.Description
		}
		if p.hits > 1 && len(ev.Hit) == 0 {
			ev.Text += fmt.Sprintf(", hit %d times", p.hits)
		}
		if text != "" {
			ev.Text += ": " + text
		}
		ev.Hit = append(ev.Hit, p.ID)
	}
	return ev, nil
}

// title names a breakpoint.
func (l *Live) title(p *placed) string {
	switch {
	case p.spec.Kind == FunctionBreakpoint:
		return "breakpoint on " + p.spec.FunctionName()
	case p.spec.Kind == InstructionBreakpoint || p.Path == "":
		return "breakpoint at " + p.spec.Addr.String()
	}
	return fmt.Sprintf("breakpoint at %s:%d", filepath.Base(p.Path), p.Line)
}
