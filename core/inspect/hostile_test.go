package inspect_test

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestLongExpressions: the cost of an expression is bounded by its length.
func TestLongExpressions(t *testing.T) {
	t.Parallel()
	s := openDemo(t)
	const n = 4000
	for _, expr := range []string{
		"(int " + strings.Repeat("*", n) + ")0",
		"(int" + strings.Repeat("[2]", n) + ")accepted",
		"(int (" + strings.Repeat("*(", 180) + strings.Repeat(")", 181) + ")accepted",
		strings.Repeat("accepted+", n/3) + "1",
		strings.Repeat("nothing<", n/2) + "1",
		strings.Repeat("a::", n) + "b",
		strings.Repeat("accepted,", n/3) + "1",
		strings.Repeat("(", 3*n),
		strings.Repeat("-", n) + "1",
		strings.Repeat("*", n) + "0",
		"accepted" + strings.Repeat("@2", n),
		"accepted" + strings.Repeat("[0]", n),
		"sensors" + strings.Repeat(".name", n/2),
		`"` + strings.Repeat("a", 3*n) + `" == sensors[0].name`,
		"1" + strings.Repeat("?1", n) + strings.Repeat(":1", n),
		"'" + strings.Repeat("x", 3*n) + "'::y",
	} {
		start := time.Now()
		v, err := s.Evaluate(context.Background(), expr, nil)
		if err == nil {
			look(t, v.Value, 0)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%.20s... takes %v", expr, took)
		}
	}
}
