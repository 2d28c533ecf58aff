package main

import (
	"flag"
	"os"

	"pushmask/core/session"
)

// imageFlags are the flags of commands that open an image.
type imageFlags struct {
	noDebug, noSymbols bool
	sourceRoot         string
}

func (f *imageFlags) declare(fs *flag.FlagSet) {
	fs.BoolVar(&f.noDebug, "no-debug", false, "ignore DWARF, CFI and EHABI tables")
	fs.BoolVar(&f.noSymbols, "no-symbols", false, "ignore symbols, and debug information with them")
	fs.StringVar(&f.sourceRoot, "source-root", "", "find source files below `dir`; the default is the working folder")
}

// config returns how to open image.
func (f *imageFlags) config(image string) session.Config {
	root := f.sourceRoot
	if root == "" {
		root, _ = os.Getwd() // without a working folder nothing is searched
	}
	return session.Config{
		Image:     image,
		NoDebug:   f.noDebug,
		NoSymbols: f.noSymbols,
		Workspace: root,
	}
}
