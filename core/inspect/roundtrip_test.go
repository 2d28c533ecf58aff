package inspect_test

import (
	"context"
	"testing"

	"pushmask/core/inspect"
	"pushmask/core/session"
)

// TestExpressionsOfChildren checks that the expression of every part of every
// variable means that part: the same type, place and text.
func TestExpressionsOfChildren(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, name := range []string{"demo", "cpp", "m7-Og"} {
		dir := "../../testdata/firmware/" + name
		p := openProgram(t, dir+"/fw.elf")
		s, err := p.OpenDump(ctx, dir+"/crash.core", session.DumpOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		k, err := s.Stack(s.Threads()[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		frames, err := k.Frames(ctx, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		checked := 0
		for i := range frames {
			if frames[i].Kind == session.KindException {
				continue
			}
			f, err := s.InspectFrame(ctx, &frames[i])
			if err != nil {
				t.Fatal(err)
			}
			globals, _ := s.Inspect().Globals(f, "", 0, 0)
			for _, v := range append(s.Inspect().Locals(f), globals...) {
				checked += checkExpressions(t, s, &frames[i], v.Value, 0)
			}
		}
		if checked < 100 {
			t.Errorf("%s: only %d expressions", name, checked)
		}
	}
}

// checkExpressions evaluates the expressions of a value and of its parts.
func checkExpressions(t *testing.T, s *session.Session, f *session.Frame, v *inspect.Value, depth int) (n int) {
	t.Helper()
	if v.Expr != "" {
		n++
		got, err := s.Evaluate(context.Background(), v.Expr, f)
		switch {
		case err != nil:
			t.Errorf("%s in %s: %v", v.Expr, f.Function, err)
			return n
		case got.Text != v.Text() || got.Type != v.Type.Name():
			t.Errorf("%s in %s: %s %s, want %s %s", v.Expr, f.Function, got.Type, got.Text, v.Type.Name(), v.Text())
		}
		at, ok := v.Address()
		if again, ok2 := got.Value.Address(); at != again || ok != ok2 {
			t.Errorf("%s in %s: at %v, want %v", v.Expr, f.Function, again, at)
		}
	}
	if depth == 4 {
		return n
	}
	for _, c := range append(v.Named(0, 0), v.Indexed(0, 3)...) {
		n += checkExpressions(t, s, f, c.Value, depth+1)
	}
	return n
}
