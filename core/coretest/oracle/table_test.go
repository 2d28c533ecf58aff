package oracle_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"pushmask/core/coretest"
)

// row is the result of one build.
type row struct {
	build   string
	samples int
	ours    []tally // in the order of modes
	// registers are those of callers, in the order of modes.
	registers []registerCount
	gdb       []tally // with CFI, with symbols alone
}

// page holds the table between two lines of its own.
const (
	page       = "../../../docs/unwinding.md"
	tableStart = "<!-- table written by make oracle -->\n"
	tableEnd   = "<!-- end of table -->\n"
)

// writeTable rewrites the table of results.
func writeTable(t *testing.T, rows []row) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := bytes.Cut(text, []byte(tableStart))
	_, after, ok2 := bytes.Cut(rest, []byte(tableEnd))
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for the table", page)
	}
	var b bytes.Buffer
	b.Write(before)
	b.WriteString(tableStart)
	fmt.Fprintf(&b, "At most %d instructions of each build.\n\n", *long)
	b.WriteString("| build | samples | symbols | everything | no symbols | gdb, CFI | gdb, symbols | registers |\n|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %d |", r.build, r.samples)
		for _, c := range append(r.ours, r.gdb...) {
			fmt.Fprintf(&b, " %.2f / %.2f / %.2f |", c.percent(coretest.Exact), c.percent(coretest.Short), c.percent(coretest.Wrong))
		}
		for i, c := range r.registers {
			fmt.Fprintf(&b, "%s%.2f", [...]string{" ", " / "}[min(i, 1)], c.known())
		}
		b.WriteString(" |\n")
	}
	b.WriteString(tableEnd)
	b.Write(after)
	if err := os.WriteFile(page, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
