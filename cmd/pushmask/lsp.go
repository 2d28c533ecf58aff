package main

import (
	"context"
	"flag"

	"pushmask/lsp"
)

const lspLong = `
Serves the Language Server Protocol on the standard streams, for editors: it
explains addresses in crash logs.
`

func lspCommand() *command {
	return &command{
		name:  "lsp",
		args:  "[flags]",
		short: "serve the Language Server Protocol to an editor",
		long:  lspLong,
		setup: func(fs *flag.FlagSet) action {
			logFile := fs.String("log", "", "append a log to `file`")
			// Editors that start servers by convention add it.
			fs.Bool("stdio", true, "talk on the standard streams, the only way there is")
			return func(ctx context.Context, e *env, args []string) error {
				if len(args) > 0 {
					return usagef("lsp takes no arguments, only flags")
				}
				log, done, err := openLog(*logFile)
				if err != nil {
					return err
				}
				defer done()
				err = lsp.Serve(ctx, e.stdio(), lsp.Options{Log: log, Version: version})
				if ctx.Err() != nil {
					return nil // the editor ended the process politely
				}
				return err
			}
		},
	}
}
