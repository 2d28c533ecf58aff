package crashlog

import (
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// mynewt reads what Apache Mynewt prints of an exception without a handler and
// of a failed assertion (kernel/os/src/arch/cortex_m4/os_fault.c and
// kernel/os/src/os_priv.h, github.com/apache/mynewt-core). An assertion pends the
// NMI, so that the registers that follow are those inside __assert_func.
//
// What is printed as exception sp is the address of the exception frame. Its
// size is known on cores without FPU alone: the handler of the Cortex-M0 prints
// ICSR in a line of its own.
type mynewt struct {
	report
	asserted, unhandled bool
	frame               uint32
	hasFrame            bool
	noFPU               bool
}

const (
	mynewtAssert    = "Assert @ 0x"
	mynewtUnhandled = "Unhandled interrupt ("
)

var mynewtFormat = format{
	name: "Mynewt crash report",
	begins: func(text string) bool {
		return strings.Contains(text, mynewtAssert) || strings.Contains(text, mynewtUnhandled) && strings.Contains(text, "exception sp ")
	},
	read: func() reading { return &mynewt{} },
}

func (m *mynewt) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	switch {
	case strings.Contains(text, mynewtAssert):
		if m.asserted || m.unhandled {
			return next
		}
		m.asserted = true
		m.assert(text)
	case strings.Contains(text, mynewtUnhandled):
		if m.unhandled {
			return next
		}
		m.unhandled = true
		m.interrupt(text)
	case strings.HasPrefix(text, "Use 'set $pc ="):
		return last
	case m.unhandled && strings.HasPrefix(text, "task:"):
		m.thread.Name = strings.TrimSpace(strings.TrimPrefix(text, "task:"))
	case m.unhandled && m.word(text):
	case m.unhandled && m.registers(text):
	default:
		return foreign
	}
	return part
}

// assert takes "Assert @ 0xa8cb - file.c:12", which may have the time before
// it.
func (m *mynewt) assert(text string) {
	m.Cause = text[strings.Index(text, mynewtAssert):]
	at, location, _ := strings.Cut(strings.TrimPrefix(m.Cause, "Assert @ "), " - ")
	m.Location = location
	if v, ok := logtext.Hex(strings.TrimSpace(at)); ok {
		m.AddReturn(v, "")
	}
}

// interrupt takes "Unhandled interrupt (3), exception sp 0x20001760".
func (m *mynewt) interrupt(text string) {
	text = text[strings.Index(text, mynewtUnhandled):]
	cause, sp, _ := strings.Cut(text, ", exception sp ")
	if m.Cause == "" {
		m.Cause = cause
	} else {
		m.Details = append(m.Details, cause)
	}
	m.frame, m.hasFrame = logtext.Hex(strings.TrimSpace(sp))
}

// word takes a word of the stack that may be a return address.
func (m *mynewt) word(text string) bool {
	row, ok := logtext.ReadRow(text)
	if !ok || len(row.Words) != 1 || row.Rest != "" {
		return false
	}
	m.memory(core.Addr(row.Addr), row.Words)
	return true
}

func (m *mynewt) registers(text string) bool {
	pairs := logtext.Pairs(text)
	known := 0
	for _, p := range pairs {
		if m.pair(p) {
			known++
		}
	}
	if len(pairs) == 1 && pairs[0].Word() == "ICSR" {
		m.noFPU = true
	}
	return known > 0
}

func (m *mynewt) crash() *crash.Crash {
	if m.empty() && m.Backtrace == nil {
		return nil
	}
	m.System = "Apache Mynewt"
	m.setProfile(core.ProfileM)
	m.faulted = true
	if psr, ok := m.regs.Get(core.PSR); ok && m.hasFrame {
		m.stackPointer(psr)
	}
	m.Truncated = m.unhandled && !m.regs.Has(core.PC)
	return m.finish()
}

func (m *mynewt) stackPointer(psr uint32) {
	if !m.noFPU {
		m.Warnf("SP is not known: whether the exception frame at %v has floating-point registers is not in the log", core.Addr(m.frame))
		return
	}
	sp := m.frame + basicFrame
	if psr&xpsrPad != 0 {
		sp += 4
	}
	m.regs.Set(core.SP, sp)
}
