package crashlog

import (
	"cmp"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// tombstone reads the crash reports of Android's debuggerd
// (debuggerd/libdebuggerd/tombstone.cpp, platform/system/core) for processes of
// 32-bit ARM, as files and in logcat: registers, words around the stack pointer
// and the other registers, and the stack that the unwinder found, whose addresses
// are relative to the libraries. Other threads follow the crashed one.
type tombstone struct {
	report
	begun   bool
	abi     string
	section string // what the lines describe: "backtrace", "stack", "memory", "map"
	other   bool   // the lines are of a thread that did not crash
}

const tombstoneStars = "*** *** *** *** ***"

var tombstoneFormat = format{
	name: "Android tombstone",
	begins: func(text string) bool {
		text = strings.TrimSpace(text)
		return strings.HasPrefix(text, tombstoneStars) || strings.HasPrefix(text, "Build fingerprint:") || tombstoneThread(text)
	},
	read:    func() reading { return &tombstone{} },
	records: true,
}

// tombstoneThread matches "pid: 5061, tid: 5637, name: Thread-329  >>> app <<<".
func tombstoneThread(text string) bool {
	return strings.HasPrefix(text, "pid: ") && strings.Contains(text, "tid: ") && strings.Contains(text, "name: ")
}

func (t *tombstone) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	switch {
	case strings.HasPrefix(text, tombstoneStars):
		if t.begun || !t.empty() {
			return next
		}
		t.begun = true
	case strings.HasPrefix(text, "--- --- ---"): // the other threads
		t.other = true
	case strings.HasPrefix(text, "Tombstone written to:"), strings.HasPrefix(text, "--------- tail end of log"), strings.HasPrefix(text, "--------- log"):
		return last
	case tombstoneThread(text):
		return t.threadLine(text)
	case t.heading(text):
	case t.other && strings.HasPrefix(text, "#"): // the stack of another thread
	case t.says(text), t.call(text), t.memoryRow(text), t.registers(text):
	default:
		return foreign
	}
	return part
}

// maxTombstoneThreads bounds the threads of a report.
const maxTombstoneThreads = 4096

// threadLine takes the thread; a second one is not the crashed one.
func (t *tombstone) threadLine(text string) kind {
	th := core.Thread{}
	for _, field := range strings.Split(text, ", ") {
		name, value, _ := strings.Cut(field, ": ")
		switch strings.TrimSpace(name) {
		case "tid":
			if n, ok := logtext.Decimal(value); ok {
				th.ID = core.ThreadID(n)
			}
		case "name":
			value, program, _ := strings.Cut(value, ">>>")
			th.Name = strings.TrimSpace(value)
			t.Executable = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(program), "<<<"))
		}
	}
	switch {
	case t.thread.ID == 0 && !t.other:
		t.thread = th
	case th.ID == t.thread.ID && !t.other: // the same crash begins again: its beginning was lost
		return next
	case len(t.Threads) < maxTombstoneThreads:
		t.other = true
		t.Threads = append(t.Threads, crash.Thread{Thread: th})
	}
	return part
}

// heading takes a line that says what follows.
func (t *tombstone) heading(text string) bool {
	for _, head := range [][2]string{
		{"backtrace:", "backtrace"}, {"stack:", "stack"}, {"memory near ", "memory"}, {"code around ", "memory"},
		{"memory map", "map"}, {"open files:", "map"},
	} {
		if strings.HasPrefix(text, head[0]) {
			t.section = head[1]
			return true
		}
	}
	return false
}

// says takes what is told of the system and the signal.
func (t *tombstone) says(text string) bool {
	switch name, value, _ := strings.Cut(text, ":"); {
	case name == "ABI":
		t.abi = strings.Trim(strings.TrimSpace(value), "'")
	case name == "Build fingerprint":
		t.System = "Android " + strings.Trim(strings.TrimSpace(value), "'")
	case name == "Timestamp":
		t.Time = strings.TrimSpace(value)
	case strings.HasPrefix(text, "signal ") && strings.Contains(text, "(SIG"):
		t.Cause = text
	case name == "Abort message", name == "Cause", name == "Revision", name == "Cmdline":
		t.Details = append(t.Details, text)
	default:
		return false
	}
	return true
}

