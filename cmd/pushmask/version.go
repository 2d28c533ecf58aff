package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is the release that this tree becomes.
const version = "0.1.0"

func versionCommand() *command {
	return &command{
		name:  "version",
		short: "print the version",
		long:  "Prints the version, the revision it was built from where that is known, and the\nplatform.",
		setup: func(*flag.FlagSet) action {
			return func(_ context.Context, e *env, args []string) error {
				if len(args) > 0 {
					return usagef("version takes no arguments")
				}
				_, err := fmt.Fprintln(e.stdout, versionLine(debug.ReadBuildInfo()))
				return err
			}
		},
	}
}

func versionLine(info *debug.BuildInfo, ok bool) string {
	line := "pushmask " + version
	if ok {
		settings := make(map[string]string)
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		if rev := settings["vcs.revision"]; rev != "" {
			line += " " + rev[:min(len(rev), 12)]
			if settings["vcs.modified"] == "true" {
				line += "+changes"
			}
		}
	}
	return fmt.Sprintf("%s %s/%s %s", line, runtime.GOOS, runtime.GOARCH, runtime.Version())
}
