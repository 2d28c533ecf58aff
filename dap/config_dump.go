package dap

import (
	"encoding/json"
	"path/filepath"

	"pushmask/core"
	"pushmask/core/session"
)

// dumpParts is what a launch configuration says of the crash beside the name of
// the dump.
type dumpParts struct {
	crash     int // number in the dump, 0 for the one that matters
	base      core.Addr
	hasBase   bool
	with      []session.DumpSource
	registers map[string]uint32
}

// dumpOptions is how to open the dump.
func (c *launchConfig) dumpOptions() session.DumpOptions {
	opt := session.DumpOptions{Crash: c.crash, Base: c.base, HasBase: c.hasBase, More: c.with}
	for name, v := range c.registers {
		if r, ok := core.LookupReg(name); ok {
			opt.Set.Set(r, v)
		}
	}
	return opt
}

// splitAddress takes the address behind the name of the dump, as in
// "ram.bin@0x20000000".
func (c *launchConfig) splitAddress() error {
	src := session.ParseSource(c.fromCwd(c.coreFile))
	if !src.HasBase {
		return nil
	}
	if c.hasBase && c.base != src.Base {
		return failf(errConfig, `"coreFileBase" is %v, but "coreFile" ends with %v: give one of them`, c.base, src.Base)
	}
	c.coreFile, c.base, c.hasBase = src.Path, src.Base, true
	return nil
}

// fromCwd resolves a path against the configured folder.
func (c *launchConfig) fromCwd(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.cwd, path)
}

// setBase reads the address of raw memory: a number, or one in quotes.
func setBase(c *launchConfig, name string, raw json.RawMessage) error {
	text := string(raw)
	if json.Unmarshal(raw, &text) == nil && text == "" {
		return nil
	}
	a, err := session.ParseAddress(text)
	if err != nil {
		return wrongType(name, `an address like "0x20000000"`)
	}
	c.base, c.hasBase = a, true
	return nil
}

// setCrash reads the number of a crash.
func setCrash(c *launchConfig, name string, raw json.RawMessage) error {
	if err := json.Unmarshal(raw, &c.crash); err != nil || c.crash < 0 {
		return wrongType(name, "the number of a crash, from 1")
	}
	return nil
}

// setWith reads the list of further files.
func setWith(c *launchConfig, name string, raw json.RawMessage) error {
	var files []string
	if err := json.Unmarshal(raw, &files); err != nil {
		return wrongType(name, `a list like ["registers.txt", "flash.bin@0x08000000"]`)
	}
	for _, f := range files {
		c.with = append(c.with, session.DumpSource{Path: f})
	}
	return nil
}

// checkWith resolves the further files.
func (c *launchConfig) checkWith() error {
	for i := range c.with {
		src := session.ParseSource(c.fromCwd(c.with[i].Path))
		if err := c.checkFile(entry(quote("with"), i), &src.Path); err != nil {
			return err
		}
		c.with[i] = src
	}
	return nil
}

// setRegisters reads registers with their values, numbers or such in quotes.
func setRegisters(c *launchConfig, name string, raw json.RawMessage) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return wrongType(name, `an object like {"pc": "0x08001234"}`)
	}
	c.registers = make(map[string]uint32, len(given))
	for _, reg := range sortedKeys(given) {
		text := string(given[reg])
		if err := json.Unmarshal(given[reg], &text); err != nil {
			text = string(given[reg])
		}
		v, err := session.ParseAddress(text)
		if _, ok := core.LookupReg(reg); !ok {
			return failf(errConfig, "%q: %q is no register", name, reg)
		} else if err != nil {
			return failf(errConfig, "%q: the value of %q is no number of 32 bits", name, reg)
		}
		c.registers[reg] = uint32(v)
	}
	return nil
}
