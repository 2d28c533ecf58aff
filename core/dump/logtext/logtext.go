// Package logtext makes lines of a captured log: it decodes the encodings that
// serial consoles meet, removes what terminals and loggers add, joins what a
// terminal wrapped, and finds hexadecimal words and name-value pairs in what
// is left. It knows no crash format.
//
// Numbers keep their digits until a format says how to read them: the same
// "00004048" is a size in decimal in one report and an address in another.
package logtext
