package inspect

import (
	"errors"

	"pushmask/elfsym/macro"
)

// macroScope returns the macros that are defined where the frame is.
func (c *context) macroScope() macro.Scope {
	if c.macros == nil {
		c.macros = new(macro.Scope)
		if u := c.unit(); c.image != nil && c.image.HasMacros(u) {
			chain := c.image.Locate(uint32(c.frame.Lookup))
			file, line := "", 0
			if i := c.frame.Inlined; i < len(chain) {
				file, line = chain[i].File, chain[i].Line
			}
			*c.macros = c.image.MacrosAt(u, file, line)
		}
	}
	return *c.macros
}

// reading is what an expression may stand for.
type reading struct {
	text     string // with macros replaced
	replaced bool
	err      error // why it is none
}

// readings returns what an expression may stand for, the likeliest first. The
// names of members are mostly those of the program, which come after the
// preprocessor, so macros are not replaced behind dots and arrows at first; but
// the source may have them there, as st_atime for st_atim.tv_sec.
func (c *context) readings(text string) []reading {
	scope := c.macroScope()
	if scope.Empty() {
		return []reading{{text: text}}
	}
	first := expand(scope, text, false)
	list := []reading{first}
	if all := expand(scope, text, true); all.err == nil && all.text != first.text {
		list = append(list, all)
	}
	if first.err != nil {
		list = append(list, reading{text: text})
	}
	return list
}

// expand replaces the macros in an expression, behind dots and arrows if members
// is set.
func expand(scope macro.Scope, text string, members bool) reading {
	kept := keptNames(text, members)
	out, replaced, err := macro.Expand(text, func(name string) (*macro.Definition, bool) {
		if kept[name] {
			return nil, false
		}
		return scope.Lookup(name)
	})
	if err != nil {
		err = &ExprError{Expr: text, Msg: err.Error()}
	}
	return reading{out, replaced, err}
}

// keptNames are the names in an expression that are those of the program:
// registers, what stands at "::", and members.
func keptNames(text string, members bool) map[string]bool {
	tokens, err := lex(text)
	if err != nil {
		return nil
	}
	kept := make(map[string]bool)
	for i, t := range tokens {
		switch {
		case t.kind == tokenRegister:
			kept["$"+t.text] = true
		case t.kind != tokenName:
		case tokens[i+1].is("::"), i > 0 && tokens[i-1].is("::"), i > 0 && !members && (tokens[i-1].is(".") || tokens[i-1].is("->")):
			kept[t.text] = true
		}
	}
	return kept
}

// tryReadings has f look at what an expression stands for until it has an answer;
// the error is that of the first reading. A macro that changes something is
// refused, and is not tried twice.
func tryReadings[T any](e *evaluation, text string, f func(*evaluation, node) (T, error)) (T, error) {
	var none T
	var first error
	for _, r := range e.readings(text) {
		in := &evaluation{context: e.context, expr: r.text}
		root, err := in.read(r, text)
		if err == nil {
			var out T
			if out, err = f(in, root); err == nil {
				return out, nil
			}
			err = r.explain(text, err)
		}
		if first == nil {
			first = err
		}
		if root != nil && changes(root) {
			break
		}
	}
	return none, first
}

// read parses a reading of an expression.
func (e *evaluation) read(r reading, text string) (node, error) {
	if r.err != nil {
		return nil, r.err
	}
	root, err := parse(r.text, e)
	if err != nil {
		return nil, r.explain(text, err)
	}
	if plain, err := parse(text, e); r.replaced && changes(root) && (err != nil || !changes(plain)) {
		return nil, &ExprError{Expr: text, Msg: "it stands for " + r.text + ", which changes something"}
	}
	return root, nil
}

// explain makes an error of what an expression stands for one of the expression.
func (r reading) explain(text string, err error) error {
	inner, ok := errors.AsType[*ExprError](err)
	if !ok || !r.replaced {
		return err
	}
	what := r.text
	if what == "" {
		what = "nothing"
	}
	return &ExprError{Expr: text, Msg: "it stands for " + what + ": " + inner.Msg, Err: inner.Err}
}
