package inspect_test

import (
	"context"
	"testing"

	"pushmask/core/session"
)

// libraryViews are variables of testdata/program/program.cpp as they are shown.
var libraryViews = []struct{ expr, text string }{
	{"short_text", `"short"`},
	{"long_text", `"a text that is too long for the small buffer"`},
	{"view_of_text", `"short"`},
	{"numbers", "[3] {3, 1, 2}"},
	{"numbers[1]", "1 (0x1)"},
	{"words", `[2] {"one", "two and a text that is longer"}`},
	{"words[1]", `"two and a text that is longer"`},
	{`words[0] == "one"`, "true"},
	{`short_text == "other"`, "false"},
	{"bools", "[3] {true, false, true}"},
	{"fixed", "[3] {1, 2, 3}"},
	{"by_number", `[2] {{first = 1, second = "first"}, {first = 2, second = "second"}}`},
	{"letters", "[2] {97 'a', 122 'z'}"},
	{"chain", "[2] {4, 5}"},
	{"queue", "[3] {6, 7, 8}"},
	{"queue[2]", "8 (0x8)"},
	{"table", "[2] {{first = 2, second = 20}, {first = 1, second = 10}}"},
	{"something", "5"},
	{"*something + 1", "6 (0x6)"},
	{"nothing", "nullopt"},
	{"owned->side", "6 (0x6)"},
	{"(*owned).color", "shapes::Color::green"},
	{"empty", "nullptr"},
	{"shared", "77"},
	{"couple", "{first = 1, second = 2.5}"},
	{"triple", "[3] {7, 116 't', 0.25}"},
	{"either", "1.5"},
	{"wide", "233 'é'"},
	{"wider", "128512 '😀'"},
	{"null", "nullptr"},
	{"shapes::diamond.root + shapes::diamond.bottom", "25 (0x19)"},
	{"((shapes::Right *)&shapes::diamond)->right", "13 (0xd)"},
	{"(long)(shapes::Named *)&*owned - (long)&*owned", "8 (0x8)"},
	{"(long)reinterpret_cast<shapes::Named *>(&*owned) - (long)&*owned", "0 (0x0)"},
	{"static_cast<shapes::Square *>((shapes::Named *)&*owned)->side", "6 (0x6)"},
	{"((shapes::Right &)shapes::diamond).right", "13 (0xd)"},
	{"((shapes::Root &)shapes::diamond).root", "11 (0xb)"},
	{"((shapes::Named &)*owned).name == ((shapes::Named *)&*owned)->name", "true"},
	{"(long)&reinterpret_cast<shapes::Named &>(*owned) - (long)&*owned", "0 (0x0)"},
	{"((shapes::Diamond &)(shapes::Right &)shapes::diamond).bottom", "14 (0xe)"},
	{"dynamic_cast<shapes::Right *>((shapes::Left *)&shapes::diamond)->right", "13 (0xd)"},
	{"dynamic_cast<shapes::Named *>((shapes::Base *)&*owned)->name == (*owned).name", "true"},
	{"dynamic_cast<shapes::Left *>((shapes::Base *)&*owned)", "0x00000000"},
	{"shapes::Named::limit", "99 (0x63)"},
	{"shapes::ring.items[0]", "9 (0x9)"},
	{"shapes::Color::blue", "shapes::Color::blue"},
	{"sizeof(shapes::Square)", "20"},
	{"((shapes::Ring<short, 4> *)&shapes::ring)->items[0]", "9 (0x9)"},
	{"sizeof(shapes::Ring<signed short int,4>)", "12"},
}

// checkViews compares how types of the library are shown, and the expressions
// of their parts.
func checkViews(t *testing.T, s *session.Session) {
	t.Helper()
	for _, tt := range libraryViews {
		v, err := s.Evaluate(context.Background(), tt.expr, nil)
		if err != nil {
			t.Errorf("%s: %v", tt.expr, err)
			continue
		}
		if got := v.Text; got != tt.text {
			t.Errorf("%s is %s, want %s", tt.expr, got, tt.text)
		}
		k, err := s.Stack(s.Threads()[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		frames, err := k.Frames(context.Background(), 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		checkExpressions(t, s, &frames[0], v.Value, 2)
	}
}
