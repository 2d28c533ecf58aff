// Package crashlog reads the crash reports that firmware prints as text. Each
// format is a file with one entry in the list formats; what none of them
// claims is given to a scanner for hand-written handlers, which knows the names
// of registers only.
package crashlog
