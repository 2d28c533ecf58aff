package svd

import (
	"errors"
	"fmt"
)

// ErrNoDevice is what errors.Is finds when a file holds no device element, or
// is no XML.
var ErrNoDevice = errors.New("no CMSIS-SVD device description")

// ErrTooLarge is what errors.Is finds when a file is larger than 64 MiB.
var ErrTooLarge = errors.New("description is larger than 64 MiB")

// Problem is something in the file that could not be taken as it is.
type Problem struct {
	Line int    // of the element, from 1
	Path string // "GPIOA.ODR.ODR5", "" outside of peripherals
	Text string
}

// String returns "line 12: GPIOA.ODR: no addressOffset".
func (p Problem) String() string {
	if p.Path == "" {
		return fmt.Sprintf("line %d: %s", p.Line, p.Text)
	}
	return fmt.Sprintf("line %d: %s: %s", p.Line, p.Path, p.Text)
}

// maxProblems bounds the list: a generator's mistake is in every register.
const maxProblems = 500

// problems collects them. An element that is expanded more than once, since
// others derive from it, reports each of its problems once.
type problems struct {
	list []Problem
	more int
	seen map[problemKey]bool
}

type problemKey struct {
	n    *node
	text string
}

// add records a problem at a node.
func (p *problems) add(n *node, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	key := problemKey{n, text}
	if p.seen[key] {
		return
	}
	if len(p.list) >= maxProblems {
		p.more++ // one that repeats counts again
		return
	}
	if p.seen == nil {
		p.seen = map[problemKey]bool{}
	}
	p.seen[key] = true
	p.list = append(p.list, Problem{int(n.line), n.path(), text})
}

// addLine records a problem of the text itself.
func (p *problems) addLine(line int, format string, args ...any) {
	if len(p.list) >= maxProblems {
		p.more++
		return
	}
	p.list = append(p.list, Problem{Line: line, Text: fmt.Sprintf(format, args...)})
}
