package crashlog

import (
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// px4 reads the fault logs of PX4 (src/systemcmds/hardfault_log/hardfault_log.c,
// github.com/PX4/PX4-Autopilot): NuttX's registers and a window of words around
// each stack pointer, highest address first. Files have the stacks last, the
// console has them first.
//
// Until 2018 the address of a word was printed one less than that of the word
// before, not four less, counted from SP: see [px4Region].
type px4 struct {
	report
	began   bool
	stack   string // that the lines describe: "user", "irq"
	stacks  map[string]*px4Stack
	regions []*px4Region
}

// px4Stack is a stack as it is described.
type px4Stack struct {
	core.Stack
	sp    uint32
	hasSP bool
}

// px4Region is a window of words of a stack with the addresses that are
// printed. stack is "" where the heading was lost.
type px4Region struct {
	stack string
	sp    uint32 // as the mark at a word tells
	hasSP bool
	rows  []word
}

var px4Format = format{
	name: "PX4 fault log",
	begins: func(text string) bool {
		return strings.Contains(text, "Begin Fault Log --") || strings.HasPrefix(strings.TrimSpace(text), "System fault Occurred on:")
	},
	read: func() reading { return &px4{stacks: map[string]*px4Stack{"user": {}, "irq": {}}} },
}

func (p *px4) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	switch {
	case strings.Contains(text, "Begin Fault Log --"):
		if p.began {
			return next
		}
		p.began = true
		return part
	case strings.Contains(strings.ToLower(text), "end fault log --"):
		return last
	case strings.HasPrefix(text, "System fault Occurred on:"):
		if p.Time != "" {
			return next
		}
		p.Time = strings.TrimSpace(strings.TrimPrefix(text, "System fault Occurred on:"))
		return part
	case strings.HasPrefix(text, "Type:"):
		p.faultType(text)
		return part
	case p.wordLine(text), p.stackLine(text), p.registers(text):
		return part
	}
	return p.other(text)
}

// faultType takes "Type:Hard Fault in file:F at line: N running task: T".
func (p *px4) faultType(text string) {
	cause, rest, _ := strings.Cut(strings.TrimPrefix(text, "Type:"), " in file:")
	p.Cause = strings.TrimSpace(cause)
	where, task, _ := strings.Cut(rest, "running task:")
	p.thread.Name = strings.TrimSpace(task)
	file, line, _ := strings.Cut(where, " at line:")
	if line = strings.TrimSpace(line); file != "" {
		if _, ok := logtext.Decimal(line); ok {
			p.Location = strings.TrimSpace(file) + ":" + line
		}
	}
}

// wordLine takes a word of a stack, with a mark where SP or a bound is.
func (p *px4) wordLine(text string) bool {
	row, mark, _ := strings.Cut(text, "<--")
	r, ok := logtext.ReadRow(row)
	if !ok || len(r.Words) != 1 || r.Rest != "" {
		return false
	}
	a := core.Addr(r.Addr)
	n := len(p.regions)
	if n == 0 || !p.regions[n-1].goesOn(a) {
		p.regions = append(p.regions, &px4Region{})
		n++
	}
	g := p.regions[n-1]
	if len(g.rows) < maxWords {
		g.rows = append(g.rows, word{a, r.Words[0]})
	}
	if strings.HasSuffix(strings.TrimSpace(mark), " sp") {
		g.sp, g.hasSP = r.Addr, true
	}
	return true
}

// maxLost is how many words of a region may be missing between two.
const maxLost = 15

// goesOn reports whether a word at a can be the next of the region.
func (g *px4Region) goesOn(a core.Addr) bool {
	if len(g.rows) == 0 {
		return true
	}
	before := g.rows[len(g.rows)-1].addr
	return a < before && before-a <= 4*(maxLost+1)
}

