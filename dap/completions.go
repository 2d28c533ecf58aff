package dap

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/gdbcommand"
	"pushmask/core/inspect"
)

// completionsResponse is go-dap's, which cannot say that a word begins in column
// 0.
type completionsResponse struct {
	dap.Response
	Body completionsBody `json:"body"`
}

type completionsBody struct {
	Targets []completionItem `json:"targets"`
}

// completionItem is a word that may stand at the cursor. Start is a column of the
// cursor's line, as the column of the request is.
type completionItem struct {
	Label    string                 `json:"label"`
	Text     string                 `json:"text,omitempty"` // where it is not the label
	SortText string                 `json:"sortText"`
	Detail   string                 `json:"detail,omitempty"`
	Type     dap.CompletionItemType `json:"type"`
	Start    int                    `json:"start"`
	Length   int                    `json:"length"`
}

// completions tells what the word before the cursor may become: a command, a
// name of the program, a member, a register. The rest of a line of several is
// what a command or an expression consists of.
func (a *adapter) completions(ctx context.Context, req *dap.CompletionsRequest) (*completionsResponse, error) {
	args := req.Arguments
	d := a.focused()
	if args.FrameId != 0 {
		d = a.owner(args.FrameId)
	}
	c := &completer{line: a.beforeCursor(args), program: d.session.Inspect()}
	c.frame = &inspect.Frame{Memory: d.session.Memory()}
	if d.halted() == nil {
		frame, err := d.inspected(ctx, args.FrameId)
		if err != nil {
			return nil, err
		}
		c.frame = frame
	}
	c.complete(a, d)
	resp := &completionsResponse{Body: completionsBody{Targets: []completionItem{}}}
	for i, x := range c.items {
		x.SortText = fmt.Sprintf("%04d", i)
		x.Start = columnOf(c.line[:c.from])
		if !a.client.columnsStartAt0 {
			x.Start++
		}
		x.Length = columnOf(c.line[c.from:])
		resp.Body.Targets = append(resp.Body.Targets, x)
	}
	return resp, nil
}

// inspected returns the frame with an id, or for 0 the youngest of the stopped
// thread, as expressions see it.
func (d *debuggee) inspected(ctx context.Context, id int) (*inspect.Frame, error) {
	if id == 0 {
		return d.session.InspectFrame(ctx, nil)
	}
	_, f, err := d.frameByID(ctx, id)
	if err != nil {
		return nil, err
	}
	return d.session.InspectFrame(ctx, f)
}

// beforeCursor returns the line that the cursor is in up to it. Columns count
// UTF-16 code units (Requests, completions).
func (a *adapter) beforeCursor(args dap.CompletionsArguments) string {
	lines := strings.Split(args.Text, "\n")
	line := lines[min(max(a.client.ownLine(args.Line)-1, 0), len(lines)-1)]
	column := args.Column
	if !a.client.columnsStartAt0 {
		column--
	}
	units := utf16.Encode([]rune(strings.TrimSuffix(line, "\r")))
	return string(utf16.Decode(units[:min(max(column, 0), len(units))]))
}

// columnOf is the number of UTF-16 code units of a text.
func columnOf(text string) int {
	n := 0
	for _, r := range text {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// completer collects completions of a line.
type completer struct {
	line    string // up to the cursor
	program *inspect.Program
	frame   *inspect.Frame
	from    int // where in line the word begins
	items   []completionItem
}

func (c *completer) complete(a *adapter, d *debuggee) {
	what, from := gdbcommand.Completing(c.line)
	rest := c.line[from:]
	c.from = from
	switch what {
	case gdbcommand.ArgumentCommand:
		for _, name := range a.commandNames(d) {
			c.offer(rest, name, "keyword")
		}
		if rest != "" {
			c.expression(from, c.program.Complete)
		}
	case gdbcommand.ArgumentTopic:
		for _, name := range gdbcommand.Topics() {
			c.offer(rest, name, "keyword")
		}
	case gdbcommand.ArgumentExpression:
		c.expression(from, c.program.Complete)
	case gdbcommand.ArgumentType:
		c.expression(from, c.program.CompleteType)
	case gdbcommand.ArgumentSymbol:
		c.names(rest, d.program.VariableNames(rest), "variable")
		c.names(rest, d.program.FunctionNames(rest), "function")
	case gdbcommand.ArgumentLocation:
		c.names(rest, d.program.FunctionNames(rest), "function")
		c.names(rest, sourceNames(d), "file")
	case gdbcommand.ArgumentRegisters:
		c.from = from + strings.LastIndexByte(rest, ' ') + 1
		for _, r := range registerRange(core.R0, core.S31) {
			c.offer(c.line[c.from:], r.String(), "variable")
		}
	}
}

// commandNames are the commands that a line may begin with.
func (a *adapter) commandNames(d *debuggee) []string {
	return slices.DeleteFunc(gdbcommand.Commands(), func(name string) bool { return d.live == nil && !worksAtRest[name] })
}

// sourceNames are the last elements of the paths of the sources.
func sourceNames(d *debuggee) []string {
	var list []string
	for _, s := range d.program.Sources() {
		list = append(list, baseName(s.Path))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (c *completer) names(word string, list []string, kind dap.CompletionItemType) {
	for _, name := range list {
		c.offer(word, name, kind)
	}
}

// offer offers a name that begins with word.
func (c *completer) offer(word, name string, kind dap.CompletionItemType) {
	if strings.HasPrefix(name, word) && len(c.items) < inspect.MaxCompletions {
		c.items = append(c.items, completionItem{Label: name, Type: kind})
	}
}

// completionTypes are the kinds of completions as clients know them.
var completionTypes = map[inspect.CompletionKind]dap.CompletionItemType{
	inspect.CompleteVariable: "variable", inspect.CompleteMember: "field", inspect.CompleteFunction: "function",
	inspect.CompleteConstant: "value", inspect.CompleteType: "class", inspect.CompleteNamespace: "module",
	inspect.CompleteRegister: "variable", inspect.CompleteKeyword: "keyword", inspect.CompleteFile: "file",
	inspect.CompleteMacro: "text",
}

// expression offers what the expression that begins at from may go on with.
func (c *completer) expression(from int, complete func(*inspect.Frame, string) ([]inspect.Completion, int)) {
	list, at := complete(c.frame, c.line[from:])
	if len(list) == 0 {
		return
	}
	c.from = from + at
	for _, x := range list {
		item := completionItem{Label: x.Name, Detail: x.Type, Type: completionTypes[x.Kind]}
		if x.Text != x.Name {
			item.Text = x.Text
		}
		c.items = append(c.items, item)
	}
}
