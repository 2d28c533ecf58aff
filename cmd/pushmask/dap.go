package main

import (
	"context"
	"errors"
	"flag"
	"net"

	"pushmask/dap"
)

const dapLong = `
Serves the Debug Adapter Protocol, for editors: one session on the standard
streams, or with --listen any number of sessions on TCP. It listens on the
loopback interface only: whoever connects can read the files of this user.
`

func dapCommand() *command {
	return &command{
		name:  "dap",
		args:  "[flags]",
		short: "serve the Debug Adapter Protocol to an editor",
		long:  dapLong,
		setup: func(fs *flag.FlagSet) action {
			listen := fs.String("listen", "", "serve TCP on `host:port`, for example 127.0.0.1:4711; port 0 is any")
			remote := fs.Bool("allow-remote", false, "let --listen take an address that other machines reach")
			logFile := fs.String("log", "", "append a log to `file`")
			return func(ctx context.Context, e *env, args []string) error {
				if len(args) > 0 {
					return usagef("dap takes no arguments, only flags")
				}
				if *remote && *listen == "" {
					return usagef("--allow-remote needs --listen")
				}
				log, done, err := openLog(*logFile)
				if err != nil {
					return err
				}
				defer done()
				return serveDAP(ctx, e, *listen, dap.Options{Log: log, AllowRemote: *remote})
			}
		},
	}
}

func serveDAP(ctx context.Context, e *env, listen string, opt dap.Options) error {
	if listen == "" {
		err := dap.Serve(ctx, e.stdio(), opt)
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return nil // the editor ended the process politely
		}
		return err
	}
	opt.Listening = func(a net.Addr) { e.warn("listening on %v", a) }
	err := dap.Listen(ctx, listen, opt)
	if errors.Is(err, dap.ErrNotLoopback) {
		return usagef("%v; --allow-remote lets other machines in", err)
	}
	return err
}
