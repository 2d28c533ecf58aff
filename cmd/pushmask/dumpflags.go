package main

import (
	"flag"
	"strconv"

	"pushmask/core"
	"pushmask/core/session"
)

// dumpFlags are the flags of commands that open dumps: what a file does not
// say itself.
type dumpFlags struct {
	base  core.Addr
	based bool
	with  []session.DumpSource
	regs  core.Regs
	crash int
}

func (f *dumpFlags) declare(fs *flag.FlagSet) {
	fs.Func("base", "the dump is raw memory at `address`; DUMP@ADDRESS says the same", func(text string) (err error) {
		f.based = true
		f.base, err = session.ParseAddress(text)
		return err
	})
	fs.Func("with", "`file` has more of the crash: memory, or registers as debuggers print them; FILE@ADDRESS is raw memory", func(text string) error {
		f.with = append(f.with, session.ParseSource(text))
		return nil
	})
	fs.Func("reg", "set a `register` of the crashed thread, as in pc=0x8001234", func(text string) error {
		return session.ParseRegister(text, &f.regs)
	})
}

// declareCrash declares the flag that selects a crash of a file.
func (f *dumpFlags) declareCrash(fs *flag.FlagSet) {
	fs.IntVar(&f.crash, "crash", 0, "open crash `n` of a file that holds several, as info lists them")
}

// open returns the file that the user named and how to open it.
func (f *dumpFlags) open(name string) (path string, opt session.DumpOptions) {
	opt = session.DumpOptions{Crash: f.crash, Base: f.base, HasBase: f.based, More: f.with, Set: f.regs}
	if src := session.ParseSource(name); src.HasBase {
		name, opt.Base, opt.HasBase = src.Path, src.Base, true
	}
	return name, opt
}

// whichCrash is the value of bt's flag --crash.
type whichCrash struct {
	number *int
	all    bool
}

// String implements flag.Value.
func (w *whichCrash) String() string {
	switch {
	case w.all:
		return "all"
	case w.number == nil:
		return "0"
	}
	return strconv.Itoa(*w.number)
}

// Set implements flag.Value.
func (w *whichCrash) Set(text string) (err error) {
	if w.all = text == "all"; !w.all {
		*w.number, err = strconv.Atoi(text)
	}
	return err
}
