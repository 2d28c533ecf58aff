package inspect

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"pushmask/elfsym/die"
	"pushmask/elfsym/scope"
)

// scoped evaluates a name in quoted scopes: 'file.c'::x, 'func'::x, 'boot.elf'::x
// and 'boot.elf'::'file.c'::x.
func (e *evaluation) scoped(n *nameNode) (*Value, error) {
	m, err := e.program.imageNamed(n.scopes[0])
	if err != nil && (len(n.scopes) > 1 || errors.Is(err, errAmbiguous)) {
		return nil, e.fail(n, err.Error(), nil)
	}
	searched := e.everywhere()
	if len(n.scopes) > 1 {
		searched = []*context{e.within(m)}
	}
	// Among several images the first name is that of one, if it can be: what is
	// shown of an image is so called. A file or a function may have the name too.
	isImage := err == nil && len(n.scopes) == 1
	if isImage && e.program.hasSeveral() {
		if v := e.within(m).outsideNamed(n.name); v != nil {
			return v, nil
		}
	}
	known, hasDebug := false, false
	for _, x := range searched {
		v, found := x.inScope(n.scopes[len(n.scopes)-1], n.name)
		if v != nil {
			return v, nil
		}
		known, hasDebug = known || found, hasDebug || x.decls != nil
	}
	if isImage && !e.program.hasSeveral() {
		if v := e.within(m).outsideNamed(n.name); v != nil {
			return v, nil
		}
	}
	return nil, e.fail(n, e.whyNot(n, known || isImage, hasDebug), nil)
}

// whyNot says why a name in quoted scopes is none. known says that the innermost
// scope is one.
func (e *evaluation) whyNot(n *nameNode, known, hasDebug bool) string {
	inner := n.scopes[len(n.scopes)-1]
	of := ""
	if len(n.scopes) > 1 {
		of = " of " + strconv.Quote(n.scopes[0])
	}
	switch {
	case known:
		return fmt.Sprintf("no symbol %q in %q%s", n.name, inner, of)
	case !hasDebug:
		return "the image has no debug information"
	case e.program.hasSeveral() && of == "":
		return fmt.Sprintf("no image, file or function %q", inner)
	}
	return fmt.Sprintf("no file or function %q%s", inner, of)
}

// inScope evaluates a name in a function or a file of the image of c; known says
// that there is such a file.
func (c *context) inScope(scopeName, name string) (v *Value, known bool) {
	if c.decls == nil {
		return nil, false
	}
	if v := c.staticOf(scopeName, name); v != nil {
		return v, true
	}
	units := c.unitsOf(scopeName)
	for _, u := range units {
		if d := c.variableOf(u, name); d != nil {
			return c.variable(d), true
		}
		for _, f := range c.decls.Functions(name) {
			if f.Entry.Unit == u {
				return c.function(f), true
			}
		}
	}
	return nil, len(units) > 0
}

// variableOf returns a variable outside of functions of a unit, nil for none.
func (c *context) variableOf(u *die.Unit, name string) *scope.Variable {
	for _, v := range c.decls.UnitVariables(u) {
		if v.Name == name || v.QualifiedName() == name {
			return v
		}
	}
	for _, v := range c.decls.Globals(name) { // members of classes
		if v.Entry.Unit == u {
			return v
		}
	}
	return nil
}

// unitsOf returns the units of a source file: those that have exactly the given
// path before those that it is the end of.
func (c *context) unitsOf(file string) []*die.Unit {
	var exact, ending []*die.Unit
	for _, u := range c.decls.Data().Units() {
		switch root, err := u.Root(); {
		case err != nil:
		case path.Base(root.Name()) == path.Base(file) && slices.Contains(filePaths(u), file):
			exact = append(exact, u)
		case sameFile(root.Name(), file):
			ending = append(ending, u)
		}
	}
	return append(exact, ending...)
}

// filePaths are the names of a unit's source file, the shortest first: as it was
// given to the compiler, and with the folder in which that ran.
func filePaths(u *die.Unit) []string {
	root, err := u.Root()
	if err != nil || root.Name() == "" {
		return nil
	}
	list := []string{root.Name()}
	if dir := root.Attr(dwarf.AttrCompDir).Text(); dir != "" && !strings.HasPrefix(root.Name(), "/") {
		list = append(list, path.Join(dir, root.Name()))
	}
	return list
}

// sameFile reports whether a recorded path is the one that a user names by its
// last elements.
func sameFile(recorded, given string) bool {
	recorded, given = strings.ReplaceAll(recorded, `\`, "/"), strings.ReplaceAll(given, `\`, "/")
	return recorded == given || path.Base(recorded) == given || strings.HasSuffix(recorded, "/"+strings.TrimPrefix(given, "/"))
}
