package crashlog

import (
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// rtThread reads the hard faults of RT-Thread (libcpu/arm/cortex-m*/cpuport.c
// and libcpu/arm/cortex-a/trap.c, github.com/RT-Thread/rt-thread): one register
// a line from psr on, which thread it was, and the list of threads. An M-profile
// report has no SP: the columns "sp" of the list are offsets.
type rtThread struct {
	report
	headed  bool // a line says whose fault it was
	named   bool // registers are named r00, as here only
	rows    []core.Thread
	listing bool
	lines   int
}

var rtThreadFormat = format{
	name: "RT-Thread hard fault",
	begins: func(text string) bool {
		text = strings.TrimSpace(text)
		if rest, ok := strings.CutPrefix(text, "psr: 0x"); ok {
			_, ok = logtext.Word(rest)
			return ok
		}
		return rtThreadHeading(text) || text == "Execption:"
	},
	read: func() reading { return &rtThread{} },
}

// rtThreadHeading matches the line behind the registers.
func rtThreadHeading(text string) bool {
	return strings.HasPrefix(text, "hard fault on thread:") || strings.HasPrefix(text, "hard fault on handler")
}

// rtThreadFaults are the lines that say which fault it was.
var rtThreadFaults = map[string]bool{
	"bus fault:": true, "usage fault:": true, "mem manage fault:": true, "hard fault:": true, "failed vector fetch": true, "debug event": true,
	"undefined instruction:": true, "software interrupt:": true, "prefetch abort:": true, "data abort:": true, "reserved trap:": true,
}

func (r *rtThread) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	r.lines++
	switch {
	case text == "Execption:":
		if r.lines > 1 {
			return next
		}
		r.named = true
		r.setProfile(core.ProfileA)
	case strings.HasPrefix(text, "psr: 0x") && r.regs.Has(core.PSR):
		return next
	case rtThreadHeading(text):
		if r.headed {
			return next
		}
		r.headed = true
		if _, name, ok := strings.Cut(text, ":"); ok {
			r.thread.Name = strings.TrimSpace(name)
		}
	case rtThreadFaults[text]:
		r.headed = true
		if r.Cause == "" {
			r.Cause = strings.TrimSuffix(text, ":")
		}
	case text == "FPU active!":
		r.Details = append(r.Details, text)
	case r.headed && r.status(text), r.threadRow(text), r.register(text):
	default:
		return foreign
	}
	return part
}

// register takes "r00: 0x00000000"; the A-profile prints several in a line.
func (r *rtThread) register(text string) bool {
	pairs := logtext.Pairs(text)
	if len(pairs) == 0 || pairs[0].Name != "r00" && len(pairs) > 1 && r.Profile != core.ProfileA {
		return false
	}
	for _, p := range pairs {
		if _, ok := register(p.Name); !ok || !strings.HasPrefix(p.Digits, "0x") {
			return false
		}
	}
	for _, p := range pairs {
		r.named = r.named || len(p.Name) == 3 && strings.HasPrefix(p.Name, "r0")
		r.pair(p)
	}
	return true
}

// status takes "SCB_CFSR_BFSR:0x82 PRECISERR SCB->BFAR:20000001": a part of the
// CFSR, the names of its bits, and an address.
func (r *rtThread) status(text string) bool {
	if !strings.HasPrefix(text, "SCB_") && !strings.HasPrefix(text, "SCB->") {
		return false
	}
	r.pairs(text)
	r.Details = append(r.Details, text)
	return true
}

// threadRow takes the heading and the rows of the list of threads: name, CPU
// where there are several, priority, state, SP as an offset, size, use.
func (r *rtThread) threadRow(text string) bool {
	f := strings.Fields(text)
	if len(f) > 3 && f[0] == "thread" && (f[1] == "pri" || f[1] == "cpu") {
		r.listing = true
		return true
	}
	if !r.listing || len(r.rows) >= maxTasks {
		return false
	}
	if strings.HasPrefix(text, "---") {
		return true
	}
	for i := 2; i < min(len(f), 5); i++ {
		if !rtThreadStates[f[i]] {
			continue
		}
		pri, err := strconv.Atoi(f[i-1])
		if err != nil {
			return false
		}
		r.rows = append(r.rows, core.Thread{Name: f[0], Priority: pri, HasPriority: true, State: f[i]})
		return true
	}
	return false
}

// rtThreadStates are the states that the list names (src/thread.c).
var rtThreadStates = map[string]bool{"ready": true, "running": true, "suspend": true, "init": true, "close": true, "unknown": true}

func (r *rtThread) crash() *crash.Crash {
	if !r.headed && !r.named || r.regs.Empty() {
		return nil
	}
	r.System = "RT-Thread"
	if r.profile() == core.ProfileM {
		r.setProfile(core.ProfileM)
	}
	r.faulted = true
	r.Truncated = !r.regs.Has(core.PC)
	for _, t := range r.rows {
		if t.Name == r.thread.Name && r.thread.Name != "" && !r.thread.HasPriority {
			r.thread.Priority, r.thread.HasPriority, r.thread.State = t.Priority, true, t.State
			continue
		}
		r.Threads = append(r.Threads, crash.Thread{Thread: t})
	}
	return r.finish()
}