// call takes "#01 pc 00280a27  /system/lib/libart.so (artQuickGenericJniTrampoline+34)".
func (t *tombstone) call(text string) bool {
	number, rest, ok := strings.Cut(text, " pc ")
	if !ok || t.section != "backtrace" || !strings.HasPrefix(number, "#") {
		return false
	}
	digits, where, _ := strings.Cut(rest, " ")
	if len(digits) == 16 {
		t.abi = "arm64"
		return true
	}
	library, rest, _ := strings.Cut(strings.TrimSpace(where), " (")
	name := ""
	for more := rest != ""; more && name == ""; {
		name, rest, _ = strings.Cut(rest, ")")
		if strings.HasPrefix(name, "BuildId:") || strings.HasPrefix(name, "offset 0x") {
			name = ""
		}
		_, rest, more = strings.Cut(rest, "(")
	}
	t.AddName(cmp.Or(name, "pc "+digits), library)
	return true
}

// memoryRow takes words of memory: "bef1e3a8  00000000  [anon]", with the number
// of a frame before it, and rows of four.
func (t *tombstone) memoryRow(text string) bool {
	if t.section != "stack" && t.section != "memory" {
		return false
	}
	if strings.HasPrefix(text, "........") { // words between frames are left out
		return true
	}
	if strings.HasPrefix(text, "#") {
		_, text, _ = strings.Cut(text, " ")
	}
	want := 1
	if t.section == "memory" {
		want = 4 // fewer are a part of a row that was cut
	}
	row, ok := logtext.ReadRow(text)
	if ok && len(row.Words) == want {
		t.memory(core.Addr(row.Addr), row.Words)
	}
	return ok
}

// registers takes "ip 00000001  sp 6c06c970  lr 42110a2b  pc 41f71818  cpsr
// 20000030", or fewer, in their order.
func (t *tombstone) registers(text string) bool {
	f := strings.Fields(text)
	if len(f) == 0 || len(f)%2 != 0 || len(f) > 10 {
		return false
	}
	type value struct {
		reg core.Reg
		v   uint32
	}
	var values []value
	for i := 0; i < len(f); i += 2 {
		reg, ok := register(f[i])
		if v, isWord := logtext.Word(f[i+1]); ok && isWord {
			values = append(values, value{reg, v})
			continue
		}
		if strings.HasPrefix(f[i], "x") && len(f[i+1]) == 16 && t.regs.Empty() {
			t.abi = "arm64"
			return true
		}
		if len(f[i]) > 1 && f[i][0] == 'd' && len(f[i+1]) == 16 || f[i] == "scr" { // VFP, in old versions
			continue
		}
		return false
	}
	for _, v := range values {
		switch n := len(t.Threads); {
		case !t.other:
			t.set(v.reg, v.v)
		case n > 0 && !t.Threads[n-1].Regs.Has(v.reg):
			t.Threads[n-1].Regs.Set(v.reg, v.v)
		}
	}
	return true
}

// tombstoneMachines are the other machines by the names that Android has for
// them.
var tombstoneMachines = map[string]string{"arm64": "AArch64", "riscv64": "RISC-V"}

func (t *tombstone) crash() *crash.Crash {
	if t.empty() && t.Cause == "" && t.Backtrace == nil {
		return nil
	}
	if t.abi != "" && !slices.Contains([]string{"arm", "armeabi", "armeabi-v7a"}, t.abi) {
		return &crash.Crash{Refused: crash.NotARM(cmp.Or(tombstoneMachines[t.abi], t.abi)), System: t.System, Told: t.Told}
	}
	if t.regs.Empty() && t.Backtrace == nil {
		return nil
	}
	t.setProfile(core.ProfileA)
	t.faulted = true
	t.Truncated = !t.regs.Has(core.PC) || !t.regs.Has(core.SP)
	return t.finish()
}
