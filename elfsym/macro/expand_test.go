package macro

import (
	"strings"
	"testing"
)

// defined returns a lookup of definitions as the source has them.
func defined(t testing.TB, lines ...string) func(string) (*Definition, bool) {
	t.Helper()
	all := make(map[string]*Definition)
	for _, l := range lines {
		d, ok := define(l, 1)
		if !ok {
			t.Fatalf("%q defines nothing", l)
		}
		all[d.Name] = d
	}
	return func(name string) (*Definition, bool) {
		d, ok := all[name]
		return d, ok
	}
}

// TestExpand has the examples of C17, 6.10.3.5, and what firmware writes.
func TestExpand(t *testing.T) {
	t.Parallel()
	standard := []string{
		"x 3", "f(a) f(x * (a))", "g f", "z z[0]", "h g(~", "m(a) a(w)", "w 0,1", "t(a) a", "p() int", "q(x) x", "r(x,y) x ## y", "str(x) # x",
	}
	strings3 := []string{
		"str(s) # s", "xstr(s) str(s)", "debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", x ## s, x ## t)", "INCFILE(n) vers ## n",
		"glue(a, b) a ## b", "xglue(a, b) glue(a, b)", "HIGHLOW \"hello\"", "LOW LOW \", world\"",
	}
	hash := []string{"hash_hash # ## #", "mkstr(a) # a", "in_between(a) mkstr(a)", "join(c, d) in_between(c hash_hash d)"}
	empty := []string{"t(x,y,z) x ## y ## z"}
	variadic := []string{
		"debug(...) fprintf(stderr, __VA_ARGS__)", "showlist(...) puts(#__VA_ARGS__)", "report(test, ...) ((test)?puts(#test): printf(__VA_ARGS__))",
		"log(fmt, ...) printf(fmt, ## __VA_ARGS__)", "named(fmt, args...) printf(fmt, ## args)",
	}
	firmware := []string{
		"BIT(n) (1UL << (n))", "REG_BASE 0x40021000UL", "RCC ((RCC_TypeDef *) REG_BASE)", "MASK (BIT(3) | BIT(POS))", "POS 5", "EMPTY",
		"SELF SELF + 1", "A B", "B A", "ID(x) x", "CAT(a, b) a ## b", "CAT2(a, b) CAT(a, b)", "NEG -1", "MINUS(x) -x", "U(x) x ## U",
	}
	for _, tt := range []struct {
		defs     []string
		in, want string
	}{
		{standard, "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);", "f(3 * (y+1)) + f(3 * (f(3 * (z[0])))) % f(3 * (0)) + t(1);"},
		{standard, "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };", "int i[] = { 1, 23, 4, 5, };"},
		{strings3, "debug(1, 2);", `printf("x" "1" "= %d, x" "2" "= %s", x1, x2);`},
		{strings3, `str(strncmp("abc\0d", "abc", '\4') == 0) str(: @\n)`, `"strncmp(\"abc\\0d\", \"abc\", '\\4') == 0" ": @\n"`},
		{strings3, "xstr(INCFILE(2).h)", `"vers2.h"`},
		{strings3, "glue(HIGH, LOW); xglue(HIGH, LOW)", `"hello"; "hello" ", world"`},
		{hash, "join(x, y)", `"x ## y"`},
		{empty, "t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,)", "123, 45, 67, 89, 10, 11, 12,"},
		{variadic, `debug("X = %d\n", x);`, `fprintf(stderr, "X = %d\n", x);`},
		{variadic, "showlist(The first, second, and third items.);", `puts("The first, second, and third items.");`},
		{variadic, `report(x>y, "x is %d but y is %d", x, y);`, `((x>y)?puts("x>y"): printf("x is %d but y is %d", x, y));`},
		{variadic, `log("a"); log("a", 1); named("b"); named("b", 2)`, `printf("a"); printf("a", 1); printf("b"); printf("b", 2)`},
		{firmware, "BIT(3)", "(1UL << (3))"}, {firmware, "MASK & x", "((1UL << (3)) | (1UL << (5))) & x"},
		{firmware, "RCC->CR", "((RCC_TypeDef *) 0x40021000UL)->CR"}, {firmware, "EMPTY x", "x"}, {firmware, "BIT", "BIT"},
		{firmware, "SELF", "SELF + 1"}, {firmware, "A", "A"}, {firmware, "ID(ID)(x)", "ID(x)"}, {firmware, "CAT2(PO, S)", "5"},
		{firmware, "-NEG", "- -1"}, {firmware, "MINUS(-1)", "- -1"}, {firmware, "U(7)", "7U"}, {firmware, `"POS" + 'P'`, `"POS" + 'P'`},
		{firmware, "0x1e+POS", "0x1e + 5"}, {firmware, "POS/* POS */+1", "5 +1"}, {firmware, "BIT (POS)", "(1UL << (5))"},
	} {
		got, _, err := Expand(tt.in, defined(t, tt.defs...))
		if err != nil || squeeze(got) != squeeze(tt.want) {
			t.Errorf("%s\ngot  %s\nwant %s (%v)", tt.in, got, tt.want, err)
		}
	}
}

