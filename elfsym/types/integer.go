package types

import (
	"slices"
	"strings"
)

// integers are the integers of C by the shortest of their names, with the names
// that compilers write: gcc "long unsigned int", clang "unsigned long".
var integers = map[string][]string{
	"short":              {"short", "short int"},
	"unsigned short":     {"unsigned short", "short unsigned int"},
	"unsigned int":       {"unsigned int"},
	"long":               {"long", "long int"},
	"unsigned long":      {"unsigned long", "long unsigned int"},
	"long long":          {"long long", "long long int"},
	"unsigned long long": {"unsigned long long", "long long unsigned int"},
}

// integerName returns the shortest name of an integer of C that is written in
// any order of its words: C11, 6.7.2. Other names are returned as they are.
func integerName(name string) string {
	if !strings.Contains(name, "int") && !strings.Contains(name, "long") && !strings.Contains(name, "short") && !strings.Contains(name, "signed") {
		return name
	}
	words := strings.Fields(name)
	count := make(map[string]int)
	for _, w := range words {
		switch w {
		case "int", "long", "short", "signed", "unsigned":
			count[w]++
		default:
			return name
		}
	}
	short := slices.Concat(slices.Repeat([]string{"unsigned"}, min(count["unsigned"], 1)),
		slices.Repeat([]string{"long"}, min(count["long"], 2)), slices.Repeat([]string{"short"}, min(count["short"], 1)))
	if count["long"]+count["short"] == 0 {
		short = append(short, "int")
	}
	return strings.Join(short, " ")
}

// spellings returns the names that a type may have in DWARF.
func spellings(name string) []string {
	if list := integers[integerName(name)]; list != nil {
		return list
	}
	return []string{integerName(name)}
}
