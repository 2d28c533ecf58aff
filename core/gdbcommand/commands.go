package gdbcommand

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Commands about nothing on the target.
type (
	// Empty is an empty line or a comment.
	Empty struct{}
	// Ignored is a command that is about gdb itself: a setting of its output,
	// its connection or its memory model.
	Ignored struct {
		Verb string // in full: "set print"
		Args string
	}
	// Unsupported is a command that gdb has and that cannot be done here.
	Unsupported struct {
		Verb  string // in full
		Args  string
		Why   string // for people: what stands against it, what to do instead
		Block bool   // the lines up to the matching "end" belong to it
	}
	// Echo prints a text.
	Echo struct{ Text string }
	// Printf prints expressions by a format of C.
	Printf struct {
		Format string   // with its escapes resolved
		Args   []string // expressions
	}
	// Sleep waits. It is what "shell sleep" means.
	Sleep struct{ Duration time.Duration }
)

// Commands about the connection and the program on the target.
type (
	// Monitor sends a command to the stub ("qRcmd").
	Monitor struct{ Text string }
	// Connect connects to a stub.
	Connect struct {
		Address  string // host:port or a serial device
		Extended bool   // "extended-remote"
	}
	// Attach attaches to a process, or to a target of a Black Magic Probe.
	Attach struct{ ID int }
	// Detach leaves the target.
	Detach struct{}
	// Kill ends the program on the target.
	Kill struct{}
	// Load writes a file's segments to the target's memory.
	Load struct {
		File   string // "" for the executable
		Offset int64  // added to the addresses
	}
	// Restore writes a file to the target's memory.
	Restore struct {
		File   string
		Binary bool   // the file's bytes, at Offset; else its segments, moved by it
		Offset string // expression, "" for 0
	}
	// FlashErase erases the whole flash.
	FlashErase struct{}
	// Run starts the program again.
	Run struct{ Until RunUntil }
	// Reset resets the core through AIRCR.SYSRESETREQ (Armv7-M ARM, B3.2.6).
	// It is what Cortex-Debug's macro SoftwareReset does.
	Reset struct{ Halt bool }
)

// RunUntil is where a program that starts stops first.
type RunUntil int

// Where "run", "start" and "starti" stop.
const (
	RunOn        RunUntil = iota // nowhere
	RunToMain                    // at main
	RunToNothing                 // before the first instruction
)

// Commands about files and sources.
type (
	// File chooses the program's file.
	File struct {
		Path          string // "" for none
		Exec, Symbols bool   // what it is used for
		Offset        int64  // of its symbols, with Symbols alone
	}
	// AddSymbolFile adds the symbols of a file.
	AddSymbolFile struct {
		Path     string
		HasText  bool   // Text was given
		Text     uint32 // address of .text
		Offset   int64  // of all sections
		Sections []Section
	}
	// RemoveSymbolFile removes a file that was added: by its name, or by an address
	// in it where the name is "".
	RemoveSymbolFile struct {
		Path    string
		Address uint32
	}
	// SubstitutePath replaces the beginning of recorded source paths.
	SubstitutePath struct{ From, To string }
	// Directory adds folders to the search path for sources.
	Directory struct{ Paths []string } // none: forget all
)

// Section is where a section of a symbol file lies.
type Section struct {
	Name    string
	Address uint32
}

// Commands that read values.
type (
	// Print prints an expression.
	Print struct {
		Expr   string
		Format byte // one of "xduotacfszi", 0 for the type's own
		Raw    bool // as it is laid out
		// Bare is set for "output": nothing but the value is printed, not even the
		// end of the line.
		Bare bool
	}
	// Describe prints the type of an expression, or a type.
	Describe struct {
		Subject string // an expression or the name of a type
		Brief   bool   // its name alone: "whatis"
		Offsets bool   // with the offsets and sizes of members, and the holes: "/o"
	}
	// Examine prints memory.
	Examine struct {
		Expr   string // the first address; "" goes on after the last
		Count  int    // of units; negative for units before the address
		Format byte   // one of "xduotacfsi", 0 as the last time
		Size   byte   // 'b' 1, 'h' 2, 'w' 4, 'g' 8 bytes, 0 as the last time
	}
	// Info prints something about the program.
	Info struct {
		Topic Topic
		Args  string // register names, a location, an expression, a regular expression
	}
	// Disassemble prints instructions.
	Disassemble struct {
		Modifiers string // of "mrs"
		Range     string // "START,END", "START,+LENGTH", an address in a function, or ""
	}
	// Backtrace prints the stack.
	Backtrace struct {
		Count int  // of frames; 0 for all, negative for the outermost
		Full  bool // with local variables
	}
	// Thread selects a thread.
	Thread struct{ ID int } // 0 prints the current one
	// ThreadApply executes a command for several threads.
	ThreadApply struct {
		IDs     []int // nil for all
		Command Command
	}
	// Frame selects a frame.
	Frame struct {
		Level    int // 0 is the innermost
		Relative bool
	}
)