// stackLine takes a line that describes a stack.
func (p *px4) stackLine(text string) bool {
	lower := strings.ToLower(text)
	switch {
	case strings.HasPrefix(lower, "irq stack:"):
		p.stack = "irq"
		return true
	case strings.HasPrefix(lower, "user stack:"):
		p.stack = "user"
		return true
	case strings.HasPrefix(lower, "interrupt sp memory region"):
		p.regions = append(p.regions, &px4Region{stack: "irq"})
		return true
	case strings.HasPrefix(lower, "user sp memory region"):
		p.regions = append(p.regions, &px4Region{stack: "user"})
		return true
	}
	pairs := logtext.Pairs(lower)
	if len(pairs) != 1 || p.stack == "" {
		return false
	}
	b, v := p.stacks[p.stack], pairs[0].Hex()
	switch pairs[0].Name {
	case "top":
		b.High = core.Addr(v)
	case "bottom":
		b.Low = core.Addr(v)
	case "sp":
		b.sp, b.hasSP = v, true
	case "used":
		b.Used, b.HasUsed = v, true
	case "size":
	default:
		return false
	}
	return true
}

// registers takes a line of registers or fault registers. What is printed as
// mmfsr and bfsr are the address registers.
func (p *px4) registers(text string) bool {
	pairs := logtext.Pairs(text)
	known := 0
	for _, pair := range pairs {
		switch strings.ToLower(pair.Name) {
		case "exe return":
			p.setReturn(pair.Hex())
		case "control", "abfsr":
			// CONTROL is that of the handler; ABFSR is not in the system
			// control space of the architecture.
		case "mmfsr":
			p.faults.set("mmfar", pair.Hex())
		case "bfsr":
			p.faults.set("bfar", pair.Hex())
		default:
			if !p.pair(pair) {
				continue
			}
		}
		known++
	}
	return known > 0 && known == len(pairs)
}

// other takes what is said in words.
func (p *px4) other(text string) kind {
	for _, head := range []string{"FW git-hash:", "Build datetime:", "Build url:"} {
		if strings.HasPrefix(text, head) {
			p.Details = append(p.Details, text)
			return part
		}
	}
	if strings.HasPrefix(text, "Processor registers:") || strings.HasPrefix(text, "Fault status registers:") {
		return part
	}
	return foreign
}

func (p *px4) crash() *crash.Crash {
	if p.empty() && p.Location == "" && len(p.regions) == 0 {
		return nil
	}
	p.System = "PX4"
	p.setProfile(core.ProfileM)
	p.faulted = true
	user := p.stacks["user"]
	if sp, ok := p.regs.Get(core.SP); ok && !user.hasSP {
		user.sp, user.hasSP = sp, true
	}
	p.correctSP()
	if user.Known() {
		p.thread.Stack = user.Stack
	}
	step := p.step()
	for _, g := range p.regions {
		if s := p.stacks[g.stack]; s != nil && !g.hasSP {
			g.sp, g.hasSP = s.sp, s.hasSP
		}
		p.place(g, step)
	}
	p.Truncated = !p.regs.Has(core.PC) || !p.regs.Has(core.SP) || len(p.report.words) == 0
	return p.finish()
}

// step returns by how much addresses differ from one word to the next, 0 where
// there are too few words to tell.
func (p *px4) step() int {
	step := 0
	for _, g := range p.regions {
		for i := 1; i < len(g.rows); i++ {
			if (g.rows[i-1].addr-g.rows[i].addr)&3 != 0 {
				return 1
			}
			step = 4
		}
	}
	return step
}

// place gives the words of a region their addresses.
func (p *px4) place(g *px4Region, step int) {
	switch {
	case len(g.rows) == 0:
	case step == 4:
		for _, w := range g.rows {
			p.memory(w.addr, []uint32{w.v})
		}
	case step == 1 && g.hasSP:
		for _, w := range g.rows {
			p.memory(core.Addr(g.sp)+4*(w.addr-core.Addr(g.sp)), []uint32{w.v})
		}
	default:
		p.Skip("words of a stack whose addresses cannot be told")
	}
}
