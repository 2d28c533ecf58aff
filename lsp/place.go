package lsp

import (
	"context"
	"strings"

	"pushmask/core"
)

// place is the code that an address in a text stands for.
type place struct {
	// function is the linkage function with the offset of the address in it,
	// in bytes.
	function string
	offset   uint32
	image    string // name of the ELF where that is not the main one
	// returns is set for an address that a call goes back to; the calls are
	// then those of the call instruction.
	returns bool
	calls   []call // innermost first; the last one is the function itself
}

// call is one entry of a chain of inlined calls.
type call struct {
	function     string // "" when not known
	path         string // "" when not known
	found        bool   // path exists on this machine
	line, column int    // 1-based, 0 when not known
	inline       bool
}

// locate lists what an address can stand for, the likelier first. It knows
// only what lies in executable segments inside of a function; everything else
// is data or a number by chance. Two places come from an address that a call
// at the very end of a function goes back to: it is also the entry of the
// next function.
func (f *firmware) locate(ctx context.Context, value uint32) []place {
	pc, odd := core.Addr(value), false
	if f.program.Images().MProfile() {
		pc, odd = core.CodeAddr(value)
	}
	if !f.executable(pc) {
		return nil
	}
	returns := odd && f.afterCall(ctx, pc)
	var list []place
	here, ok := f.placeOf(pc, pc)
	if ok && (!returns || here.offset == 0) {
		list = append(list, here)
	}
	if !returns {
		return list
	}
	if caller, ok := f.placeOf(pc, pc-2); ok {
		caller.returns = true
		list = append(list, caller)
	}
	return list
}

// placeOf describes pc as a place in the function that contains lookup, with
// the source positions of lookup.
func (f *firmware) placeOf(pc, lookup core.Addr) (place, bool) {
	img := f.program.Images()
	fn, ok := img.FuncAt(uint32(lookup))
	if !ok {
		return place{}, false
	}
	p := place{function: fn.Name, offset: uint32(pc) - fn.Entry}
	if m := img.At(uint32(lookup)); m != nil && m != img.Main() {
		p.image = img.Name(m)
	}
	for _, l := range img.Locate(uint32(lookup)) {
		c := call{function: l.Function, path: l.File, line: l.Line, column: l.Column, inline: l.Inline}
		if c.path != "" {
			c.path, c.found = f.source(l.File)
		}
		p.calls = append(p.calls, c)
	}
	if n := len(p.calls); n > 0 && p.calls[n-1].function != "" {
		p.function = p.calls[n-1].function
	}
	return p, true
}

// executable reports whether an address lies in a segment that holds code.
func (f *firmware) executable(a core.Addr) bool {
	for _, seg := range f.program.Images().Segments() {
		if seg.Exec && uint32(a)-seg.Addr < seg.MemSize {
			return true
		}
	}
	return false
}

// afterCall reports whether the instruction before an address is a call. Bit
// 0 alone does not make a code address a return address: pointers to
// functions and stacked PCs of some crash handlers have it too.
func (f *firmware) afterCall(ctx context.Context, a core.Addr) bool {
	lines, err := f.listing.Disassemble(ctx, a, -1, 1)
	return err == nil && len(lines) == 1 && isCall(lines[0].Text)
}

// isCall tells BL, BLX and BLXNS, with the condition of an IT block or
// without, from the branches BLE, BLT and BLS.
func isCall(text string) bool {
	mnemonic, _, _ := strings.Cut(text, " ")
	mnemonic, _, _ = strings.Cut(mnemonic, ".")
	switch mnemonic {
	case "ble", "bls", "blt":
		return false
	}
	return strings.HasPrefix(mnemonic, "bl")
}