// Topic is what [Info] is about.
type Topic string

// The topics of [Info].
const (
	InfoRegisters    Topic = "registers"
	InfoAllRegisters Topic = "all-registers"
	InfoThreads      Topic = "threads"
	InfoBreakpoints  Topic = "breakpoints"
	InfoLocals       Topic = "locals"
	InfoArgs         Topic = "args"
	InfoFrame        Topic = "frame"
	InfoLine         Topic = "line"
	InfoSymbol       Topic = "symbol"
	InfoFiles        Topic = "files" // also what gdb calls info target and info sharedlibrary
	InfoAddress      Topic = "address"
	InfoScope        Topic = "scope"
	InfoTypes        Topic = "types"
	InfoVariables    Topic = "variables"
	InfoFunctions    Topic = "functions"
)

func (Empty) command()            {}
func (Ignored) command()          {}
func (Unsupported) command()      {}
func (Echo) command()             {}
func (Printf) command()           {}
func (Sleep) command()            {}
func (Monitor) command()          {}
func (Connect) command()          {}
func (Attach) command()           {}
func (Detach) command()           {}
func (Kill) command()             {}
func (Load) command()             {}
func (Restore) command()          {}
func (FlashErase) command()       {}
func (Run) command()              {}
func (Reset) command()            {}
func (File) command()             {}
func (AddSymbolFile) command()    {}
func (RemoveSymbolFile) command() {}
func (SubstitutePath) command()   {}
func (Directory) command()        {}
func (Print) command()            {}
func (Describe) command()         {}
func (Examine) command()          {}
func (Info) command()             {}
func (Disassemble) command()      {}
func (Backtrace) command()        {}
func (Thread) command()           {}
func (ThreadApply) command()      {}
func (Frame) command()            {}

// joined writes words that are not empty, with spaces between them.
func joined(words ...string) string {
	var out []string
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// String implements Command.
func (Empty) String() string { return "" }

// String implements Command.
func (c Ignored) String() string { return joined(c.Verb, c.Args) }

// String implements Command.
func (c Unsupported) String() string { return joined(c.Verb, c.Args) }

// String implements Command.
func (c Echo) String() string { return joined("echo", escapeEcho(c.Text)) }

// String implements Command.
func (c Printf) String() string {
	return "printf " + strings.Join(append([]string{quoteC(c.Format)}, c.Args...), ", ")
}

// String implements Command.
func (c Sleep) String() string {
	return "shell sleep " + strconv.FormatFloat(c.Duration.Seconds(), 'f', -1, 64)
}

// String implements Command.
func (c Monitor) String() string { return joined("monitor", c.Text) }

// String implements Command.
func (c Connect) String() string {
	if c.Extended {
		return "target extended-remote " + c.Address
	}
	return "target remote " + c.Address
}

// String implements Command.
func (c Attach) String() string { return "attach " + strconv.Itoa(c.ID) }

// String implements Command.
func (Detach) String() string { return "detach" }

// String implements Command.
func (Kill) String() string { return "kill" }

// String implements Command.
func (c Load) String() string {
	if c.File == "" {
		return "load"
	}
	return joined("load", quoteWord(c.File), offsetWord(c.Offset))
}

// String implements Command.
func (c Restore) String() string {
	binary := ""
	if c.Binary {
		binary = "binary"
	}
	return joined("restore", quoteWord(c.File), binary, c.Offset)
}

// String implements Command.
func (FlashErase) String() string { return "flash-erase" }

// String implements Command.
func (c Run) String() string { return [...]string{"run", "start", "starti"}[c.Until] }

// String implements Command.
func (c Reset) String() string {
	if c.Halt {
		return "SoftwareReset 1"
	}
	return "SoftwareReset"
}

// offsetWord writes an offset that parseOffset reads, "" for none.
func offsetWord(n int64) string {
	switch {
	case n == 0:
		return ""
	case n < 0:
		return fmt.Sprintf("-%#x", -n)
	}
	return fmt.Sprintf("%#x", n)
}
