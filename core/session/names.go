package session

import (
	"slices"
	"strings"

	"pushmask/elfsym"
)

// FunctionNames lists the functions whose names begin with prefix, sorted.
func (p *Program) FunctionNames(prefix string) []string {
	var list []string
	for _, f := range p.images.Functions() {
		list = appendName(list, f.Name, prefix)
	}
	return sorted(list)
}

// VariableNames lists the global and static variables whose names begin with
// prefix, sorted.
func (p *Program) VariableNames(prefix string) []string {
	var list []string
	p.images.EachVariable(func(s elfsym.Symbol) bool {
		list = appendName(list, s.Name, prefix)
		return true
	})
	return sorted(list)
}

func appendName(list []string, name, prefix string) []string {
	if name != "" && strings.HasPrefix(name, prefix) {
		list = append(list, name)
	}
	return list
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
