// Package dump opens what a crash left behind. [Open] sniffs the content of a
// file and hands it to the reader that claims it; the name of the file plays
// no part. A [Dump] is a [core.Target] at rest.
//
// Readers keep what a damaged file still holds and say in [Dump.Warnings]
// what is missing. What the file does not carry stays unknown: a register
// without a value, a hole in memory.
//
// A format whose artefacts may be large is an opener in the list formats; one
// that is held in memory is a package of its own that returns what it found as
// [crash.Crash], with a line in the list readers.
package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/exc"
	"pushmask/core/memmap"
)

// Region is a range of memory that a dump holds. Size is in bytes.
type Region struct {
	Addr core.Addr
	Size uint32
}

// MappedFile is an NT_FILE entry of a hosted core: the bytes from Start up to
// End were mapped from the file at Path, beginning at the byte Offset.
type MappedFile struct {
	Start, End core.Addr
	Offset     uint64
	Path       string
}

// Name returns the last part of the path, without the mark that Linux puts
// behind the paths of files that were replaced or removed (fs/d_path.c).
func (f MappedFile) Name() string {
	if f.Path == "" {
		return ""
	}
	return path.Base(strings.TrimSuffix(f.Path, " (deleted)"))
}

// AuxEntry is one entry of the auxiliary vector that the kernel handed to the
// program (NT_AUXV; tags as in the C library's elf.h).
type AuxEntry struct {
	Tag, Value uint32
}

// Tags of the auxiliary vector that tell where a program was loaded.
const (
	AuxPHDR       = 3 // address of the program headers
	AuxBase       = 7 // load address of the dynamic linker
	AuxEntryPoint = 9 // entry address of the program
)

// Note is one ELF note as the file has it, for listings.
type Note struct {
	Name string
	Type uint32
	Size uint32 // bytes of its descriptor
}

// Dump is an opened crash artefact. It implements [core.Target]. Its fields
// and methods may be read by several goroutines; none may be changed.
type Dump struct {
	Path     string   // as given to Open, "" when opened from a reader
	Format   string   // "ELF core (Linux)", "ELF core (gdb bare metal)", ...
	System   string   // operating system and version as the artefact states them, "" if it does not
	Warnings []string // what is missing or odd, for people
	// Regions is what the dump holds, ascending. Regions that touch are one.
	Regions []Region
	// Unsaved lists ranges that the target had and the writer of the dump
	// left out on purpose, in the order of the file. A Linux core leaves out
	// what can be read from the program's files.
	Unsaved     []Region
	Executable  string // path or name of the program, "" if not known
	Arguments   string // command line, "" if not known
	MappedFiles []MappedFile
	Aux         []AuxEntry
	Notes       []Note
	// TargetXML is GDB's target description, "" if there is none.
	TargetXML string
	BuildID   []byte // GNU build ID of the program, nil if not stated
	Time      string // when it crashed, in the artefact's words
	crash.Told
	// Arm holds the fault registers of an A- or R-profile core. Those of an
	// M-profile core are memory.
	Arm exc.ArmFaults
	// Unplaced lists what was not understood, in the artefact's words.
	Unplaced []string
	// Crashes lists what the artefact holds, in its order; empty for formats
	// that hold one crash. Selected is the number of the one that was opened.
	Crashes  []Summary
	Selected int

	mem     memmap.Map
	joined  core.Memory // mem over that of the other files; nil where there is none
	profile core.Profile
	threads []thread
	files   []io.Closer // none when opened from a reader
}

var _ core.Target = (*Dump)(nil)

// thread is a thread with its registers at the stop.
type thread struct {
	core.Thread
	regs core.Regs
	// repeated says that another thread has the frames of this one.
	repeated bool
}

// Close releases the files. Memory cannot be read any more.
func (d *Dump) Close() error {
	var err error
	for _, f := range d.files {
		err = errors.Join(err, f.Close())
	}
	return err
}

// Memory implements [core.Target]. Reads of a file-backed region touch the
// file; nothing is loaded as a whole.
func (d *Dump) Memory() core.Memory {
	if d.joined != nil {
		return d.joined
	}
	return &d.mem
}

// Profile implements [core.Target]. Artefacts seldom state it; the reader
// decides by the evidence that its documentation lists.
func (d *Dump) Profile() core.Profile { return d.profile }

// Threads implements [core.Target]. A dump without registers has none. IDs are
// those of the artefact where these are positive and unique; the other
// threads, such as the idle task of NuttX with its pid 0, have the smallest
// positive IDs that the artefact does not use.
func (d *Dump) Threads(context.Context) ([]core.Thread, error) {
	out := make([]core.Thread, len(d.threads))
	for i, t := range d.threads {
		out[i] = t.Thread
	}
	return out, nil
}

// Registers implements [core.Target]. It fails only for a thread that
// [Dump.Threads] does not list, with [ErrNoThread].
func (d *Dump) Registers(_ context.Context, id core.ThreadID) (core.Regs, error) {
	for _, t := range d.threads {
		if t.ID == id {
			return t.regs, nil
		}
	}
	return core.Regs{}, fmt.Errorf("read registers of thread %d: %w", id, ErrNoThread)
}

// AuxValue returns the value of the first entry with the given tag of the
// auxiliary vector.
func (d *Dump) AuxValue(tag uint32) (uint32, bool) {
	for _, e := range d.Aux {
		if e.Tag == tag {
			return e.Value, true
		}
	}
	return 0, false
}

// maxWarnings bounds the list for files that are wrong throughout.
const maxWarnings = 100

func (d *Dump) warnf(format string, args ...any) {
	if len(d.Warnings) >= maxWarnings {
		return
	}
	if len(d.Warnings) == maxWarnings-1 {
		format, args = "further warnings are left out", nil
	}
	d.Warnings = append(d.Warnings, fmt.Sprintf(format, args...))
}
