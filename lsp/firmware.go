package lsp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pushmask/core/session"
)

// firmware is the configured image. It is opened when it is first needed and
// again when the file has changed.
type firmware struct {
	root    string // workspace folder, "" for none
	config  config
	program *session.Program // nil while closed
	listing *session.Session // of the program's code
	files   []fs.FileInfo    // of the opened files
	sources map[string]session.Source
	warned  bool // the user knows that it cannot be opened
}

// configure sets what to open.
func (f *firmware) configure(c config) error {
	f.config, f.warned = c, false
	return f.close()
}

func (f *firmware) close() error {
	if f.program == nil {
		return nil
	}
	err := errors.Join(f.listing.Close(), f.program.Close())
	f.program, f.listing, f.files, f.sources = nil, nil, nil, nil
	return err
}

// absolute is the absolute form of a configured path, "" for none. Editors other
// than VS Code, and VS Code's settings, leave its variable for the workspace
// folder as it is.
func (f *firmware) absolute(path string) string {
	path = strings.ReplaceAll(path, "${workspaceFolder}", f.root)
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(f.root, path)
}

// images lists the configured ELFs, the executable first.
func (f *firmware) images() []session.ImageFile {
	list := []session.ImageFile{{Path: f.absolute(f.config.Executable)}}
	for _, text := range f.config.SymbolFiles {
		list = append(list, session.ParseImageFile(f.absolute(text)))
	}
	return list
}

// current reports whether the opened program is that of the files as they are
// now.
func (f *firmware) current() bool {
	if f.program == nil {
		return false
	}
	for i, m := range f.images() {
		now, err := os.Stat(m.Path)
		was := f.files[i]
		if err != nil || !os.SameFile(now, was) || now.Size() != was.Size() || !now.ModTime().Equal(was.ModTime()) {
			return false
		}
	}
	return true
}

// open opens the configured files.
func (f *firmware) open(ctx context.Context) error {
	images := f.images()
	var files []fs.FileInfo
	for _, m := range images {
		info, err := os.Stat(m.Path)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() { // opening a pipe would wait for its other end
			return fmt.Errorf("open %s: it is no file", m.Path)
		}
		files = append(files, info)
	}
	p, err := session.OpenProgram(ctx, session.Config{
		Image:     images[0].Path,
		More:      images[1:],
		Workspace: f.root,
		SourceMap: session.RulesFromMap(f.config.SourceFileMap),
	})
	if err != nil {
		return err
	}
	listing, err := p.Static(ctx)
	if err != nil {
		return errors.Join(err, p.Close())
	}
	f.program, f.listing, f.files = p, listing, files
	return nil
}

// source is the file on this machine that a recorded path stands for.
func (f *firmware) source(recorded string) (path string, found bool) {
	if f.sources == nil {
		f.sources = map[string]session.Source{}
		for _, src := range f.program.Sources() {
			f.sources[src.Recorded] = src
		}
	}
	src, ok := f.sources[recorded]
	if !ok {
		return recorded, false
	}
	return src.Path, src.Found
}

// ready reports whether addresses can be looked up: a firmware is configured
// and opens. When it does not open, the user is told once.
func (s *server) ready(ctx context.Context) bool {
	f := &s.firmware
	if f.config.Executable == "" {
		return false
	}
	if f.current() {
		return true
	}
	err := f.close()
	if err == nil {
		err = f.open(ctx)
	}
	if err != nil && !f.warned {
		s.warn("addresses cannot be looked up: " + err.Error())
	}
	f.warned = err != nil
	return err == nil
}
