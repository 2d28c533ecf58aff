package crashlog

import (
	"encoding/hex"
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/core/exc"
)

// describe says what was read of a log, for goldens.
func describe(reports []Report) string {
	var b strings.Builder
	for i, r := range reports {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s, line %d", r.Format, r.Where.Line)
		for _, f := range []struct {
			set  bool
			name string
		}{{r.Truncated, "truncated"}, {r.Nested, "nested"}} {
			if f.set {
				b.WriteString(", " + f.name)
			}
		}
		profile := "profile not known"
		if r.ProfileKnown {
			profile = "profile " + r.Profile.String()
		}
		fmt.Fprintf(&b, ", %s\n", profile)
		describeFacts(&b, r)
		for _, t := range r.Threads {
			describeThread(&b, t.Thread, t.Regs)
		}
		for _, p := range r.Memory {
			fmt.Fprintf(&b, "memory %v +%#x %s\n", p.Addr, len(p.Data), shorten(hex.EncodeToString(p.Data)))
		}
		for _, f := range []exc.ArmFaultReg{exc.ArmDFSR, exc.ArmIFSR, exc.ArmDFAR, exc.ArmIFAR} {
			if v, ok := r.Arm.Get(f); ok {
				fmt.Fprintf(&b, "%v %#08x\n", f, v)
			}
		}
		list(&b, "detail", r.Details)
		list(&b, "warning", r.Warnings)
		list(&b, "unplaced", r.Unplaced)
	}
	return b.String()
}

func describeFacts(b *strings.Builder, r Report) {
	if r.Refused != nil {
		fmt.Fprintf(b, "refused: %v\n", r.Refused)
	}
	for _, f := range [][2]string{
		{"system", r.System}, {"executable", r.Executable}, {"time", r.Time}, {"cause", r.Cause}, {"location", r.Location},
	} {
		if f[1] != "" {
			fmt.Fprintf(b, "%s %s\n", f[0], f[1])
		}
	}
	for _, call := range r.Backtrace {
		b.WriteString("call")
		if call.HasAddr {
			fmt.Fprintf(b, " %v", call.Addr)
		}
		for _, text := range []string{call.Name, call.Location} {
			if text != "" {
				fmt.Fprintf(b, " %q", text)
			}
		}
		b.WriteByte('\n')
	}
}

func describeThread(b *strings.Builder, t core.Thread, regs core.Regs) {
	fmt.Fprintf(b, "thread %d %q", t.ID, t.Name)
	if t.Crashed {
		b.WriteString(" crashed")
	}
	if t.Faulted {
		b.WriteString(" faulted")
	}
	if t.HasPriority {
		fmt.Fprintf(b, " priority %d", t.Priority)
	}
	if t.State != "" {
		fmt.Fprintf(b, " %s", t.State)
	}
	if t.Waits != "" {
		fmt.Fprintf(b, " waits for %s", t.Waits)
	}
	if t.Stack.Known() {
		fmt.Fprintf(b, " stack %v..%v", t.Stack.Low, t.Stack.High)
	}
	if t.Stack.HasUsed {
		fmt.Fprintf(b, " used %d", t.Stack.Used)
	}
	b.WriteByte('\n')
	for r := range core.Reg(core.NumRegs) {
		if v, ok := regs.Get(r); ok {
			fmt.Fprintf(b, "  %v %08x", r, v)
		}
	}
	if !regs.Empty() {
		b.WriteByte('\n')
	}
}

func list(b *strings.Builder, name string, lines []string) {
	for _, l := range lines {
		fmt.Fprintf(b, "%s %s\n", name, l)
	}
}

func shorten(s string) string {
	if len(s) > 48 {
		return s[:32] + "..." + s[len(s)-16:]
	}
	return s
}
