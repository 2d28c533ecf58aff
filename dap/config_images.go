package dap

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/core/session"
)

// symbolFile is an ELF with the symbols of a part of the program, and where it
// lies.
type symbolFile struct {
	Path  string
	Place session.Placement
}

// setSymbolFiles reads a list whose entries are paths, or objects with a path
// and the addresses at which the file lies.
func setSymbolFiles(c *launchConfig, name string, raw json.RawMessage) (err error) {
	c.symbolFiles, err = parseSymbolFiles(quote(name), name, raw)
	return err
}

// parseSymbolFiles reads the list of an attribute, which label names in errors.
func parseSymbolFiles(label, name string, raw json.RawMessage) ([]symbolFile, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, wrongType(name, `a list like ["boot.elf", {"file": "app.elf", "offset": "0x10000"}]`)
	}
	list := []symbolFile{}
	for i, raw := range entries {
		f, err := parseSymbolFile(raw)
		if err != nil {
			return nil, failf(errConfig, "%s: %w", entry(label, i), err)
		}
		list = append(list, f)
	}
	return list, nil
}

func parseSymbolFile(raw json.RawMessage) (f symbolFile, err error) {
	if json.Unmarshal(raw, &f.Path) == nil {
		if f.Path == "" {
			return f, errors.New("the path is empty")
		}
		return f, nil
	}
	var long struct {
		File        string
		Offset      json.RawMessage
		TextAddress json.RawMessage
		Sections    []struct {
			Name    string
			Address json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &long); err != nil || long.File == "" {
		return f, errors.New(`give a path in quotes, or an object with "file"`)
	}
	f.Path = long.File
	if f.Place.Offset, err = optionalOffset(long.Offset); err != nil {
		return f, fmt.Errorf(`"offset": %w`, err)
	}
	text, given, err := optionalAddress(long.TextAddress)
	if err != nil {
		return f, fmt.Errorf(`"textaddress": %w`, err)
	}
	if given {
		f.Place.Sections = []session.SectionPlace{{Name: textSection, Addr: text}}
	}
	for _, s := range long.Sections {
		at, ok, err := optionalAddress(s.Address)
		if err != nil || !ok || s.Name == "" {
			return f, errors.New(`"sections" holds no objects with "name" and "address"`)
		}
		f.Place.Sections = append(f.Place.Sections, session.SectionPlace{Name: s.Name, Addr: at})
	}
	return f, nil
}

// textSection is the section whose address gdb's add-symbol-file takes without a
// name.
const textSection = ".text"

// optionalAddress reads a number, or one in quotes; false where there is none.
func optionalAddress(raw json.RawMessage) (core.Addr, bool, error) {
	text := string(raw)
	if len(raw) == 0 || text == "null" {
		return 0, false, nil
	}
	_ = json.Unmarshal(raw, &text) // a number stays as it is written
	if text == "" {
		return 0, false, nil
	}
	a, err := session.ParseAddress(text)
	return a, err == nil, err
}

// optionalOffset reads a distance as optionalAddress does an address; it may be
// negative, which is taken modulo 1<<32.
func optionalOffset(raw json.RawMessage) (core.Addr, error) {
	text, negative := string(raw), false
	if unquoted := ""; json.Unmarshal(raw, &unquoted) == nil {
		text = unquoted
	}
	if text, negative = strings.CutPrefix(text, "-"); !negative {
		a, _, err := optionalAddress(raw)
		return a, err
	}
	a, err := session.ParseAddress(text)
	return -a, err
}

// quote names an attribute in errors.
func quote(name string) string { return strconv.Quote(name) }

// entry names an entry of a list, from 0 here and from 1 for people.
func entry(label string, i int) string { return fmt.Sprintf("%s: entry %d", label, i+1) }

// checkImages resolves the ELFs of the program and finds their places.
func (c *launchConfig) checkImages() (err error) {
	if c.executable != "" {
		if err := c.checkFile(quote("executable"), &c.executable); err != nil {
			return err
		}
	}
	c.images, err = c.placed(quote("symbolFiles"), c.executable, c.symbolFiles)
	return err
}

// placed lists the ELFs whose symbols a machine's program has: the symbol files
// or, where none are given, the executable. Cortex-Debug does so.
func (c *launchConfig) placed(label, executable string, files []symbolFile) ([]session.ImageFile, error) {
	if len(files) == 0 {
		return []session.ImageFile{{Path: executable}}, nil
	}
	list := make([]session.ImageFile, len(files))
	for i, f := range files {
		if err := c.checkFile(entry(label, i), &f.Path); err != nil {
			return nil, err
		}
		cfg := session.Config{Image: f.Path}
		var err error
		if list[i], err = cfg.Place(context.Background(), f.Path, f.Place); err != nil {
			if open, ok := errors.AsType[*session.OpenError](err); ok {
				return nil, notOpened(errOpenImage, entry(label, i), open)
			}
			return nil, failf(errConfig, "%s: %w", entry(label, i), err)
		}
		files[i].Path = f.Path
	}
	return list, nil
}

// isUnused reports whether a file was given that is none of the ELFs.
func (c *launchConfig) isUnused(path string) bool {
	return path != "" && !slices.ContainsFunc(c.images, func(m session.ImageFile) bool { return m.Path == path })
}

// program is the file that runs: the executable or, without one, the main image.
func (c *launchConfig) program() string { return cmp.Or(c.executable, c.images[0].Path) }

// withImages makes a configuration of the ELFs of a program, that which counts
// most first.
func withImages(cfg session.Config, images []session.ImageFile) session.Config {
	if len(images) > 0 {
		cfg.Image, cfg.Bias, cfg.More = images[0].Path, images[0].Bias, images[1:]
	}
	return cfg
}

// nameOf says where in the configuration an ELF was named.
func (c *launchConfig) nameOf(path string) string {
	at := func(label, executable, executableLabel string, files []symbolFile) string {
		for i, f := range files {
			if f.Path == path {
				return entry(label, i)
			}
		}
		if executable == path {
			return executableLabel
		}
		return ""
	}
	label := at(quote("symbolFiles"), c.executable, quote("executable"), c.symbolFiles)
	for i, t := range c.targets {
		target := entry(quote("targets"), i)
		label = cmp.Or(label, at(target+`: "symbolFiles"`, t.Executable, target+`: "executable"`, t.files))
	}
	return cmp.Or(label, quote("executable"))
}

// openFailure words the failure to open an image or a dump.
func (c *launchConfig) openFailure(err error) error {
	e, ok := errors.AsType[*session.OpenError](err)
	if !ok {
		return err
	}
	if e.What == "crash dump" {
		return notOpened(errOpenDump, quote("coreFile"), e)
	}
	return notOpened(errOpenImage, c.nameOf(e.Path), e)
}

// notOpened words the failure to open what label names.
func notOpened(id errorID, label string, e *session.OpenError) error {
	text := fmt.Sprintf("%s: %s cannot be opened as the %s: %s", label, e.Path, e.What, e.Cause)
	if e.Hint != "" {
		text += ": " + e.Hint
	}
	return &requestError{id: id, text: text, err: e}
}
