package srcpath

import (
	"cmp"
	"slices"
	"strings"
)

// Rule replaces the beginning of a recorded path. From and To are whole names:
// "/build/fw" matches "/build/fw/main.c" and not "/build/fw2/main.c". Either
// may be a POSIX or a Windows path; separators need not agree. Where the
// recorded path is a Windows path, case does not matter.
//
// An empty From matches relative paths. An empty To leaves a path that is
// relative to the working directory.
type Rule struct{ From, To string }

// RulesFromMap makes rules of a sourceFileMap object, which has no order: the
// rule with the longest From comes first, so that it wins.
func RulesFromMap(m map[string]string) []Rule {
	rules := make([]Rule, 0, len(m))
	for from, to := range m {
		rules = append(rules, Rule{from, to})
	}
	slices.SortFunc(rules, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(len(elements(b.From)), len(elements(a.From))), cmp.Compare(a.From, b.From))
	})
	return rules
}

// Apply returns the path that the rule makes of recorded, and false when it
// does not match.
func (r Rule) Apply(recorded string) (string, bool) {
	recorded = Clean(recorded)
	if r.From == "" {
		if Absolute(recorded) {
			return "", false
		}
		return Join(r.To, recorded), true
	}
	fold := Windows(recorded)
	if !sameName(root(Clean(r.From)), root(recorded), fold) {
		return "", false
	}
	from, names := elements(r.From), elements(recorded)
	if len(from) > len(names) {
		return "", false
	}
	for i := range from {
		if !sameName(from[i], names[i], fold) {
			return "", false
		}
	}
	rest := strings.Join(names[len(from):], "/")
	switch {
	case r.To == "":
		return rest, true
	case rest == "":
		return Clean(r.To), true
	}
	return Join(r.To, rest), true
}

// root returns what comes before the names of a path: "" for relative paths,
// "/" for absolute POSIX paths, the volume for Windows paths.
func root(p string) string {
	if v := volume(p); v != "" {
		return strings.ReplaceAll(v, "/", `\`)
	}
	if Absolute(p) {
		return "/"
	}
	return ""
}

func sameName(a, b string, fold bool) bool {
	return a == b || fold && strings.EqualFold(a, b)
}
