package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// The exit statuses, documented in docs/command-line.md.
const (
	exitOK      = 0
	exitFailed  = 1 // nothing of what was asked for could be done
	exitUsage   = 2 // the command line is wrong
	exitPartial = 3 // some of several dumps failed
)

// env is what a command has of the world around it.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	terminal       bool // stdout is a terminal
}

// warn prints a line on stderr.
func (e *env) warn(format string, args ...any) {
	fmt.Fprintf(e.stderr, "pushmask: "+format+"\n", args...)
}

// command is a subcommand. setup declares its flags and returns what runs
// after they are parsed.
type command struct {
	name  string
	args  string // synopsis of the arguments
	short string // one line, for the list of commands
	long  string
	setup func(fs *flag.FlagSet) action
}

type action func(ctx context.Context, e *env, args []string) error

func commands() []*command {
	return []*command{
		btCommand(),
		infoCommand(),
		convertCommand(),
		gdbserverCommand(),
		triageCommand(),
		workerCommand(),
		printCommand(),
		disasCommand(),
		planCommand(),
		demoCommand(),
		dapCommand(),
		lspCommand(),
		versionCommand(),
	}
}

// usageError is a wrong command line.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// errPartial ends a command that failed for some of its inputs and has said
// which.
var errPartial = errors.New("some inputs failed")

// errReported ends a command that failed and has said why.
var errReported = errors.New("failed")

// run executes the command line args and returns the exit status.
func run(ctx context.Context, args []string, e *env) int {
	if len(args) == 0 {
		printCommands(e.stderr)
		return exitUsage
	}
	switch name := args[0]; name {
	case "help", "-h", "-help", "--help":
		return help(e, args[1:])
	case "--version", "-version":
		args = []string{"version"}
	}
	c := findCommand(args[0])
	if c == nil {
		e.warn("unknown command %q; \"pushmask help\" lists the commands", args[0])
		return exitUsage
	}
	return c.run(ctx, e, args[1:])
}

func findCommand(name string) *command {
	for _, c := range commands() {
		if c.name == name {
			return c
		}
	}
	return nil
}

// help prints the list of commands or the help of one.
func help(e *env, args []string) int {
	if len(args) == 0 {
		printCommands(e.stdout)
		return exitOK
	}
	c := findCommand(args[0])
	if c == nil {
		e.warn("unknown command %q; \"pushmask help\" lists the commands", args[0])
		return exitUsage
	}
	fs, _ := c.flags()
	c.printHelp(e.stdout, fs)
	return exitOK
}

func (c *command) flags() (*flag.FlagSet, action) {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return fs, c.setup(fs)
}

func (c *command) run(ctx context.Context, e *env, args []string) int {
	fs, act := c.flags()
	rest, err := parseArgs(fs, args)
	if errors.Is(err, flag.ErrHelp) {
		c.printHelp(e.stdout, fs)
		return exitOK
	}
	if err == nil {
		err = act(ctx, e, rest)
	}
	return c.report(e, err)
}

// report says what went wrong and turns it into an exit status.
func (c *command) report(e *env, err error) int {
	_, usage := errors.AsType[*usageError](err)
	switch {
	case err == nil:
		return exitOK
	case usage:
		e.warn("%v; \"pushmask %s -h\" shows the usage", err, c.name)
		return exitUsage
	case errors.Is(err, errPartial):
		return exitPartial
	case errors.Is(err, context.Canceled):
		e.warn("interrupted")
	case !errors.Is(err, errReported):
		e.warn("%v", err)
	}
	return exitFailed
}

// parseArgs parses flags wherever they stand between the arguments; "--" ends
// the flags.
func parseArgs(fs *flag.FlagSet, args []string) ([]string, error) {
	var rest []string
	for {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, &usageError{strings.Replace(err.Error(), ": -", ": --", 1)}
		}
		left := fs.Args()
		if consumed := len(args) - len(left); consumed > 0 && args[consumed-1] == "--" {
			return append(rest, left...), nil
		}
		if len(left) == 0 {
			return rest, nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

func printCommands(w io.Writer) {
	fmt.Fprint(w, "pushmask opens crashes of ARM firmware.\n\nusage: pushmask COMMAND [arguments]\n\ncommands:\n")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range commands() {
		fmt.Fprintf(tw, "  %s\t%s\n", c.name, c.short)
	}
	tw.Flush()
	fmt.Fprint(w, "\n\"pushmask COMMAND -h\" shows the arguments and flags of a command.\n")
}

func (c *command) printHelp(w io.Writer, fs *flag.FlagSet) {
	fmt.Fprintf(w, "usage: %s\n\n%s\n", strings.TrimSpace("pushmask "+c.name+" "+c.args), strings.TrimSpace(c.long))
	var flags []*flag.Flag
	fs.VisitAll(func(f *flag.Flag) { flags = append(flags, f) })
	if len(flags) == 0 {
		return
	}
	fmt.Fprint(w, "\nflags:\n")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range flags {
		arg, usage := flag.UnquoteUsage(f)
		if arg != "" {
			arg = " " + strings.ToUpper(arg)
		}
		fmt.Fprintf(tw, "  --%s%s\t%s\n", f.Name, arg, usage)
	}
	tw.Flush()
}
