package session

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pushmask/core"
)

// evalSession is the demo's image under a target whose registers and RAM are
// easy to tell apart.
func evalSession(t testing.TB) *Session {
	target := oneThread(core.ProfileM, 0, map[core.Reg]uint32{
		core.R0: 0x11, core.R7: 7, core.SP: 0x20000800, core.LR: 0xfffffff9, core.PC: 0x100, core.PSR: 0x01000003,
	})
	target.mem.AddBytes(0x20000800, append(le32(0x20000804), le32(0xcafe)...))
	return openFake(t, openDemo(t, Config{}), target)
}

func TestEvaluate(t *testing.T) {
	t.Parallel()
	s := evalSession(t)
	fn, ok := s.Program().Images().FuncAt(s.Program().Images().Lookup("main")[0].Addr)
	if !ok {
		t.Fatal("the demo has no main")
	}
	main := core.Addr(fn.Entry).String()
	tests := []struct {
		expr, text, typ string
		addr            core.Addr
		has             bool
	}{
		{"$sp", "0x20000800", "void *", 0x20000800, true},
		{"sp", "0x20000800", "void *", 0x20000800, true},
		{" R13 ", "0x20000800", "void *", 0x20000800, true},
		{"$xpsr", "0x01000003", "uint32_t", 0x01000003, true},
		{"0x20000000", "536870912 (0x20000000)", "int", 0x20000000, true},
		{"16", "16 (0x10)", "int", 0x10, true},
		{"*$sp", "0x20000804", "int", 0x20000800, true},
		{"**sp", "0x0000cafe", "int", 0x20000804, true},
		{"*(sp+4)", "0x0000cafe", "int", 0x20000804, true},
		{"sp+2*2", "0x20000804", "void *", 0x20000804, true},
		{"(sp - 0x800)", "0x20000000 <sensors>", "void *", 0x20000000, true},
		{"*sp-*sp", "0 (0x0)", "int", 0, true},
		{"-1", "-1 (0xffffffff)", "int", 0xffffffff, true},
		{"+r0", "17 (0x11)", "unsigned int", 0x11, true},
		{"main", main + " <main>", "int (void)", core.Addr(fn.Entry), true},
		{"&main", main + " <main>", "int (*)(void)", core.Addr(fn.Entry), true},
		{"accepted", "<not in the dump: 0x20000078..0x2000007b>", "unsigned int", 0x20000078, true},
		{"0xfffffffful", "4294967295 (0xffffffff)", "unsigned long", 0xffffffff, true},
		{"*0x30000000", "<not in the dump: 0x30000000..0x30000003>", "int", 0x30000000, true},
	}
	for _, tt := range tests {
		t.Run(tt.expr, func(t *testing.T) {
			v, err := s.Evaluate(context.Background(), tt.expr, nil)
			if err != nil {
				t.Fatal(err)
			}
			if v.Text != tt.text || v.Type != tt.typ || v.HasAddr != tt.has || v.Addr != tt.addr {
				t.Errorf("got %+v", v)
			}
		})
	}
}

func TestEvaluateErrors(t *testing.T) {
	t.Parallel()
	s := evalSession(t)
	tests := []struct{ expr, want string }{
		{"", "expected a value, not the end"},
		{"1 +", `expected a value, not the end`},
		{"(1", `expected ")", not the end`},
		{"1 2", `unexpected "2" at column 3`},
		{"$foo", `no register "$foo"`},
		{"no_such_name", `no symbol "no_such_name" in the current context`},
		{"r5", "register r5 is not known in this frame"},
		{"1+*0x30000000", "not in the dump: 0x30000000"},
		{"0x12345678901234567", `bad number "0x12345678901234567"`},
		{"12ab", `bad number "12ab"`},
		{"&3", "it has no address"},
		{"no_such_name[0]", `no symbol "no_such_name"`},
		{strings.Repeat("(", 200), "nested too deep"},
		{strings.Repeat("1+", 10000) + "1", "longer than 16384 bytes"},
		{"\xff", "unexpected"},
	}
	for _, tt := range tests {
		_, err := s.Evaluate(context.Background(), tt.expr, nil)
		if _, ok := errors.AsType[*ExprError](err); !ok || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error is %v, want one with %q", tt.expr, err, tt.want)
		}
	}
	if _, err := s.Evaluate(context.Background(), "-*0x30000000", nil); !errors.Is(err, core.ErrNoMemory) {
		t.Errorf("unreadable word: %v is not ErrNoMemory", err)
	}
}

func TestEvaluateInFrame(t *testing.T) {
	t.Parallel()
	s := evalSession(t)
	f := &Frame{Kind: KindFrame, Core: &core.Frame{Regs: regsOf(map[core.Reg]uint32{core.R0: 0x99})}}
	v, err := s.Evaluate(context.Background(), "r0", f)
	if err != nil || v.U32 != 0x99 {
		t.Errorf("r0 in the frame is %v, %v", v, err)
	}
	if _, err := s.Evaluate(context.Background(), "sp", f); err == nil {
		t.Error("sp is not known in the frame, and yet has a value")
	}
}

func FuzzEvaluate(f *testing.F) {
	for _, seed := range []string{"$sp", "*(sp+4)", "&main", "a::b::~c - -1", "**0x20000000", "((", "1*-2+$r0", "$", "0x"} {
		f.Add(seed)
	}
	s := evalSession(f)
	f.Fuzz(func(t *testing.T, expr string) {
		_, err := s.Evaluate(context.Background(), expr, nil)
		if e, ok := errors.AsType[*ExprError](err); err != nil && !ok {
			t.Fatalf("error is %T: %v", err, err)
		} else if ok && (e.Off < 0 || e.Off > len(expr) || utf8.ValidString(expr) && !utf8.ValidString(e.Error())) {
			t.Fatalf("bad error %q for %q", e.Error(), expr)
		}
	})
}
