package session

import (
	"fmt"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/unwind"
)

// SourceRow is what one source of unwind knowledge says of the instruction
// that a frame stands at.
type SourceRow struct {
	Source core.Trust // TrustAnalysis, TrustCFI or TrustEXIDX
	// Ahead is set on what the analysis reads off the code ahead of the frame, by
	// what its returns pop, without the code before.
	Ahead bool
	// Rule is the row in the notation of [unwind.Row.String]; rows that hold on
	// different paths to the instruction are joined by " or ".
	Rule string
	// CallsOnly is set where the source describes calls alone and the frame
	// stands at none: its rule need not hold.
	CallsOnly bool
	// Differs is set by [Program.RowsAt] on CFI that contradicts the analysis.
	Differs bool
}

// Name is how the source is called.
func (r *SourceRow) Name() string {
	if r.Ahead {
		return "code ahead"
	}
	return r.Source.String()
}

// rowSources are the sources that have rows, the most general first.
var rowSources = [...]core.Trust{core.TrustAnalysis, core.TrustCFI, core.TrustEXIDX}

// Rows returns what each source that knows the frame's instruction says of it,
// and in conflict where two of them find another CFA or return address; "" is
// no conflict. EHABI tables hold at calls (EHABI32 chapter 5), so they are not
// compared in a frame that was stopped elsewhere. An exception entry has no
// rows.
func (s *Session) Rows(f *Frame) (rows []SourceRow, conflict string) {
	if f.Core.Kind != core.FrameFunction {
		return nil, ""
	}
	atCall, rowsAt := false, s.program.code.SourceRows
	if f.Core.Lookup != f.Core.PC {
		atCall, rowsAt = true, s.program.code.CallRows
	}
	var claims []claim
	for _, source := range rowSources {
		found := unwind.Distinct(rowsAt(source, f.Core.Lookup))
		if len(found) == 0 {
			continue
		}
		r := SourceRow{Source: source, CallsOnly: source == core.TrustEXIDX && !atCall}
		rules := make([]string, len(found))
		for i := range found {
			rules[i] = found[i].String()
		}
		r.Rule = strings.Join(rules, " or ")
		rows = append(rows, r)
		if c := s.claim(r.Name(), found, &f.Core.Regs); !r.CallsOnly && len(c.rows) > 0 {
			claims = append(claims, c)
		}
	}
	if ahead, ok := s.program.code.ForwardRow(f.Core, s.memory); ok {
		r := SourceRow{Source: core.TrustAnalysis, Ahead: true, Rule: ahead.String()}
		rows = append(rows, r)
		// It speaks of SP alone, other sources of frame pointers: values compare.
		if c := s.claim(r.Name(), []unwind.Row{ahead}, &f.Core.Regs); len(c.rows) > 0 && c.rows[0].known {
			claims = append(claims, c)
		}
	}
	return rows, conflicts(claims)
}

// claim is the meaning of a source's rows, at least one.
type claim struct {
	source string
	rows   []meaning
}

// meaning is what a row comes to in a frame.
type meaning struct {
	row   *unwind.Row
	cfa   core.Addr
	ra    uint32
	known bool // cfa and ra could be computed
}

// claim is what rows come to. A row without a CFA or a return address claims
// nothing.
func (s *Session) claim(source string, rows []unwind.Row, regs *core.Regs) claim {
	c := claim{source: source}
	for i := range rows {
		r := &rows[i]
		if len(r.CFA) == 0 || !r.HasRA {
			continue
		}
		cfa, ra, err := r.Values(regs, s.memory)
		c.rows = append(c.rows, meaning{r, cfa, ra, err == nil})
	}
	return c
}

// conflicts names each pair of sources of which no two rows agree.
func conflicts(claims []claim) string {
	var list []string
	for i, a := range claims {
		for _, b := range claims[i+1:] {
			if what := differ(a, b); what != "" {
				list = append(list, fmt.Sprintf("%v and %v: %s", a.source, b.source, what))
			}
		}
	}
	return strings.Join(list, "; ")
}

// differ says in what the likeliest rows of two claims differ, "" where some
// rows of both agree.
func differ(a, b claim) string {
	for i := range a.rows {
		if slices.ContainsFunc(b.rows, func(m meaning) bool { return a.rows[i].difference(m) == "" }) {
			return ""
		}
	}
	return a.rows[0].difference(b.rows[0])
}

// difference says in what two rows differ: by the values where both are known,
// else by the rules. Two rules for the CFA are one if they share a way.
func (m meaning) difference(n meaning) string {
	var list []string
	if m.known && n.known {
		if m.cfa != n.cfa {
			list = append(list, fmt.Sprintf("CFA %v and %v", m.cfa, n.cfa))
		}
		if m.ra&^1 != n.ra&^1 {
			list = append(list, fmt.Sprintf("return address 0x%08x and 0x%08x", m.ra, n.ra))
		}
		return strings.Join(list, ", ")
	}
	if !slices.ContainsFunc(m.row.CFA, func(c unwind.CFARule) bool { return slices.Contains(n.row.CFA, c) }) {
		list = append(list, fmt.Sprintf("CFA %v and %v", m.row.CFA[0], n.row.CFA[0]))
	}
	if m.row.RA != n.row.RA {
		list = append(list, fmt.Sprintf("return address %v and %v", m.row.RA, n.row.RA))
	}
	return strings.Join(list, ", ")
}
