package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"

	"pushmask/core/gdbremote/serve"
	"pushmask/core/session"
)

const gdbserverLong = `
Serves a crash as a GDB stub: gdb, lldb and Cortex-Debug look at a dump of any
format as they look at a halted board. Memory, registers and threads can be
read, nothing can be run or changed. "monitor help" lists what pushmask says of
the crash beyond that, its own call stack among it.

  pushmask gdbserver fw.elf crash.log
  gdb-multiarch fw.elf -ex 'target remote 127.0.0.1:3333'
  lldb fw.elf -o 'gdb-remote 127.0.0.1:3333'

One client is served after the other until the command is interrupted. It
listens on the loopback interface only: whoever connects can read the dump. The
line "listening on HOST:PORT" says that clients can connect.
`

// gdbserverOptions are the flags of gdbserver.
type gdbserverOptions struct {
	imageFlags
	dumpFlags
	listen, log  string
	remote, once bool
	force        bool
}

func gdbserverCommand() *command {
	return &command{
		name:  "gdbserver",
		args:  "FW.elf DUMP [flags]",
		short: "serve a crash to gdb, lldb and Cortex-Debug",
		long:  gdbserverLong,
		setup: func(fs *flag.FlagSet) action {
			var o gdbserverOptions
			o.imageFlags.declare(fs)
			o.dumpFlags.declare(fs)
			o.declareCrash(fs)
			fs.StringVar(&o.listen, "listen", "127.0.0.1:3333", "serve TCP on `host:port`; port 0 is any")
			fs.BoolVar(&o.remote, "allow-remote", false, "let --listen take an address that other machines reach")
			fs.BoolVar(&o.force, "force", false, "serve the dump although the ELF is not the one that crashed")
			fs.BoolVar(&o.once, "once", false, "end when the first client has left")
			fs.StringVar(&o.log, "log", "", "append the packets to `file`")
			return o.run
		},
	}
}

func (o *gdbserverOptions) run(ctx context.Context, e *env, args []string) error {
	if len(args) != 2 || args[0] == "" {
		return usagef("gdbserver needs the firmware ELF and one dump")
	}
	log, done, err := openLog(o.log)
	if err != nil {
		return err
	}
	defer done()
	o.searchHere()
	p, err := session.OpenProgram(ctx, o.config(args[0]))
	if err != nil {
		return err
	}
	defer p.Close()
	path, opt := o.open(args[1])
	s, err := p.OpenDump(ctx, path, opt)
	if err != nil {
		return err
	}
	defer s.Close()
	if text := s.Mismatch(); text != "" && !o.force {
		return fmt.Errorf("%s: %s; --force serves it all the same", args[1], text)
	}
	for _, w := range s.Warnings() {
		e.warn("%s: %s", args[1], w)
	}
	m := &monitor{session: s, path: args[1]}
	stub, err := serve.New(ctx, s, serve.Options{
		Log: log, Monitor: m.commands(), AllowRemote: o.remote, Once: o.once,
		Listening: func(a net.Addr) { fmt.Fprintf(e.stdout, "listening on %v\n", a) },
	})
	if errors.Is(err, serve.ErrNoPC) {
		return fmt.Errorf("serve %s: %w; --with and --reg give registers", args[1], err)
	}
	if err != nil {
		return fmt.Errorf("serve %s: %w", args[1], err)
	}
	err = stub.Listen(ctx, o.listen)
	e.warnOfImage(p)
	if errors.Is(err, serve.ErrNotLoopback) {
		return usagef("%v; --allow-remote lets other machines in", err)
	}
	return err
}
