package gdbcommand

import (
	"errors"
	"strings"
)

// Breakpoints and watchpoints.
type (
	// Break sets a breakpoint.
	Break struct {
		Location  Location // the zero value is where the program stands
		Temporary bool     // it is deleted when it is hit
		Hardware  bool     // it has to be one of the hardware
		Condition string   // expression, "" for always
		Thread    int      // the only thread that it stops, 0 for all
	}
	// Watch sets a watchpoint.
	Watch struct {
		Expr      string
		Access    Access
		Condition string
		Address   bool // watch the memory that Expr names now, whatever its scope
	}
	// Delete deletes breakpoints.
	Delete struct{ Numbers []int } // none: all
	// Clear deletes the breakpoints at a place.
	Clear struct{ Location Location }
	// Enable switches breakpoints on or off.
	Enable struct {
		Numbers []int // none: all
		Off     bool
	}
	// Condition changes the condition of a breakpoint.
	Condition struct {
		Number int
		Expr   string // "" for none
	}
	// HardwareLimit says how many breakpoints or watchpoints the hardware has.
	HardwareLimit struct {
		Watchpoints bool
		Count       int // -1 for no limit
	}
)

// Access is what a watchpoint watches for.
type Access int

// The accesses of [Watch].
const (
	Write Access = iota
	Read
	ReadWrite
)

// Commands that let the program run.
type (
	// Continue resumes the program.
	Continue struct{ Ignore int } // how often to pass the breakpoint it stands at
	// Interrupt stops the program.
	Interrupt struct{}
	// Step goes on by lines or instructions.
	Step struct {
		Instruction bool
		Over        bool // calls
		Count       int  // at least 1
	}
	// Finish runs until the selected frame returns.
	Finish struct{}
	// Until runs to a later line of the frame, so that it leaves loops.
	Until struct{}
	// RunTo runs until a place, or until the frame returns.
	RunTo struct{ Location Location }
	// Jump resumes at a place.
	Jump struct{ Location Location }
)

// Assignments.
type (
	// SetRegister sets a register, or a convenience variable of gdb: only who
	// knows the machine's registers can tell.
	SetRegister struct {
		Name  string // without the "$"
		Value string // expression
	}
	// SetMemory sets memory of a type whose size is known without symbols.
	SetMemory struct {
		Type    string // without qualifiers
		Size    int    // of the type, in bytes
		Address string // expression
		Value   string // expression
	}
	// SetVar sets what another expression names.
	SetVar struct{ Target, Value string }
)

func (Break) command()         {}
func (Watch) command()         {}
func (Delete) command()        {}
func (Clear) command()         {}
func (Enable) command()        {}
func (Condition) command()     {}
func (HardwareLimit) command() {}
func (Continue) command()      {}
func (Interrupt) command()     {}
func (Step) command()          {}
func (Finish) command()        {}
func (Until) command()         {}
func (RunTo) command()         {}
func (Jump) command()          {}
func (SetRegister) command()   {}
func (SetMemory) command()     {}
func (SetVar) command()        {}

// splitCondition separates "if EXPR" from what stands before it.
func splitCondition(text string) (before, condition string, err error) {
	at := -1
	err = scanTop(text, func(i int) bool {
		if isKeyword(text, i, "if") {
			at = i
			return false
		}
		return true
	})
	if err != nil || at < 0 {
		return text, "", err
	}
	condition, err = expression(text[at+len("if"):])
	return strings.TrimSpace(text[:at]), condition, err
}

// isKeyword reports whether word stands at i by itself.
func isKeyword(text string, i int, word string) bool {
	end := i + len(word)
	return strings.HasPrefix(text[i:], word) &&
		(i == 0 || text[i-1] == ' ' || text[i-1] == '\t') &&
		(end == len(text) || strings.IndexByte(" \t(", text[end]) >= 0)
}

// place is the argument of a breakpoint, taken apart.
type place struct {
	where     string
	thread    string // number, "" for all
	condition string
}

// splitPlace takes "LOCATION [-force-condition] [thread N] [if EXPR]" apart.
func splitPlace(text string) (place, error) {
	where, condition, err := splitCondition(text)
	if err != nil {
		return place{}, err
	}
	p := place{where: strings.TrimSpace(strings.TrimSuffix(where, "-force-condition")), condition: condition}
	if before, id, ok := cutThread(p.where); ok {
		p.where, p.thread = before, id
	}
	return p, nil
}

