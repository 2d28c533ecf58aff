package session

import (
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/unwind"
)

// RowsAt returns what each source that describes the instruction at pc says of
// the frame before it, the analysis first. Differs is set on a table whose row
// the analysis does not admit.
func (p *Program) RowsAt(pc core.Addr) []SourceRow {
	var rows []SourceRow
	analysed := p.code.SourceRows(core.TrustAnalysis, pc)
	for _, source := range rowSources {
		found := unwind.Distinct(p.code.SourceRows(source, pc))
		if len(found) == 0 {
			continue
		}
		texts := make([]string, len(found))
		for i := range found {
			texts[i] = found[i].String()
		}
		rows = append(rows, SourceRow{
			Source:    source,
			Rule:      strings.Join(texts, "  or  "),
			CallsOnly: source == core.TrustEXIDX,
			Differs:   source == core.TrustCFI && len(analysed) > 0 && !admits(analysed, &found[0]),
		})
	}
	return rows
}

func admits(analysed []unwind.Row, r *unwind.Row) bool {
	return slices.ContainsFunc(analysed, func(a unwind.Row) bool { return a.Admits(r) })
}
