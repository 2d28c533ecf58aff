// Package crashlog reads the crash reports that firmware prints as text. Each
// format is a file with one entry in the list formats; what none of them
// claims is given to a scanner for hand-written handlers, which knows the names
// of registers only.
//
// # Writing a format
//
// A format says by which line a report begins, and reads it a line at a time
// as a [reading]; collect cuts the log into reports. A reading is given every
// line from the first one on, and says of each what it is to the report: a
// part, the last one, or foreign. Lines of other tasks come in between, lines
// are lost and are cut, so that a reading expects no order beyond what it
// needs, takes the first value where one comes twice, and gives up nothing
// because something else is missing.
//
// The text of a line has no time stamp, level or prompt any more; see
// [logtext.Line]. Helpers of this package: [report] collects registers, fault
// registers and stack rows by the names and forms that most formats share;
// what a format does differently it does itself before it asks these.
//
// Rules that every format keeps:
//
//   - A register that is not printed is not set; a value that the writer marks
//     as not valid is not set; registers that the report itself calls invalid
//     (the frame could not be stacked) are not set, with a warning.
//   - SP is set only where the format's rules say what it was before the fault;
//     [report.correctSP] and [report.frameSP] know the alignment word.
//   - Thread.Faulted is true where the registers are those of the faulting
//     instruction, and false where they are those of the handler.
//   - EXC_RETURN is not LR. It goes to [report.setReturn], which keeps it for
//     Told.Details and tells MSP from PSP.
//   - The writer's sentences go to Told; what belongs to the report and was not
//     understood goes to Crash.Skip.
//   - A machine that is not ARM is refused by its name: crash.NotARM.
//
// Each format has logs in testdata with what is read of them; the tests of this
// package cut, damage, wrap and decorate every one of them.
package crashlog
