package unwind

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/elfsym"
)

// A case file is code and any number of stacks to walk over it:
//
//	# comment
//	profile A            A-profile; M without it
//	entry LABEL          the ELF's entry
//	code 0x1000          code of the image from that address on
//	main:                a function of the symbol table, up to the next
//	.back:               a label of this file only
//	gap:                 code that no symbol covers follows
//	  b510  push {r4}    bytes, then text for people
//	$d                   mapping symbol: data follows; $t and $a: code
//	case NAME            what follows is one stack
//	stripped             without symbols
//	regs pc=VALUE ...    registers at the stop, and of other modes: sp_irq
//	running ADDR SIZE    the stack of the thread that the kernel says runs
//	memory ADDR          words of the target's memory follow, one or more a line
//	  1 2 @back          ";" starts a comment
//	frames
//	  main cfa=0x20000008 the function, "!" for an exception entry, "?" where
//	                      none is known, and facts of the frame to compare
//	stop KIND [text that the reason contains]
//
// A VALUE is a number, =LABEL (its address), @LABEL (its address with the
// Thumb bit), either with +N or -N behind it; in memory VALUE*N repeats it.
type bugFile struct {
	profile core.Profile
	entry   uint32
	code    bugMemory
	labels  map[string]uint32
	funcs   []elfsym.Func
	states  []bugState // ascending within a block of code
	cases   []*bugCase
}

// bugState is a mapping symbol.
type bugState struct {
	addr  uint32
	state elfsym.State
}

type bugCase struct {
	name     string
	stripped bool
	regs     core.Regs
	running  Range
	memory   bugMemory
	frames   []string
	stop     string
	says     string
}

// FuncAt implements symbols.
func (f *bugFile) FuncAt(pc uint32) (elfsym.Func, bool) {
	for _, fn := range f.funcs {
		if pc >= fn.Entry && pc < fn.End {
			return fn, true
		}
	}
	return elfsym.Func{}, false
}

// State implements symbols.
func (f *bugFile) State(a uint32) elfsym.State {
	state := elfsym.StateUnknown
	for _, s := range f.states {
		if s.addr <= a && f.code.block(core.Addr(s.addr)) == f.code.block(core.Addr(a)) {
			state = s.state
		}
	}
	return state
}

func (f *bugFile) text() imageText {
	var t imageText
	for _, e := range f.code {
		t = append(t, *e)
	}
	return t
}

// bugMemory is memory in blocks.
type bugMemory []*extent

func (m bugMemory) block(a core.Addr) *extent {
	for _, e := range m {
		if e.contains(a) {
			return e
		}
	}
	return nil
}

// ReadAt implements core.Memory.
func (m bugMemory) ReadAt(a core.Addr, p []byte) (int, error) {
	n := 0
	for n < len(p) {
		e := m.block(a + core.Addr(n))
		if e == nil {
			return n, &core.ReadError{Addr: a + core.Addr(n), Len: uint32(len(p) - n)}
		}
		n += copy(p[n:], e.data[a+core.Addr(n)-e.lo:])
	}
	return n, nil
}

func (m bugMemory) over(code bugMemory) bugMemory { return slices.Concat(m, code) }

func (m bugMemory) ranges() []Range {
	var r []Range
	for _, e := range m {
		r = append(r, Range{Addr: e.lo, Size: uint32(len(e.data))})
	}
	return r
}

// bugRegisters names the registers of cases.
var bugRegisters = func() map[string]core.Reg {
	m := map[string]core.Reg{
		"sp": core.SP, "lr": core.LR, "pc": core.PC, "psr": core.PSR, "msp": core.MSP, "psp": core.PSP,
		"msp_s": core.MSPS, "psp_s": core.PSPS, "msp_ns": core.MSPNS, "psp_ns": core.PSPNS,
	}
	for r := core.R0; r <= core.R12; r++ {
		m[fmt.Sprintf("r%d", r)] = r
	}
	return m
}()

// bugParser reads a case file line by line.
type bugParser struct {
	file    *bugFile
	width   int // hex digits of a unit of code
	section string
	last    *bugCase
	entry   string
}

func parseBugFile(text string) (*bugFile, error) {
	p := bugParser{file: &bugFile{labels: make(map[string]uint32)}, width: 4}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if p.entry != "" {
		v, err := p.value("@" + p.entry)
		if err != nil {
			return nil, err
		}
		if p.file.State(v&^1) == elfsym.StateARM {
			v &^= 1
		}
		p.file.entry = v
	}
	if len(p.file.cases) == 0 {
		return nil, fmt.Errorf("no case")
	}
	for _, c := range p.file.cases {
		if c.stop == "" || len(c.frames) == 0 {
			return nil, fmt.Errorf("case %q expects nothing", c.name)
		}
	}
	return p.file, nil
}

// line reads one line: of a section when indented, else a directive.
func (p *bugParser) line(line string) error {
	line, _, _ = strings.Cut(line, ";")
	if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
		return nil
	}
	if line[0] == ' ' {
		return p.inner(strings.Fields(line))
	}
	return p.directive(strings.Fields(line))
}

func (p *bugParser) directive(f []string) error {
	arg := ""
	if len(f) > 1 {
		arg = f[1]
	}
	switch {
	case f[0] == "profile" && arg == "A":
		p.file.profile = core.ProfileA
		return nil
	case f[0] == "entry":
		p.entry = arg
		return nil
	case f[0] == "code":
		p.section, p.width = "gap", 4
		return p.open(&p.file.code, arg)
	case f[0] == "case":
		p.section = ""
		p.last = &bugCase{name: strings.Join(f[1:], " ")}
		p.file.cases = append(p.file.cases, p.last)
		return nil
	case p.section == "code" || p.section == "gap":
		return p.mark(f[0])
	case p.last == nil:
		return fmt.Errorf("%q before a case", f[0])
	}
	return p.caseDirective(f, arg)
}