// squeeze drops the spaces that the standard leaves open.
func squeeze(s string) string { return strings.ReplaceAll(s, " ", "") }

// TestExpandErrors uses macros wrongly.
func TestExpandErrors(t *testing.T) {
	t.Parallel()
	grow := []string{"X0 x x"}
	for i := 'A'; i < 'Z'; i++ {
		grow = append(grow, string(i)+" "+string(i+1)+" "+string(i+1)+" "+string(i+1)+" "+string(i+1))
	}
	for _, tt := range []struct {
		defs     []string
		in, want string
	}{
		{[]string{"f(a,b) a"}, "f(1)", "2 parameters, not 1"}, {[]string{"f(a) a"}, "f(1", "not closed"}, {[]string{"f() 1"}, "f(2)", "0 parameters"},
		{[]string{`S "open`}, "S", "quote"}, {grow, "A", "too large"}, {nil, `"open`, "quote"}, {nil, "/* open", "comment"},
		{[]string{"f(x) x"}, nested("f", 100, ""), "too large"},
		{[]string{"C(x) D(x)", "D(x) x##x"}, nested("C", 40, "a"), "too large"},  // twice as long each time
		{[]string{"C(x) D(x)", "D(x) #x"}, nested("C", 40, `"\""`), "too large"}, // and so are the escapes
		{[]string{"X /*" + strings.Repeat("x", 1<<16) + "*/"}, strings.Repeat("X ", 100), "too large"},
	} {
		_, replaced, err := Expand(tt.in, defined(t, tt.defs...))
		if err == nil || replaced || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40s: %v, want %q", tt.in, err, tt.want)
		}
	}
}

// nested is n calls of a macro, each the argument of the next.
func nested(name string, n int, arg string) string {
	return strings.Repeat(name+"(", n) + arg + strings.Repeat(")", n)
}

// TestDefinitions reads definitions as DWARF has them and writes them again.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"X ": "X", "X 1": "X 1", "F() 1": "F() 1", "F(a,b) a+b": "F(a, b) a+b", "F(a,...) a": "F(a, ...) a", "F(...) x": "F(...) x",
		"F(args...) x": "F(args...) x", "X (1)": "X (1)", "": "", "1": "", "F(a": "", "F(a,1) x": "", "F(...,a) x": "",
	} {
		got := ""
		if d, ok := define(text, 1); ok {
			got = d.String()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzExpand expands text by definitions, one a line: the result is bounded.
func FuzzExpand(f *testing.F) {
	f.Add("BIT(3)", "BIT(n) (1UL << (n))")
	f.Add("A", "A B B\nB A A")
	f.Add("f(f)(1)", "f(x) x f")
	f.Add("cat(a,b)", "cat(x,y) x ## y")
	f.Add("v(1,2)", "v(a,...) #a , ## __VA_ARGS__ ## a")
	f.Add("s(\"a\\\")", "s(x) # x")
	f.Fuzz(func(t *testing.T, src, defs string) {
		all := make(map[string]*Definition)
		for line := range strings.Lines(defs) {
			if d, ok := define(strings.TrimSuffix(line, "\n"), 1); ok {
				all[d.Name] = d
			}
		}
		out, replaced, err := Expand(src, func(name string) (*Definition, bool) {
			d, ok := all[name]
			return d, ok
		})
		if replaced && (err != nil || len(out) > maxText+maxTokens) || !replaced && out != src {
			t.Errorf("%q: %q, %v, %v", src, out, replaced, err)
		}
	})
}
