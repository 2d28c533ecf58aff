package dump

import "pushmask/core"

// Options say how to open an artefact. The zero value is right for one that
// says everything itself.
type Options struct {
	// Crash selects one of the crashes that the artefact holds, by its number
	// in [Dump.Crashes]; 0 selects the newest of the most complete ones.
	Crash int
	// Base is the address of the first byte of raw memory; the file is taken for
	// that, packed or not, whatever it looks like. It is valid when HasBase.
	Base    core.Addr
	HasBase bool
	// More lists further files with parts of the same crash: memory, or
	// registers as a debugger prints them.
	More []Source
	// Set holds registers of the crashed thread that the user knows. They go
	// over what the artefact says.
	Set core.Regs
}

// Source is a file with a part of a crash. Base is as in [Options].
type Source struct {
	Path    string
	Base    core.Addr
	HasBase bool
}

// Summary is one of the crashes of an artefact, for choosing.
type Summary struct {
	Number int    // from 1, in the order of the artefact
	File   string // in an archive: the name of the file, "" elsewhere
	Format string
	Line   int    // in a text, 0 elsewhere
	Time   string // in the artefact's words, "" if not stated
	Cause  string // in the artefact's words, "" if not stated
	// Truncated says that its end is missing.
	Truncated bool
}
