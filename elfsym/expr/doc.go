// Package expr evaluates the expressions of DWARF 2 to 5 that say where a
// variable lies or what its value is, for 32-bit little-endian ARM. What an
// expression refers to in the program is behind [Context], what it reads of
// the stopped machine behind [Frame]; the package knows neither.
//
// Results are exact or an error that says what is missing. Steps, values and
// nesting are bounded.
package expr
