package main

import (
	"context"
	"flag"

	"pushmask/core/session"
)

const planLong = `
Lists the instructions of a function, named or by any address in it, with the
row that holds before each: how the CFA follows from a register, and where the
return address and saved registers are. Several rows mean that control flow
gets there with different stacks; "-" marks what no control flow reaches.

--stack prints what the whole program needs of the stack instead: the frame of
each function and the deepest chain of calls below the reset handler, the
handlers of the vector table, and the functions that --entry names (tasks,
callbacks). docs/stack.md says what the figures cover.
`

// planOptions are the flags of plan.
type planOptions struct {
	imageFlags
	stack   bool
	entries []string
}

func planCommand() *command {
	return &command{
		name:  "plan",
		args:  "FW.elf FUNCTION|ADDRESS | --stack FW.elf [flags]",
		short: "show how functions use the stack",
		long:  planLong,
		setup: func(fs *flag.FlagSet) action {
			var o planOptions
			o.declare(fs)
			fs.BoolVar(&o.stack, "stack", false, "print frame sizes and the deepest call chains")
			fs.Func("entry", "with --stack, also start at `function`; may be repeated", func(name string) error {
				o.entries = append(o.entries, name)
				return nil
			})
			return o.run
		},
	}
}

func (o *planOptions) run(ctx context.Context, e *env, args []string) error {
	switch {
	case o.stack && len(args) != 1:
		return usagef("plan --stack needs the firmware ELF and nothing else")
	case !o.stack && len(o.entries) > 0:
		return usagef("--entry goes with --stack")
	case !o.stack && len(args) != 2:
		return usagef("plan needs the firmware ELF and a function or an address")
	}
	o.searchHere()
	p, err := session.OpenProgram(ctx, o.config(args[0]))
	if err != nil {
		return err
	}
	defer p.Close()
	s, err := p.Static(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if o.stack {
		return printStacks(ctx, e.stdout, s, o.entries)
	}
	return printRows(ctx, e.stdout, s, args[1])
}
