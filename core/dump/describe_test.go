package dump

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pushmask/core"
)

// describe writes a dump as text for goldens.
func describe(t testing.TB, d *Dump) string {
	t.Helper()
	var b strings.Builder
	line := func(key, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s %s\n", key, fmt.Sprintf(format, args...))
	}
	line("format", "%s", d.Format)
	line("profile", "%v", d.Profile())
	if d.System != "" {
		line("system", "%s", d.System)
	}
	if d.Executable != "" || d.Arguments != "" {
		line("program", "%s: %s", d.Executable, d.Arguments)
	}
	for _, w := range d.Warnings {
		line("warning", "%s", w)
	}
	for _, r := range d.Regions {
		line("region", "%v +%#x", r.Addr, r.Size)
	}
	for _, r := range d.Unsaved {
		line("unsaved", "%v +%#x", r.Addr, r.Size)
	}
	for _, f := range d.MappedFiles {
		line("mapped", "%v..%v %s +%#x", f.Start, f.End, f.Path, f.Offset)
	}
	for _, a := range d.Aux {
		line("aux", "%d = %#x", a.Tag, a.Value)
	}
	for _, n := range d.Notes {
		line("note", "%q type %#x, %d bytes", n.Name, n.Type, n.Size)
	}
	if d.TargetXML != "" {
		line("xml", "%d bytes", len(d.TargetXML))
	}
	threads, err := d.Threads(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, th := range threads {
		describeThread(t, &b, d, th)
	}
	return b.String()
}

func describeThread(t testing.TB, b *strings.Builder, d *Dump, th core.Thread) {
	fmt.Fprintf(b, "thread %d %q", th.ID, th.Name)
	if th.Crashed {
		b.WriteString(" crashed")
	}
	if th.Signal != 0 {
		fmt.Fprintf(b, " signal %d", th.Signal)
	}
	if th.HasFaultAddr {
		fmt.Fprintf(b, " fault address %v", th.FaultAddr)
	}
	b.WriteString("\n")
	regs, err := d.Registers(context.Background(), th.ID)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for r := range core.Reg(core.NumRegs) {
		if v, ok := regs.Get(r); ok {
			sep := "  "
			if n%6 == 0 {
				sep = "\n  "
			}
			if n == 0 {
				sep = "  "
			}
			fmt.Fprintf(b, "%s%-4v %08x", sep, r, v)
			n++
		}
	}
	if n > 0 {
		b.WriteString("\n")
	}
}
