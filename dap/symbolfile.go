package dap

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pushmask/core"
	"pushmask/core/gdbcommand"
	"pushmask/core/runcontrol"
	"pushmask/core/session"
	"pushmask/elfsym"
)

// symbolFiles executes commands about the ELFs of the program.
func (in *interpreter) symbolFiles(ctx context.Context, cmd gdbcommand.Command) (bool, error) {
	switch cmd := cmd.(type) {
	case gdbcommand.AddSymbolFile:
		return true, in.addImage(ctx, cmd)
	case gdbcommand.RemoveSymbolFile:
		return true, in.removeImage(ctx, cmd)
	case gdbcommand.File:
		return true, in.chooseImage(ctx, cmd)
	}
	return false, nil
}

// addImage adds an ELF to the program.
func (in *interpreter) addImage(ctx context.Context, cmd gdbcommand.AddSymbolFile) error {
	place := session.Placement{Offset: core.Addr(cmd.Offset)}
	if cmd.HasText {
		place.Sections = append(place.Sections, session.SectionPlace{Name: textSection, Addr: core.Addr(cmd.Text)})
	}
	for _, s := range cmd.Sections {
		place.Sections = append(place.Sections, session.SectionPlace{Name: s.Name, Addr: core.Addr(s.Address)})
	}
	f, err := in.placed(ctx, cmd.Path, place)
	if err != nil {
		return err
	}
	images := in.debuggee.images
	if i := slices.IndexFunc(images, func(m session.ImageFile) bool { return m.Path == f.Path }); i >= 0 {
		return fmt.Errorf("the program has the ELF already, moved by %v: remove-symbol-file takes it out", images[i].Bias)
	}
	if err := in.setImages(ctx, append(slices.Clone(images), f)); err != nil {
		return err
	}
	set := in.debuggee.program.Images()
	added := set.Images()[len(images)]
	in.printf("%s\n", imageLine(set, added))
	for _, o := range set.Overlaps() {
		if o.Other == added && o.Code {
			in.printf("its code at %v..%v is not seen: the addresses are of %s\n", core.Addr(o.Lo), core.Addr(o.Hi-1), set.Name(o.Owner))
		}
	}
	return nil
}

// placed resolves a file that a command names.
func (in *interpreter) placed(ctx context.Context, path string, place session.Placement) (session.ImageFile, error) {
	if err := in.debuggee.halted(); err != nil {
		return session.ImageFile{}, err
	}
	c := &in.adapter.config
	if err := c.checkFile(quote(baseName(path)), &path); err != nil {
		return session.ImageFile{}, err
	}
	cfg := session.Config{Image: path}
	f, err := cfg.Place(ctx, path, place)
	if open, ok := errors.AsType[*session.OpenError](err); ok {
		err = notOpened(errOpenImage, quote(baseName(path)), open)
	}
	return f, err
}

// removeImage takes an ELF out of the program.
func (in *interpreter) removeImage(ctx context.Context, cmd gdbcommand.RemoveSymbolFile) error {
	d := in.debuggee
	if err := d.halted(); err != nil {
		return err
	}
	set := d.program.Images()
	m, found := set.At(cmd.Address), cmd.Path == ""
	if !found {
		if m, found = set.Named(cmd.Path); !found {
			m, found = set.Named(in.adapter.config.fromCwd(cmd.Path))
		}
	}
	switch i := slices.Index(set.Images(), m); {
	case !found || i < 0:
		return errors.New("it is no ELF of the program: info files lists those")
	case i == 0:
		return errors.New("it is the main ELF of the program: symbol-file puts another in its place")
	default:
		return in.setImages(ctx, slices.Delete(slices.Clone(d.images), i, i+1))
	}
}

