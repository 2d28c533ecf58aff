package gdbcommand

import "strings"

// Line is one line of a list of commands.
type Line struct {
	Text    string
	Command Command // nil with Err
	Err     error   // an [*Error]
}

// ParseLines reads a list of lines as gdb would read them one after the other:
// the lines of a block ("define", "commands", "python", "if", ... up to its
// "end") belong to the unsupported command that begins it and are left out.
func ParseLines(lines []string) []Line {
	var out []Line
	depth := 0 // of open blocks
	for _, text := range lines {
		cmd, err := Parse(text)
		u, isUnsupported := cmd.(Unsupported)
		opens := isUnsupported && u.Block
		switch {
		case depth > 0 && strings.TrimSpace(text) == "end":
			depth--
		case depth > 0 && opens:
			depth++
		case depth > 0:
		default:
			out = append(out, Line{text, cmd, err})
			if opens {
				depth++
			}
		}
	}
	return out
}