// breakpoint reads the arguments of break and its relatives.
func breakpoint(kind Break) reader {
	return func(a arguments) (Command, error) {
		p, err := splitPlace(a.text)
		if err != nil {
			return nil, err
		}
		b := kind
		b.Condition = p.condition
		if p.thread != "" {
			if b.Thread, err = parseCount(p.thread, 1); err != nil {
				return nil, err
			}
		}
		b.Location, err = ParseLocation(p.where)
		return b, err
	}
}

// cutThread separates "thread N" from the end of a place.
func cutThread(place string) (before, id string, ok bool) {
	i := strings.LastIndexAny(place, " \t")
	if i < 0 {
		return place, "", false
	}
	before, ok = strings.CutSuffix(strings.TrimSpace(place[:i]), "thread")
	if !ok || before != "" && !strings.HasSuffix(before, " ") && !strings.HasSuffix(before, "\t") {
		return place, "", false
	}
	return strings.TrimSpace(before), place[i+1:], true
}

// watchpoint reads the arguments of watch, rwatch and awatch.
func watchpoint(access Access) reader {
	return func(a arguments) (Command, error) {
		w := Watch{Access: access}
		text := a.text
		if first, rest := fields(text); first == "-location" || first == "-l" {
			w.Address, text = true, rest
		}
		place, condition, err := splitCondition(text)
		if err != nil {
			return nil, err
		}
		w.Condition = condition
		w.Expr, err = expression(place)
		return w, err
	}
}

func readDelete(a arguments) (Command, error) {
	first, rest := fields(a.text)
	switch first {
	case "mem", "display", "bookmark", "tracepoints", "tvariable", "checkpoint":
		return Ignored{Verb: "delete", Args: a.text}, nil
	case "breakpoints":
		a.text = rest
	}
	list, err := numbers(a.text)
	return Delete{list}, err
}

func readClear(a arguments) (Command, error) {
	loc, err := ParseLocation(a.text)
	return Clear{loc}, err
}

// enabling reads the arguments of enable and disable.
func enabling(off bool) reader {
	return func(a arguments) (Command, error) {
		first, rest := fields(a.text)
		switch {
		case first != "" && len(first) >= 2 && strings.HasPrefix("breakpoints", first):
			a.text = rest
		case first == "pretty-printer" || first == "frame-filter" || first == "display" || first == "mem":
			return Ignored{Verb: a.verb, Args: a.text}, nil
		case first == "once" || first == "delete" || first == "count":
			return nil, errors.New(a.verb + " " + first + " is not supported; use tbreak")
		}
		list, err := numbers(a.text)
		return Enable{list, off}, err
	}
}

func readCondition(a arguments) (Command, error) {
	first, rest := fields(a.text)
	if first == "-force" {
		first, rest = fields(rest)
	}
	n, err := parseCount(first, 1)
	if err != nil {
		return nil, err
	}
	if rest == "" {
		return Condition{Number: n}, nil
	}
	expr, err := expression(rest)
	return Condition{n, expr}, err
}

func readContinue(a arguments) (Command, error) {
	text := background(a.text)
	if text == "" || text == "-a" {
		return Continue{}, nil
	}
	n, err := parseCount(text, 1)
	return Continue{n - 1}, err
}

// background drops the "&" of a command that does not wait. None does here.
func background(text string) string { return strings.TrimSpace(strings.TrimSuffix(text, "&")) }

// stepping reads the optional count of the stepping commands.
func stepping(kind Step) reader {
	return func(a arguments) (Command, error) {
		s := kind
		s.Count = 1
		text := background(a.text)
		if text == "" {
			return s, nil
		}
		var err error
		s.Count, err = parseCount(text, 1)
		return s, err
	}
}

func readFinish(a arguments) (Command, error) {
	a.text = background(a.text)
	return a.none(Finish{})
}

func readUntil(a arguments) (Command, error) {
	if a.text = background(a.text); a.text == "" {
		return Until{}, nil
	}
	return readAdvance(a)
}

func readAdvance(a arguments) (Command, error) {
	loc, err := givenLocation(a)
	return RunTo{loc}, err
}

func readJump(a arguments) (Command, error) {
	loc, err := givenLocation(a)
	return Jump{loc}, err
}

// givenLocation reads a location that has to be there.
func givenLocation(a arguments) (Location, error) {
	text := background(a.text)
	if text == "" {
		return Location{}, errors.New(a.verb + " needs a location")
	}
	return ParseLocation(text)
}
