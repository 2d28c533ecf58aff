package main

import (
	"flag"
	"os"

	"pushmask/core/session"
)

// moreImages are the ELFs that are in memory beside the one of the command.
type moreImages []session.ImageFile

func (m *moreImages) declare(fs *flag.FlagSet) {
	fs.Func("with-elf", "`file` is another ELF of the same memory: a boot loader, a ROM; FILE@OFFSET runs so far from where it is linked", func(text string) error {
		f := session.ParseImageFile(text)
		*m = append(*m, f)
		_, err := os.Stat(f.Path)
		return err
	})
}

// imageFlags are the flags of commands that open an image.
type imageFlags struct {
	more               moreImages
	noDebug, noSymbols bool
	sourceRoot         string
	svd                string
}

func (f *imageFlags) declare(fs *flag.FlagSet) {
	f.more.declare(fs)
	fs.BoolVar(&f.noDebug, "no-debug", false, "ignore DWARF, CFI and EHABI tables")
	fs.BoolVar(&f.noSymbols, "no-symbols", false, "ignore symbols, and debug information with them")
	fs.StringVar(&f.sourceRoot, "source-root", "", "find source files below `dir`, not below the working folder")
	fs.Func("svd", "name registers of devices after the CMSIS-SVD `file`", func(path string) error {
		_, err := os.Stat(path) // it is read when a name of it is needed
		f.svd = path
		return err
	})
}

// config returns how to open image.
func (f *imageFlags) config(image string) session.Config {
	return session.Config{
		Image:     image,
		More:      f.more,
		NoDebug:   f.noDebug,
		NoSymbols: f.noSymbols,
		Workspace: f.sourceRoot,
		SVD:       f.svd,
	}
}

// warnOfImage prints what of the image could not be read while it was used.
func (e *env) warnOfImage(p *session.Program) {
	for _, w := range p.Warnings() {
		e.warn("%s: %s", p.Path(), w)
	}
	if note := p.DescriptionNote(); note != "" {
		e.warn("%s", note)
	}
}

// searchHere makes the working folder the place to find source files in unless
// the user named another one. Output for programs does not depend on it.
func (f *imageFlags) searchHere() {
	if f.sourceRoot == "" {
		f.sourceRoot, _ = os.Getwd() // without a working folder nothing is searched
	}
}
