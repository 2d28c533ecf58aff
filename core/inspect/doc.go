// Package inspect shows what a program was doing: the arguments, locals,
// statics and globals of a frame with their types and values, and what
// expressions in C come to there. Names and types are of the DWARF of the
// images, where a variable lies is told by its location at the frame's PC, and
// what it holds by the registers that the unwinder recovered for that frame and
// by the target's memory. A value that is not there says why; none is made up.
package inspect
