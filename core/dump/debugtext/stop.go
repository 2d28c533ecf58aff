package debugtext

import (
	"fmt"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
)

// stop is a stopped machine while it is read.
type stop struct {
	first, last int  // lines
	began       bool // first is known
	lines       int  // how many say something
	tools       []string
	reason      string // why it stopped, in the words of the debugger
	thread      int    // that registers are of, 0 where the debugger knows none
	threads     []crash.Thread
	// before and after are the memory that was read before and after the first
	// registers; afterLine is the line where the latter began.
	before, after []row
	afterLine     int
	calls         []crash.Call
	skipped       []string
	machine       string // another one than ARM, whose stop it is
}

// row is bytes at an address.
type row struct {
	addr core.Addr
	data []byte
}

// at notes that a line is of the stop.
func (s *stop) at(line int, tool string) {
	if !s.began {
		s.first, s.began = line, true
	}
	s.last = line
	s.lines++
	if tool != "" && !slices.Contains(s.tools, tool) {
		s.tools = append(s.tools, tool)
	}
}

// maxSkipped bounds the notes of a stop.
const maxSkipped = 20

func (s *stop) skip(text string) {
	if len(s.skipped) < maxSkipped {
		s.skipped = append(s.skipped, text)
	}
}

func (s *stop) hasRegisters() bool { return len(s.threads) > 0 }

// registers returns the registers of the thread, nil where none are known.
func (s *stop) registers() *core.Regs {
	for i := range s.threads {
		if int(s.threads[i].ID) == max(s.thread, 1) {
			return &s.threads[i].Regs
		}
	}
	return nil
}

// contradicts reports whether registers have other values than before.
func (s *stop) contradicts(regs []value) bool {
	known := s.registers()
	if known == nil {
		return false
	}
	for _, r := range regs {
		v, ok := known.Get(r.reg)
		if r.mode != core.ModeNone {
			v, ok = known.Banked(r.mode, r.banked)
		}
		if ok && v != r.v {
			return true
		}
	}
	return false
}

// maxThreads bounds the threads of a stop.
const maxThreads = 1024

func (s *stop) set(regs []value) {
	if len(regs) == 0 {
		return
	}
	known := s.registers()
	if known == nil {
		if len(s.threads) == maxThreads {
			return
		}
		s.threads = append(s.threads, crash.Thread{Thread: core.Thread{
			ID: core.ThreadID(max(s.thread, 1)), Crashed: len(s.threads) == 0,
		}})
		known = &s.threads[len(s.threads)-1].Regs
	}
	for _, r := range regs {
		if r.mode != core.ModeNone {
			known.SetBanked(r.mode, r.banked, r.v)
		} else {
			known.Set(r.reg, r.v)
		}
	}
}

// read takes memory.
func (s *stop) read(rows []row) {
	if !s.hasRegisters() {
		s.before = append(s.before, rows...)
		return
	}
	if len(s.after) == 0 {
		s.afterLine = s.last
	}
	s.after = append(s.after, rows...)
}

// current takes SP and LR from those of the mode that the core is in, where
// the debugger lists them by their modes. r8 to r12 of such a list are not those
// of FIQ mode.
func current(regs *core.Regs) {
	psr, ok := regs.Get(core.PSR)
	mode := core.ModeOf(psr)
	if sp, banked := regs.Banked(mode, core.BankedSP); ok && banked && !regs.Has(core.SP) {
		regs.Set(core.SP, sp)
		if lr, ok := regs.Banked(mode, core.BankedLR); ok {
			regs.Set(core.LR, lr)
		}
		for r := core.R8; mode == core.ModeFIQ && r <= core.R12; r++ {
			regs.Forget(r)
		}
	}
}

// crash makes a crash of the stop.
func (s *stop) crash() *crash.Crash {
	c := &crash.Crash{Format: "debugger text", Threads: s.threads, Unplaced: s.skipped}
	if len(s.tools) > 0 {
		c.Format += " (" + strings.Join(s.tools, ", ") + ")"
	}
	c.Backtrace = s.calls
	if s.reason != "" {
		c.Details = []string{s.reason}
	}
	if len(s.calls) < 2 {
		c.Backtrace = nil
	}
	if s.machine != "" {
		c.Refused = fmt.Errorf("the registers are those of %s: %w", s.machine, crash.ErrNotARM)
		return c
	}
	for i := range c.Threads {
		current(&c.Threads[i].Regs)
	}
	s.placeMemory(c)
	return c
}

// placeMemory makes memory of the rows. Of a word that was read twice the later
// value counts.
func (s *stop) placeMemory(c *crash.Crash) {
	var pieces []crash.Piece
	for _, r := range slices.Concat(s.before, s.after) {
		if n := len(pieces); n > 0 {
			if p := &pieces[n-1]; uint64(p.Addr)+uint64(len(p.Data)) == uint64(r.addr) {
				p.Data = append(p.Data, r.data...)
				continue
			}
		}
		pieces = append(pieces, crash.Piece{Addr: r.addr, Data: slices.Clone(r.data)})
	}
	for _, p := range slices.Backward(pieces) {
		c.AddMemory(p.Addr, p.Data)
	}
}
