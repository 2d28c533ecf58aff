package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testEnv is an env with its output.
type testEnv struct {
	env
	out, err bytes.Buffer
}

func newTestEnv(stdin string, vars map[string]string) *testEnv {
	e := &testEnv{}
	e.env = env{
		stdin:  strings.NewReader(stdin),
		stdout: &e.out,
		stderr: &e.err,
		getenv: func(name string) string { return vars[name] },
	}
	return e
}

func TestParseArgs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		rest []string
		flag string
		err  string
	}{
		{"flags first", []string{"--x", "1", "a", "b"}, []string{"a", "b"}, "1", ""},
		{"flags last", []string{"a", "b", "-x=2"}, []string{"a", "b"}, "2", ""},
		{"flags between", []string{"a", "--x=3", "b"}, []string{"a", "b"}, "3", ""},
		{"end of flags", []string{"a", "--", "--x", "b"}, []string{"a", "--x", "b"}, "", ""},
		{"dash", []string{"-", "--x", "4"}, []string{"-"}, "4", ""},
		{"none", nil, nil, "", ""},
		{"unknown", []string{"a", "--y"}, nil, "", "flag provided but not defined: --y"},
		{"lacks its value", []string{"a", "--x"}, nil, "", "flag needs an argument: --x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fs := flag.NewFlagSet("", flag.ContinueOnError)
			fs.SetOutput(&bytes.Buffer{})
			x := fs.String("x", "", "")
			rest, err := parseArgs(fs, tt.args)
			if tt.err != "" {
				if _, usage := errors.AsType[*usageError](err); !usage || err.Error() != tt.err {
					t.Errorf("error %v, want usage error %q", err, tt.err)
				}
				return
			}
			if err != nil || *x != tt.flag {
				t.Fatalf("--x is %q, error %v", *x, err)
			}
			if diff := cmp.Diff(tt.rest, rest); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPainter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		when     string
		terminal bool
		vars     map[string]string
		want     painter
	}{
		{"auto", true, nil, true},
		{"auto", false, nil, false},
		{"auto", true, map[string]string{"NO_COLOR": "1"}, false},
		{"auto", true, map[string]string{"TERM": "dumb"}, false},
		{"always", false, map[string]string{"NO_COLOR": "1"}, true},
		{"never", true, nil, false},
	}
	for _, tt := range tests {
		e := newTestEnv("", tt.vars)
		e.terminal = tt.terminal
		got, err := newPainter(tt.when, &e.env)
		if err != nil || got != tt.want {
			t.Errorf("%+v: %v, %v", tt, got, err)
		}
	}
	if got := painter(true).paint(red, "x"); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("painted %q", got)
	}
	if got := painter(true).paint(red, ""); got != "" {
		t.Errorf("painted nothing as %q", got)
	}
}

func TestRunReportsPartialFailure(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  error
		want int
		text string
	}{
		{nil, exitOK, ""},
		{errors.New("broken"), exitFailed, "pushmask: broken\n"},
		{errReported, exitFailed, ""},
		{errPartial, exitPartial, ""},
		{usagef("wrong"), exitUsage, "pushmask: wrong; \"pushmask test -h\" shows the usage\n"},
	}
	for _, tt := range tests {
		e := newTestEnv("", nil)
		c := &command{name: "test", setup: func(*flag.FlagSet) action {
			return func(context.Context, *env, []string) error { return tt.err }
		}}
		if got := c.run(context.Background(), &e.env, nil); got != tt.want || e.err.String() != tt.text {
			t.Errorf("%v: status %d, %q", tt.err, got, e.err.String())
		}
	}
}
