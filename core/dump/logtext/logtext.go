// Package logtext makes lines of a captured log: it decodes the encodings that
// serial consoles meet, removes what terminals add, and finds hexadecimal
// words and name-value pairs in what is left. It knows no crash format.
package logtext
