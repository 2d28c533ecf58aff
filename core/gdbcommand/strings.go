package gdbcommand

import (
	"fmt"
	"strconv"
	"strings"
)

// String implements Command.
func (c File) String() string {
	verb := "file"
	switch {
	case !c.Symbols:
		verb = "exec-file"
	case !c.Exec:
		verb = "symbol-file"
	}
	if c.Path == "" {
		return verb
	}
	offset := offsetWord(c.Offset)
	if offset != "" {
		offset = "-o " + offset
	}
	return joined(verb, offset, quoteWord(c.Path))
}

// String implements Command.
func (c AddSymbolFile) String() string {
	words := []string{"add-symbol-file", quoteWord(c.Path)}
	if c.HasText {
		words = append(words, fmt.Sprintf("%#x", c.Text))
	}
	if c.Offset != 0 {
		words = append(words, "-o", offsetWord(c.Offset))
	}
	for _, s := range c.Sections {
		words = append(words, "-s", quoteWord(s.Name), fmt.Sprintf("%#x", s.Address))
	}
	return strings.Join(words, " ")
}

// String implements Command.
func (c RemoveSymbolFile) String() string {
	if c.Path == "" {
		return fmt.Sprintf("remove-symbol-file -a %#x", c.Address)
	}
	return "remove-symbol-file " + quoteWord(c.Path)
}

// String implements Command.
func (c SubstitutePath) String() string {
	return "set substitute-path " + quoteWord(c.From) + " " + quoteWord(c.To)
}

// String implements Command.
func (c Directory) String() string {
	words := []string{"directory"}
	for _, p := range c.Paths {
		words = append(words, quoteWord(p))
	}
	return strings.Join(words, " ")
}

// slash writes the format that follows a command's name.
func slash(letters ...byte) string {
	out := "/"
	for _, l := range letters {
		if l != 0 {
			out += string(l)
		}
	}
	if out == "/" {
		return ""
	}
	return out
}

// String implements Command.
func (c Print) String() string {
	format := []byte{c.Format}
	if c.Raw {
		format = append(format, 'r')
	}
	switch {
	case c.Bare:
		return joined("output"+slash(format...), c.Expr)
	case strings.HasPrefix(c.Expr, "-"):
		return joined("print", "--", slash(format...), c.Expr)
	}
	return "print" + slash(format...) + " " + c.Expr
}

// String implements Command.
func (c Describe) String() string {
	switch {
	case c.Brief:
		return "whatis " + c.Subject
	case c.Offsets:
		return "ptype/o " + c.Subject
	}
	return "ptype " + c.Subject
}

// String implements Command.
func (c Examine) String() string {
	format := slash(append([]byte(strconv.Itoa(c.Count)), c.Format, c.Size)...)
	return joined("x"+format, c.Expr)
}

// String implements Command.
func (c Info) String() string { return joined("info", string(c.Topic), c.Args) }

// String implements Command.
func (c Disassemble) String() string {
	return joined("disassemble"+slash([]byte(c.Modifiers)...), c.Range)
}

// String implements Command.
func (c Backtrace) String() string {
	words := []string{"backtrace"}
	if c.Full {
		words = append(words, "-full")
	}
	if c.Count != 0 {
		words = append(words, strconv.Itoa(c.Count))
	}
	return strings.Join(words, " ")
}

// String implements Command.
func (c Thread) String() string {
	if c.ID == 0 {
		return "thread"
	}
	return "thread " + strconv.Itoa(c.ID)
}

// String implements Command.
func (c ThreadApply) String() string {
	ids := "all"
	if c.IDs != nil {
		ids = intList(c.IDs)
	}
	return "thread apply " + ids + " " + c.Command.String()
}

// String implements Command.
func (c Frame) String() string {
	switch {
	case !c.Relative:
		return "frame level " + strconv.Itoa(c.Level)
	case c.Level > 0:
		return "up " + strconv.Itoa(c.Level)
	case c.Level < 0:
		return "down " + strconv.Itoa(-c.Level)
	}
	return "frame"
}

func intList(all []int) string {
	words := make([]string, len(all))
	for i, n := range all {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, " ")
}

// String implements Command.
func (c Break) String() string {
	verb := [...]string{"break", "tbreak", "hbreak", "thbreak"}[bit(c.Temporary)|bit(c.Hardware)<<1]
	thread := ""
	if c.Thread != 0 {
		thread = "thread " + strconv.Itoa(c.Thread)
	}
	return joined(verb, c.Location.String(), thread, ifClause(c.Condition))
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func ifClause(condition string) string {
	if condition == "" {
		return ""
	}
	return "if " + condition
}

// String implements Command.
func (c Watch) String() string {
	verb := map[Access]string{Write: "watch", Read: "rwatch", ReadWrite: "awatch"}[c.Access]
	location := ""
	if c.Address {
		location = "-location"
	}
	return joined(verb, location, c.Expr, ifClause(c.Condition))
}

// String implements Command.
func (c Delete) String() string { return joined("delete", intList(c.Numbers)) }

// String implements Command.
func (c Clear) String() string { return joined("clear", c.Location.String()) }

// String implements Command.
func (c Enable) String() string {
	if c.Off {
		return joined("disable", intList(c.Numbers))
	}
	return joined("enable", intList(c.Numbers))
}

// String implements Command.
func (c Condition) String() string { return joined("condition", strconv.Itoa(c.Number), c.Expr) }

// String implements Command.
func (c HardwareLimit) String() string {
	kind := "breakpoint"
	if c.Watchpoints {
		kind = "watchpoint"
	}
	count := "unlimited"
	if c.Count >= 0 {
		count = strconv.Itoa(c.Count)
	}
	return "set remote hardware-" + kind + "-limit " + count
}

// String implements Command.
func (c Continue) String() string {
	if c.Ignore == 0 {
		return "continue"
	}
	return "continue " + strconv.Itoa(c.Ignore+1)
}

// String implements Command.
func (Interrupt) String() string { return "interrupt" }

// String implements Command.
func (c Step) String() string {
	verb := [...]string{"step", "next", "stepi", "nexti"}[bit(c.Over)|bit(c.Instruction)<<1]
	if c.Count == 1 {
		return verb
	}
	return verb + " " + strconv.Itoa(c.Count)
}

// String implements Command.
func (Finish) String() string { return "finish" }

// String implements Command.
func (Until) String() string { return "until" }

// String implements Command.
func (c RunTo) String() string { return "advance " + c.Location.waiting() }

// String implements Command.
func (c Jump) String() string { return "jump " + c.Location.waiting() }

// waiting writes a location whose end no "&" is taken from: "operator&".
func (l Location) waiting() string {
	text := l.String()
	if strings.HasSuffix(text, "&") {
		text += " &"
	}
	return text
}

// String implements Command.
func (c SetRegister) String() string { return "set variable $" + c.Name + " = " + c.Value }

// String implements Command.
func (c SetMemory) String() string {
	return "set variable *(" + c.Type + " *)" + c.Address + " = " + c.Value
}

// String implements Command.
func (c SetVar) String() string { return "set variable " + c.Target + " = " + c.Value }
