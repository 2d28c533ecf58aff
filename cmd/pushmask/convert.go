package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"pushmask/core/session"
)

const convertLong = `
Writes what a crash left behind, whatever its format, as an ELF core that gdb
and lldb open: the registers of all threads and the memory. With --elf the
threads of the firmware's operating system are added where its memory tells
them, and with --with-flash the code and constants of the ELF.

A register that the file does not hold is 0 in the core, for want of a way to
say more; pushmask itself reads from the core which ones are unknown.
`

// convertOptions are the flags of convert.
type convertOptions struct {
	dumpFlags
	more        moreImages
	output, elf string
	flash       bool
}

func convertCommand() *command {
	return &command{
		name:  "convert",
		args:  "FILE -o CORE [flags]",
		short: "write a crash of any format as an ELF core",
		long:  convertLong,
		setup: func(fs *flag.FlagSet) action {
			var o convertOptions
			fs.StringVar(&o.output, "o", "", "write the core to `file`")
			fs.StringVar(&o.elf, "elf", "", "the `firmware` that crashed")
			fs.BoolVar(&o.flash, "with-flash", false, "add the read-only memory of the firmware")
			o.more.declare(fs)
			o.declare(fs)
			o.declareCrash(fs)
			return o.run
		},
	}
}

func (o *convertOptions) run(ctx context.Context, e *env, args []string) error {
	switch {
	case len(args) != 1:
		return usagef("convert needs one file")
	case o.output == "":
		return usagef("convert needs -o and the name of the core")
	case o.flash && o.elf == "":
		return usagef("--with-flash needs --elf")
	case len(o.more) > 0 && o.elf == "":
		return usagef("--with-elf needs --elf")
	}
	p, err := session.OpenProgram(ctx, session.Config{Image: o.elf, More: o.more})
	if err != nil {
		return err
	}
	defer p.Close()
	path, opt := o.open(args[0])
	s, err := p.OpenDump(ctx, path, opt)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, w := range s.Warnings() {
		e.warn("%s: %s", args[0], w)
	}
	e.warnOfImage(p)
	if err := replaceFile(o.output, func(f *os.File) error {
		w := bufio.NewWriter(f)
		if err := s.WriteCore(ctx, w, o.flash); err != nil {
			return err
		}
		return w.Flush()
	}); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%s: %s, %d threads\n", o.output, s.Format(), len(s.Threads()))
	return nil
}

// replaceFile writes a file whole or not at all: what was there before stays
// until the new content is complete.
func replaceFile(path string, write func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".pushmask-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it has its name
	err = write(f)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Chmod(f.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
