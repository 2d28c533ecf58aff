package inspect

import (
	"slices"
	"strings"

	"pushmask/elfsym/scope"
)

// Variable is a variable with its value in a frame.
type Variable struct {
	Name  string
	Value *Value
	// Parameter says that it is an argument of the function.
	Parameter  bool
	Artificial bool // made by the compiler, as "this" is
	// Shadowed says that an inner block has a variable of the same name, which
	// is what expressions mean.
	Shadowed bool
	Declared scope.Position
}

// Locals returns the arguments, and then the variables, of the function or the
// inlined call that a frame is of: those of inner blocks before those of outer
// ones, and of each block in the order of the source. What is around an inlined
// call belongs to the frame below.
func (p *Program) Locals(f *Frame) []Variable {
	c := p.context(f)
	var list, arguments []Variable
	seen := make(map[string]bool)
	for _, s := range c.scopes {
		names := make([]string, 0, len(s.Variables))
		for _, d := range s.Variables {
			if d.Name == "" {
				continue
			}
			v := c.shown(d)
			v.Shadowed = seen[d.Name]
			names = append(names, d.Name)
			if v.Shadowed {
				v.Value.Expr = ""
			}
			if d.Parameter {
				arguments = append(arguments, v)
			} else {
				list = append(list, v)
			}
		}
		for _, n := range names {
			seen[n] = true
		}
		if s.Kind != scope.Block {
			break
		}
	}
	return append(arguments, list...)
}

func (c *context) shown(d *scope.Variable) Variable {
	value := c.variable(d)
	value.Expr = d.Name
	return Variable{
		Name: d.Name, Value: value, Parameter: d.Parameter,
		Artificial: d.Artificial, Declared: d.Declared,
	}
}

// Statics returns the variables outside of functions of the source file that the
// function of a frame is of, in the order of the source.
func (p *Program) Statics(f *Frame) []Variable {
	c := p.context(f)
	u := c.unit()
	if u == nil {
		return nil
	}
	var list []Variable
	for _, d := range c.decls.UnitVariables(u) {
		list = append(list, c.outside(d))
	}
	return list
}

// Globals returns the variables outside of functions whose qualified name has
// filter in it, regardless of case; those from start on and count at most (0:
// all up to a limit). total is how many there are, as far as they were counted.
// They are those of the image that the code of the frame is of.
func (p *Program) Globals(f *Frame, filter string, start, count int) (list []Variable, total int) {
	return p.context(f).globals(filter, start, count)
}

// GlobalsOf is Globals of an image that [Program.OtherImages] names.
func (p *Program) GlobalsOf(f *Frame, image, filter string, start, count int) (list []Variable, total int) {
	m, err := p.imageNamed(image)
	if err != nil {
		return nil, 0
	}
	return p.context(f).within(m).globals(filter, start, count)
}

func (c *context) globals(filter string, start, count int) (list []Variable, total int) {
	if c.decls == nil {
		return nil, 0
	}
	if count <= 0 || count > maxPage {
		count = maxPage
	}
	filter = strings.ToLower(filter)
	c.decls.EachGlobal(func(d *scope.Variable) bool {
		if filter != "" && !strings.Contains(strings.ToLower(d.QualifiedName()), filter) {
			return true
		}
		if total >= start && len(list) < count {
			list = append(list, c.outside(d))
		}
		total++
		return true
	})
	return list, total
}

// CountStatics returns how many variables Statics lists, without a look at any.
func (p *Program) CountStatics(f *Frame) int {
	c := p.context(f)
	u := c.unit()
	if u == nil {
		return 0
	}
	return len(c.decls.UnitVariables(u))
}

// HasGlobals reports whether Globals lists any variable. It reads no more of the
// program than tells.
func (p *Program) HasGlobals(f *Frame) bool {
	decls := declarations(p.imageOf(f))
	return decls != nil && decls.HasGlobals()
}

// outside is a variable outside of functions, with an expression that means it
// and no other of its name.
func (c *context) outside(d *scope.Variable) Variable {
	v := c.shown(d)
	v.Name = d.QualifiedName()
	v.Value.Expr = c.expression(d)
	return v
}

// expression returns one that means a variable outside of functions: in the frame
// of c or, where there are several images, in every frame. It is "" where there is
// none, as for one of two variables of files with the same name.
func (c *context) expression(d *scope.Variable) string {
	if c.program.hasSeveral() && !c.alone {
		return c.within(c.image).expression(d)
	}
	qualified := d.QualifiedName()
	name := qualified
	if n, err := parse(name, c); err != nil || !isNameNode(n, name) {
		name = "'" + name + "'"
	}
	if found := c.global(qualified); found != nil && found.Entry.Offset == d.Entry.Offset {
		if c.local(qualified) != nil {
			name = "::" + name
		}
		return c.inImage(name)
	}
	for _, file := range filePaths(d.Entry.Unit) {
		if !c.isTaken(file, qualified, d) {
			return c.inImage("'" + escape(file, '\'') + "'::" + name)
		}
	}
	return ""
}

// isTaken reports whether a name in a file means another variable than d: one of
// a unit before that of d, which has the same path.
func (c *context) isTaken(file, name string, d *scope.Variable) bool {
	return slices.ContainsFunc(c.decls.Globals(name), func(other *scope.Variable) bool {
		u := other.Entry.Unit
		return u.Start < d.Entry.Unit.Start && slices.Contains(filePaths(u), file)
	})
}

// isNameNode reports whether an expression is a name and nothing else.
func isNameNode(n node, name string) bool {
	x, ok := n.(*nameNode)
	return ok && len(x.scopes) == 0 && x.name == name
}
