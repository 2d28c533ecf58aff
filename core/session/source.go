package session

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/core/dump"
)

// DumpSource is a file with a part of a crash.
type DumpSource = dump.Source

// CrashSummary is one of the crashes that an artefact holds.
type CrashSummary = dump.Summary

// ParseSource reads the name of a file, which may be followed by the address of
// the raw memory in it: "ram.bin@0x20000000". A file whose own name has that
// form is taken by its name.
func ParseSource(text string) DumpSource {
	i := strings.LastIndexByte(text, '@')
	if i <= 0 {
		return DumpSource{Path: text}
	}
	a, err := ParseAddress(text[i+1:])
	if _, statErr := os.Stat(text); err != nil || statErr == nil {
		return DumpSource{Path: text}
	}
	return DumpSource{Path: text[:i], Base: a, HasBase: true}
}

// ParseAddress reads an address: hexadecimal with 0x, else decimal.
func ParseAddress(text string) (core.Addr, error) {
	v, err := strconv.ParseUint(text, 0, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is no address of 32 bits, such as 0x20000000", text)
	}
	return core.Addr(v), nil
}

// ParseRegister reads "pc=0x8001234" and adds it to regs. Values are as in
// [ParseAddress].
func ParseRegister(text string, regs *core.Regs) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("%q is no register with its value, such as pc=0x8001234", text)
	}
	reg, ok := core.LookupReg(strings.TrimSpace(name))
	if !ok {
		return fmt.Errorf("%q is no register", name)
	}
	v, err := strconv.ParseUint(strings.TrimSpace(value), 0, 32)
	if err != nil {
		return fmt.Errorf("%q is no value of 32 bits for %v", value, reg)
	}
	regs.Set(reg, uint32(v))
	return nil
}

// absolute makes the paths of opt absolute, as [Config.Cwd] says.
func (c *Config) absolute(opt DumpOptions) DumpOptions {
	more := make([]DumpSource, len(opt.More))
	for i, s := range opt.More {
		s.Path = c.abs(s.Path)
		more[i] = s
	}
	opt.More = more
	return opt
}

// rawHint says what to give for a file that may be raw memory, with the
// address where the image makes it evident.
func (p *Program) rawHint(given, full string, err error) string {
	if !errors.Is(err, dump.ErrNoAddress) {
		return ""
	}
	hint := "if it is raw memory, give its address"
	if base, why, ok := p.guessBase(full); ok {
		return fmt.Sprintf("%s, which looks like %v (%s): %s@%v", hint, base, why, given, base)
	}
	return hint + ": " + given + "@0x20000000"
}

// guessBase tells where the raw memory in a file lies, where the image leaves
// one answer: the file begins as a read-only segment does, or it is as large
// as the memory that ends at the initial stack pointer or begins with the
// variables.
func (p *Program) guessBase(path string) (base core.Addr, why string, ok bool) {
	info, err := os.Stat(path)
	if p.images.Empty() || err != nil || info.Size() == 0 || info.Size() > 1<<32 {
		return 0, "", false
	}
	size := uint64(info.Size())
	if base, ok := p.beginsAs(path); ok {
		return base, "it begins as the ELF does there", true
	}
	low := uint64(1 << 32)
	for _, seg := range p.images.Segments() {
		if seg.Write && seg.MemSize > 0 {
			low = min(low, uint64(seg.Addr))
		}
	}
	if low == 1<<32 {
		return 0, "", false
	}
	const page = 1 << 10 // memories begin at such addresses
	if sp, found := p.initialSP(); found && uint64(sp) > low && size <= uint64(sp) && uint64(sp)-size <= low && (uint64(sp)-size)%page == 0 {
		return core.Addr(uint64(sp) - size), "it is as large as the memory below the initial stack pointer", true
	}
	if low%page == 0 && size%page == 0 {
		return core.Addr(low), "the variables of the ELF begin there", true
	}
	return 0, "", false
}

// beginsAs returns the address of the read-only segment that begins with the
// same bytes as a file.
func (p *Program) beginsAs(path string) (core.Addr, bool) {
	f, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	var got, want [64]byte
	if _, err := f.ReadAt(got[:], 0); err != nil {
		return 0, false
	}
	for _, seg := range p.images.Segments() {
		if seg.Write {
			continue
		}
		if _, err := p.images.ReadAt(seg.Addr, want[:]); err == nil && got == want {
			return core.Addr(seg.Addr), true
		}
	}
	return 0, false
}

// initialSP returns the first word of the vector table, which a read-only
// segment begins with: the second one is the entry of code (Armv7-M ARM
// B1.5.3).
func (p *Program) initialSP() (core.Addr, bool) {
	for _, seg := range p.images.Segments() {
		if seg.Write {
			continue
		}
		sp, err := core.ReadU32(p.rom, core.Addr(seg.Addr))
		reset, resetErr := core.ReadU32(p.rom, core.Addr(seg.Addr)+4)
		entry, thumb := core.CodeAddr(reset)
		if err == nil && resetErr == nil && thumb && sp%4 == 0 && p.contentAt(entry) == contentCode {
			return core.Addr(sp), true
		}
	}
	return 0, false
}
