package dap

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"pushmask/core"
	"pushmask/core/gdbcommand"
	"pushmask/core/inspect"
)

// infoSymbol prints the symbol that an address belongs to.
func (in *interpreter) infoSymbol(ctx context.Context, expr string) error {
	a, err := in.address(ctx, expr)
	if err != nil {
		return err
	}
	name := in.debuggee.program.SymbolText(a)
	if name == "" {
		return fmt.Errorf("no symbol has the address %v", a)
	}
	in.printf("%s\n", name)
	return nil
}

// infoAddress prints where what a name stands for lies.
func (in *interpreter) infoAddress(ctx context.Context, name string) error {
	v, err := in.evaluate(ctx, name)
	if err != nil {
		return err
	}
	in.printf("%s: %s\n", name, v.Value.Where())
	return nil
}

// location returns the address that the arguments of a command name, the PC for
// none.
func (in *interpreter) location(ctx context.Context, text string) (core.Addr, error) {
	if strings.TrimSpace(text) == "" {
		return in.address(ctx, "$pc")
	}
	l, err := gdbcommand.ParseLocation(text)
	if err != nil {
		return 0, err
	}
	return in.place(ctx, l)
}

// infoLine prints the line of the source at a place, and its instructions.
func (in *interpreter) infoLine(ctx context.Context, text string) error {
	a, err := in.location(ctx, text)
	if err != nil {
		return err
	}
	r, ok := in.debuggee.program.LineAt(a)
	if !ok {
		return fmt.Errorf("no line of the source is known for %v", a)
	}
	in.printf("line %d of %s: instructions from %v <%s> to %v\n", r.Line, baseName(r.File), r.Lo, in.debuggee.program.SymbolText(r.Lo), r.Hi)
	return nil
}

// infoScope prints the variables of the function and the blocks around a place.
func (in *interpreter) infoScope(ctx context.Context, text string) error {
	a, err := in.location(ctx, text)
	if err != nil {
		return err
	}
	sess := in.debuggee.session
	list := sess.Inspect().Locals(&inspect.Frame{Lookup: a, HasPC: true, Memory: sess.Memory()})
	for _, v := range list {
		in.printf("%s: %s", v.Name, v.Value.Type.Name())
		if size, ok := v.Value.Type.Size(); ok {
			in.printf(", %s", plural(int(size), "byte"))
		}
		if at, ok := v.Value.Address(); ok {
			in.printf(", at %v", at)
		}
		in.printf("\n")
	}
	if len(list) == 0 {
		in.printf("no variable is declared at %v\n", a)
	}
	return nil
}

// mostDeclarations bounds what one command lists.
const mostDeclarations = 200

// declarations prints what the program declares under names that a regular
// expression matches.
func (in *interpreter) declarations(kind inspect.DeclarationKind, pattern string) error {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return fmt.Errorf("the regular expression is wrong: %w", err)
	}
	list, more := in.debuggee.session.Inspect().Declarations(kind, re.MatchString, mostDeclarations)
	file := ""
	for _, d := range list {
		if d.At.File != file {
			file = d.At.File
			in.printf("%s:\n", file)
		}
		in.printf("%d:\t%s;\n", d.At.Line, d.Text)
	}
	switch {
	case len(list) == 0:
		in.printf("nothing that is declared has a name like that\n")
	case more > 0:
		in.printf("%d more: narrow it down\n", more)
	}
	return nil
}