// chooseImage puts another main ELF in the place of the present one, and for
// exec-file and file chooses what is loaded without a name.
func (in *interpreter) chooseImage(ctx context.Context, cmd gdbcommand.File) error {
	if cmd.Path == "" {
		return errors.New("give a file: there is no session without an ELF")
	}
	f, err := in.placed(ctx, cmd.Path, session.Placement{Offset: core.Addr(cmd.Offset)})
	if err != nil {
		return err
	}
	images := slices.Clone(in.debuggee.images)
	if cmd.Symbols && images[0] != f {
		images = slices.DeleteFunc(images[1:], func(m session.ImageFile) bool { return m.Path == f.Path })
		if err := in.setImages(ctx, append([]session.ImageFile{f}, images...)); err != nil {
			return err
		}
	}
	if cmd.Exec {
		in.adapter.config.executable = f.Path
	}
	return nil
}

// setImages opens the program anew with other ELFs, the main one first. What is
// open stays open where that fails.
func (in *interpreter) setImages(ctx context.Context, images []session.ImageFile) error {
	a, d := in.adapter, in.debuggee
	if err := d.halted(); err != nil {
		return err
	}
	before := a.allModules()
	sc := withImages(a.config.sessionConfig(), images)
	sc.Progress = a.progress.setStep
	var err error
	if d.live == nil {
		err = a.reopenDump(ctx, d, sc)
	} else {
		err = d.setProgram(ctx, sc)
	}
	if open, ok := errors.AsType[*session.OpenError](err); ok {
		return notOpened(errOpenImage, quote(baseName(open.Path)), open)
	}
	if err != nil {
		return err
	}
	d.images = images
	if d.number == 0 {
		a.config.images = images
	}
	if in.scripted {
		return nil // nothing of it was shown yet
	}
	a.tellModules(before)
	a.warnOf(d)
	a.tellDoubts(d)
	if a.client.invalidated {
		a.invalidated()
		return nil
	}
	if d.live == nil {
		a.stopped(ctx, d.crashedThread(), true)
	} else {
		a.laterStop(d, runcontrol.Event{Kind: runcontrol.EventPause, Description: "Symbols"})
	}
	return nil
}

// reopenDump opens the crash with another program.
func (a *adapter) reopenDump(ctx context.Context, d *debuggee, sc session.Config) error {
	program, sess, err := a.open(ctx, sc, a.config.coreFile, a.config.dumpOptions())
	if err != nil {
		return err
	}
	old := d.session
	d.take(program, sess.Program(), sess)
	if err := old.Close(); err != nil {
		a.log.Info("close crash", "error", err)
	}
	return nil
}

// setProgram gives a live target another program.
func (d *debuggee) setProgram(ctx context.Context, sc session.Config) error {
	program, err := session.OpenProgram(ctx, sc)
	if err != nil {
		return err
	}
	if d.live.control == nil { // nothing was read yet
		d.take(program, program, nil)
		return nil
	}
	if err := d.live.control.SetProgram(ctx, program); err != nil {
		program.Close()
		return err
	}
	sess, err := d.live.control.Session()
	if err != nil {
		return err
	}
	d.take(program, program, sess)
	return nil
}

// take replaces the program and what was made of it. The ids that the client has
// for frames and values are good no more.
func (d *debuggee) take(opened, program *session.Program, sess *session.Session) {
	old := d.opened
	d.opened, d.program = opened, program
	d.files, d.quiet = map[string]bool{}, map[string]bool{}
	d.listings.byAddr, d.listings.byStart = map[core.Addr]*listing{}, map[core.Addr]*listing{}
	d.moved(sess)
	old.Close()
}

// infoFiles prints the ELFs of the program.
func (in *interpreter) infoFiles() {
	set := in.debuggee.program.Images()
	for _, m := range set.Images() {
		in.printf("%s\n", imageLine(set, m))
	}
}

// imageLine is an ELF in one line.
func imageLine(set *elfsym.Set, m *elfsym.Image) string {
	line := set.Name(m) + "  " + addressRanges(m)
	if m.Bias() != 0 {
		line += fmt.Sprintf(", moved by %v", core.Addr(m.Bias()))
	}
	return line + "  " + symbolStatus(m) + "  " + m.Path()
}
