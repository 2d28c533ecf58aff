package dap

import "testing"

// TestAssigns tells expressions that change something from those that do not.
func TestAssigns(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]bool{
		"x = 1": true, "x=y": true, "x += 1": true, "x <<= 2": true, "x>>=2": true, "++x": true, "x--": true, "a == b ? c = 1 : 2": true,
		"x": false, "x == 1": false, "x != 1": false, "x <= 1": false, "x>=1": false, "a << b": false, "a >> b": false, "a - -b": false,
		`s == "a = b"`: false, `s == "\"=" && c == '='`: false, "": false, "<": false, "'='": false, "*p->q": false,
	} {
		if got := assigns(expr); got != want {
			t.Errorf("%q: %v, want %v", expr, got, want)
		}
	}
}
