package elfsym

import (
	"cmp"
	"debug/elf"
	"strings"
)

// manyAliases is the number of weak names at one address from which on they
// are taken for defaults: start-up code gives a hundred unused interrupts one
// address (.weak X; .thumb_set X, Default_Handler), and naming that function
// after whichever interrupt sorts first would accuse the wrong one.
const manyAliases = 3

// betterAlias orders symbols of one address, the most telling name first:
// what the symbol table calls a function before labels, with a size before
// without, global before weak before local (but see manyAliases), fewer
// leading underscores and no linker-generated parts, shorter, alphabetical.
func betterAlias(weakNames int) func(a, b *symbol) int {
	return func(a, b *symbol) int {
		if weakNames >= manyAliases {
			if c := cmp.Compare(isWeak(a), isWeak(b)); c != 0 {
				return c
			}
		}
		return cmp.Or(
			cmp.Compare(kindRank(a), kindRank(b)),
			cmp.Compare(bindRank(a.bind), bindRank(b.bind)),
			cmp.Compare(plainness(a.name), plainness(b.name)),
			cmp.Compare(len(a.name), len(b.name)),
			strings.Compare(a.name, b.name),
		)
	}
}

func isWeak(s *symbol) int {
	if s.bind == elf.STB_WEAK {
		return 1
	}
	return 0
}

func kindRank(s *symbol) int {
	rank := 0
	if !s.isFunc() && s.typ != elf.STT_OBJECT {
		rank = 2
	}
	if s.size == 0 {
		rank++
	}
	return rank
}

func bindRank(b elf.SymBind) int {
	switch b {
	case elf.STB_GLOBAL:
		return 0
	case elf.STB_WEAK:
		return 1
	}
	return 2
}

// plainness counts what makes a name look like an implementation detail. The
// underscore of _Z and _R, which begin mangled names, is not counted.
func plainness(name string) int {
	n := len(name) - len(strings.TrimLeft(name, "_"))
	if strings.HasPrefix(name, "_Z") || strings.HasPrefix(name, "_R") {
		n--
	}
	if strings.ContainsAny(name, ".$") {
		n += 4
	}
	return n
}

// bestAlias returns the most readable of symbols that share one address.
func bestAlias(group []symbol) *symbol {
	weak := 0
	for i := range group {
		weak += isWeak(&group[i])
	}
	better := betterAlias(weak)
	best := &group[0]
	for i := range group[1:] {
		if s := &group[i+1]; better(s, best) < 0 {
			best = s
		}
	}
	return best
}
