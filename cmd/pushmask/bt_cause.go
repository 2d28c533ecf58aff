package main

import (
	"fmt"
	"io"
)

// writeCause writes the line of bt --cause: why the crashed thread of a dump
// stopped.
func writeCause(w io.Writer, b *backtrace, named bool) {
	for _, t := range b.threads {
		if !t.Crashed {
			continue
		}
		if named {
			fmt.Fprintf(w, "%s: ", b.heading())
		}
		fmt.Fprintf(w, "%s: %s\n", t.cause.Name, t.cause.Description)
		return
	}
}
