package gdbcommand

import (
	"slices"
	"strings"
	"testing"
)

// TestCompleting splits lines, with a bar where the completed part begins.
func TestCompleting(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line string // "|" stands where the completed part begins
		want Argument
	}{
		{"|", ArgumentCommand}, {"|pri", ArgumentCommand}, {"  |co", ArgumentCommand}, {"-exec |co", ArgumentCommand},
		{"print |", ArgumentExpression}, {"p |fo", ArgumentExpression}, {"p/x |a.b", ArgumentExpression}, {"p /x |a.b", ArgumentExpression},
		{"x/4xw |&buf", ArgumentExpression}, {"-exec p |x", ArgumentExpression}, {"output |v", ArgumentExpression},
		{"p|/x", ArgumentNone}, {"|p.x", ArgumentExpression}, {"|p->x", ArgumentExpression}, {"|counter + x", ArgumentExpression},
		{"|(struct foo", ArgumentExpression}, {"|$r", ArgumentExpression}, {"|/x first.", ArgumentExpression}, {"|'file.c", ArgumentExpression},
		{"ptype |struct fo", ArgumentType}, {"ptype/o |fo", ArgumentType}, {"whatis |x", ArgumentType},
		{"info |", ArgumentTopic}, {"info |lo", ArgumentTopic}, {"i |ad", ArgumentTopic}, {"info address |ma", ArgumentSymbol},
		{"info symbol |x", ArgumentExpression}, {"info registers |r", ArgumentRegisters}, {"info frame |", ArgumentNone},
		{"info line |ma", ArgumentLocation}, {"info types |no", ArgumentType}, {"info |nonsense x", ArgumentNone},
		{"set var |x = y", ArgumentExpression}, {"set variable |x", ArgumentExpression}, {"set |x.y", ArgumentExpression},
		{"break |ma", ArgumentLocation}, {"b main if |cou", ArgumentExpression}, {"break *|ma", ArgumentExpression},
		{`printf "%d",| x`, ArgumentExpression}, {`printf |"%d`, ArgumentNone}, {"condition 1 |x", ArgumentExpression}, {"condition |1", ArgumentNone},
		{"monitor |re", ArgumentNone}, {"load |fi", ArgumentNone},
	} {
		from := strings.IndexByte(tt.line, '|')
		line := tt.line[:from] + tt.line[from+1:]
		if what, at := Completing(line); what != tt.want || at != from {
			t.Errorf("%q: argument %d at %d, want %d at %d", line, what, at, tt.want, from)
		}
	}
}

// TestCommandNames parses every name that is offered.
func TestCommandNames(t *testing.T) {
	t.Parallel()
	if list := Commands(); !slices.Contains(list, "ptype") || !slices.IsSorted(list) {
		t.Errorf("commands %v", list)
	}
	for name := range completed {
		if readers[name] == nil {
			t.Errorf("what follows %s is completed, and it is not known", name)
		}
	}
	for _, topic := range Topics() {
		if cmd, err := Parse("info " + topic); err != nil || (cmd != Info{Topic(topic), ""}) {
			t.Errorf("info %s: %v, %v", topic, cmd, err)
		}
	}
}

// FuzzCompleting checks that what is completed lies in the line.
func FuzzCompleting(f *testing.F) {
	for _, line := range []string{"", "p/x a", "info ", "-exec p x", "set var", "break x if ", "condition 1 ", `printf "a", b`, "x/"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if _, from := Completing(line); from < 0 || from > len(line) {
			t.Errorf("%q: from %d", line, from)
		}
	})
}