func (p *bugParser) caseDirective(f []string, arg string) error {
	switch f[0] {
	case "stripped":
		p.last.stripped = true
	case "memory":
		p.section = "memory"
		return p.open(&p.last.memory, arg)
	case "frames":
		p.section = "frames"
	case "stop":
		if arg == "" {
			return fmt.Errorf("stop without a kind")
		}
		p.last.stop, p.last.says = arg, strings.Join(f[2:], " ")
	case "regs":
		return p.registers(f[1:])
	case "running":
		low, err := p.value(arg)
		size, sizeErr := p.value(f[len(f)-1])
		p.last.running = Range{core.Addr(low), size}
		return errors.Join(err, sizeErr)
	default:
		return fmt.Errorf("unknown directive %q", f[0])
	}
	return nil
}

// open starts a block of memory.
func (p *bugParser) open(m *bugMemory, addr string) error {
	a, err := p.value(addr)
	*m = append(*m, &extent{lo: core.Addr(a)})
	return err
}

// mark reads a label or a mapping symbol in code.
func (p *bugParser) mark(word string) error {
	block := p.file.code[len(p.file.code)-1]
	here := uint32(block.lo) + uint32(len(block.data))
	states := map[string]elfsym.State{"$d": elfsym.StateData, "$t": elfsym.StateThumb, "$a": elfsym.StateARM}
	if s, ok := states[word]; ok {
		p.file.states = append(p.file.states, bugState{here, s})
		if p.file.profile == core.ProfileA {
			p.width = map[string]int{"$a": 8, "$t": 4, "$d": p.width}[word]
		}
		return nil
	}
	name, ok := strings.CutSuffix(word, ":")
	if !ok {
		return fmt.Errorf("%q is no label", word)
	}
	p.file.labels[strings.TrimPrefix(name, ".")] = here
	switch {
	case name == "gap":
		p.section = name
	case name[0] != '.':
		p.section = "code"
		p.file.funcs = append(p.file.funcs, elfsym.Func{
			Name: name, Entry: here, End: here, Thumb: p.width == 4, Sized: true,
		})
	}
	return nil
}

// inner reads a line of a section.
func (p *bugParser) inner(f []string) error {
	switch p.section {
	case "code", "gap":
		return p.bytes(f)
	case "frames":
		return p.frame(f)
	case "memory":
		return p.words(f)
	}
	return fmt.Errorf("%q belongs to nothing", f)
}

// bytes appends the bytes in front of a line of code.
func (p *bugParser) bytes(f []string) error {
	block := p.file.code[len(p.file.code)-1]
	for _, h := range f {
		b, err := hex.DecodeString(h)
		if err != nil || len(h) != p.width {
			break
		}
		slices.Reverse(b)
		block.data = append(block.data, b...)
	}
	if p.section == "code" && len(p.file.funcs) > 0 {
		p.file.funcs[len(p.file.funcs)-1].End = uint32(block.lo) + uint32(len(block.data))
	}
	return nil
}

// frame reads an expected frame; its values may name labels.
func (p *bugParser) frame(f []string) error {
	for i, s := range f {
		k, text, ok := strings.Cut(s, "=")
		if !ok || text == "" || text[0] != '=' && text[0] != '@' {
			continue
		}
		v, err := p.value(text)
		if err != nil {
			return err
		}
		f[i] = fmt.Sprintf("%s=%#x", k, v)
	}
	p.last.frames = append(p.last.frames, strings.Join(f, " "))
	return nil
}

func (p *bugParser) words(f []string) error {
	block := p.last.memory[len(p.last.memory)-1]
	for _, s := range f {
		s, times, repeated := strings.Cut(s, "*")
		n := 1
		if repeated {
			var err error
			if n, err = strconv.Atoi(times); err != nil {
				return err
			}
		}
		v, err := p.value(s)
		if err != nil {
			return err
		}
		for range n {
			block.data = binary.LittleEndian.AppendUint32(block.data, v)
		}
	}
	return nil
}

func (p *bugParser) registers(f []string) error {
	for _, s := range f {
		name, text, _ := strings.Cut(s, "=")
		r, ok := bugRegisters[name]
		mode, banked, inBank := core.LookupBanked(name)
		if !ok && !inBank {
			return fmt.Errorf("no register %q", name)
		}
		v, err := p.value(text)
		if err != nil {
			return err
		}
		if inBank {
			p.last.regs.SetBanked(mode, banked, v)
			continue
		}
		p.last.regs.Set(r, v)
	}
	return nil
}

// value reads a VALUE.
func (p *bugParser) value(s string) (uint32, error) {
	if s == "" || s[0] != '=' && s[0] != '@' {
		v, err := strconv.ParseUint(s, 0, 32)
		return uint32(v), err
	}
	name, off := s[1:], 0
	if k := strings.IndexAny(name, "+-"); k >= 0 {
		v, err := strconv.ParseInt(name[k:], 0, 32)
		if err != nil {
			return 0, err
		}
		name, off = name[:k], int(v)
	}
	a, ok := p.file.labels[name]
	if !ok {
		return 0, fmt.Errorf("no label %q among %v", name, slices.Sorted(maps.Keys(p.file.labels)))
	}
	a += uint32(off)
	if s[0] == '@' {
		a |= 1
	}
	return a, nil
}
