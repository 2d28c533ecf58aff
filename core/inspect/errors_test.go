package inspect_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/inspect"
)

// TestErrors: what is wrong is said in a few words, with the place.
func TestErrors(t *testing.T) {
	t.Parallel()
	s := openDemo(t)
	tests := []struct{ expr, want string }{
		{"", "expected a value, not the end at column 1"},
		{"MACRO(1)", `no symbol "MACRO" in the current context at column 1`},
		{"sensors[1].nme", `struct sensor has no member "nme" at column 12`},
		{"accepted.x", "a value of type unsigned int has no members at column 10"},
		{"*sensors[0].gain", "a value of type float is no pointer at column 1"},
		{"*(void *)0", "cast it: *(type *)p"},
		{"accepted + (struct nobody *)0", `no type "struct nobody" at column 13`},
		{"(nobody)1 2", `unexpected "1" at column 9`},
		{"sensors[", "expected a value, not the end at column 9"},
		{"(1", `expected ")", not the end at column 3`},
		{"1 / 0", "division by zero at column 3"},
		{"5 % accepted - 1.5 % 2", "% takes integers at column 20"},
		{"sensors == sensors[0]", "a value of type struct sensor is no number"},
		{"&1", "it has no address at column 1"},
		{"1 @ 2", "what is before @ has to be in memory at column 3"},
		{"accepted @ 0", "has to be positive at column 10"},
		{"accepted++", "++ after a variable is not supported, use += at column 9"},
		{"main()", "a stopped program cannot be called at column 5"},
		{"'nofile.c'::x", `no file or function "nofile.c"`},
		{"'packet.c'::nothing", `no symbol "nothing" in "packet.c"`},
		{"$nothing", `no register "$nothing" at column 1`},
		{"'ab", "the quote is not closed at column 1"},
		{`"\q"`, "unknown escape at column 2"},
		{"accepted,[0]", "has to be a positive number"},
		{"accepted,[3]", "needs an array or a pointer"},
		{"/q accepted", `unknown format "/q"`},
		{"int", "a type has no value"},
		{"sizeof(struct nobody)", `no type "struct nobody"`},
		{"history[0] + 1", "optimized out at column 12"},
		{"-*0x30000000", "not in the dump: 0x30000000..0x30000003"},
		{"(char *)0x30000000 == \"a\"", "not in the dump: 0x30000000"},
		{"1 \x80", "unexpected"},
	}
	for _, tt := range tests {
		_, err := s.Evaluate(context.Background(), tt.expr, nil)
		if _, ok := errors.AsType[*inspect.ExprError](err); !ok || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error is %v, want one with %q", tt.expr, err, tt.want)
		}
	}
	if _, err := s.Evaluate(context.Background(), "-*0x30000000", nil); !errors.Is(err, core.ErrNoMemory) {
		t.Errorf("%v is not ErrNoMemory", err)
	}
}

// TestTexts shows values in all forms.
func TestTexts(t *testing.T) {
	t.Parallel()
	s := openDemo(t)
	tests := []struct{ expr, want string }{
		{"accepted", "1 (0x1)"},
		{"accepted,x", "0x1"},
		{"/t 10", "0b1010"},
		{"10,b", "0b1010"},
		{"-1,u", "4294967295"},
		{"0xffffffff,d", "-1"},
		{"8,o", "010"},
		{"65,c", "65 'A'"},
		{"0x41200000,f", "10"},
		{"&main,a", "0x000001dc <main>"},
		{"0x1de,a", "0x000001de <main+2>"},
		{"sensors[1].name", `0x000004b8 "humidity"`},
		{"sensors[1].name,[3]", `"hum"`},
		{"converter,[2]", "{2048, 1911}"},
		{"converter,x", "{0x800, 0x777, 0xbcc, 0x0}"},
		{"sensors[0],x", `{name = 0x4ac, raw = 0x20000040, gain = 0x3d800000, offset = 0xc2200000}`},
		{"(enum packet_result)99", "99"},
		{"'a'", "97 'a'"},
		{`'\n'`, `10 '\n'`},
		{`"a\tb"`, `"a\tb"`},
		{"1.5f", "1.5"},
		{"1/3.0", "0.3333333333333333"},
		{"1/3.0f", "0.33333334"},
		{"(_Bool)2", "true"},
		{"(char *)0", "0x00000000"},
		{"(char *)0x30000000", "0x30000000 <not in the dump: 0x30000000..0x3000003f>"},
		{"listener", "0x00000000"},
		{"*main", "0x000001dc <main>"},
		{"-5ll", "-5 (0xfffffffffffffffb)"},
		{"(signed char)-1", `-1 '\377'`},
		{"history", "<optimized out>"},
		{"{int}0x30000000", "<not in the dump: 0x30000000..0x30000003>"},
		{"(char[3])converter", `""`},
	}
	for _, tt := range tests {
		v, err := s.Evaluate(context.Background(), tt.expr, nil)
		if err != nil || v.Text != tt.want {
			t.Errorf("%s is %s (%v), want %s", tt.expr, v.Text, err, tt.want)
		}
	}
}

// TestFormatOfParts: parts are written as the value that they are of.
func TestFormatOfParts(t *testing.T) {
	t.Parallel()
	s := openDemo(t)
	v, err := s.Evaluate(context.Background(), "converter,x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Value.Indexed(1, 1)[0].Value.Text(); got != "0x777" {
		t.Errorf("element is %s", got)
	}
	if v, err = s.Evaluate(context.Background(), "sensors[1]", nil); err != nil {
		t.Fatal(err)
	}
	hex := v.Value.Hex()
	if got := hex.Named(0, 1)[0].Value.Text(); got != "0x4b8" {
		t.Errorf("member is %s", got)
	}
}

// TestPlain: what programs read has numbers in one form, and so have its parts.
func TestPlain(t *testing.T) {
	t.Parallel()
	s := openDemo(t)
	value := func(expr string) *inspect.Value {
		v, err := s.Evaluate(context.Background(), expr, nil)
		if err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		return v.Value
	}
	for _, tt := range []struct{ got, want string }{
		{value("converter").Plain().Text(), "[4] {2048, 1911, 3020, 0}"},
		{value("converter").Plain().Indexed(1, 1)[0].Value.Text(), "1911"},
		{value("converter").Indexed(1, 1)[0].Value.Text(), "1911 (0x777)"},
		{value("-2 - 1").Plain().Text(), "-3"},
		{value("converter[1],x").Plain().Text(), "0x777"},
		{value("sizeof(sensors)").Text(), "64"},
		{value("sizeof(sensors),x").Text(), "0x40"},
		{value("sizeof(sensors) + 1").Text(), "65 (0x41)"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
