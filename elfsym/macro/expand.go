package macro

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Limits of one expansion.
const (
	maxTokens  = 1 << 14 // that come out of it, and that one macro comes to
	maxSteps   = 1 << 14 // macros that are replaced
	maxWork    = 1 << 18 // tokens that all of them come to
	maxDepth   = 64      // arguments in arguments
	maxNesting = 200     // macros that one token came out of
	maxText    = 1 << 22 // bytes of bodies that are read, and of tokens that are made
)

// ErrTooLarge tells that an expansion has no end that is worth reaching.
var ErrTooLarge = errors.New("the expansion is too large")

// Expand replaces the macros in text as a preprocessor does, by what lookup knows
// of names. It reports whether any was. A macro that is like a function stays a
// name where no parenthesis follows. An error tells that a macro is used wrongly,
// or that text is not cut into tokens of C.
func Expand(src string, lookup func(name string) (*Definition, bool)) (out string, replaced bool, err error) {
	tokens, err := scan(src)
	if err != nil {
		return src, false, err
	}
	e := &expansion{lookup: lookup}
	if tokens, err = e.expand(tokens, 0); err != nil || e.steps == 0 {
		return src, false, err
	}
	if err := e.spendOn(tokens); err != nil {
		return src, false, err
	}
	return text(tokens), true, nil
}

// expansion is the state of one call of Expand. The algorithm is that of Dave
// Prosser, which the C standard describes in words: each token carries the names
// that it is not expanded by again.
type expansion struct {
	lookup func(string) (*Definition, bool)
	steps  int // macros that were replaced
	work   int // tokens that they came to
	text   int // bytes of [maxText]
}

// spend accounts for n bytes of text.
func (e *expansion) spend(n int) error {
	if e.text += n; e.text > maxText {
		return ErrTooLarge
	}
	return nil
}

// spendOn accounts for the text of tokens.
func (e *expansion) spendOn(tokens []token) error {
	n := 0
	for _, t := range tokens {
		n += len(t.text)
	}
	return e.spend(n)
}

// expand replaces the macros in tokens.
func (e *expansion) expand(tokens []token, depth int) ([]token, error) {
	if depth > maxDepth {
		return nil, ErrTooLarge
	}
	var out []token
	in := newInput(tokens)
	for in.len() > 0 {
		t := in.next()
		d, ok := e.definition(t)
		if !ok || d.IsFunction && (in.len() == 0 || !in.peek(0).is("(")) {
			if out = append(out, t); len(out) > maxTokens {
				return nil, ErrTooLarge
			}
			continue
		}
		body, err := e.replace(d, t, in, depth)
		if err != nil {
			return nil, err
		}
		in.push(body)
	}
	return out, nil
}

// replace returns what a macro, which t names, comes to. It takes the arguments
// from in.
func (e *expansion) replace(d *Definition, t token, in *input, depth int) ([]token, error) {
	var args [][]token
	hidden := t.hidden.with(d.Name)
	if d.IsFunction {
		list, end, err := arguments(d, in)
		if err != nil {
			return nil, err
		}
		args, hidden = list, t.hidden.common(end.hidden).with(d.Name)
	}
	body, err := e.substitute(d, args, depth)
	if err != nil {
		return nil, err
	}
	e.steps++
	e.work += len(body)
	if e.steps > maxSteps || e.work > maxWork || len(body)+in.len() > maxTokens || hidden.len() > maxNesting {
		return nil, ErrTooLarge
	}
	for i := range body {
		body[i].hidden = body[i].hidden.union(hidden)
	}
	if len(body) > 0 {
		body[0].space = t.space
	}
	return body, nil
}

// input is tokens that others are put before: the next is the last of the slice.
type input struct{ tokens []token }

func newInput(tokens []token) *input {
	tokens = slices.Clone(tokens)
	slices.Reverse(tokens)
	return &input{tokens}
}

func (in *input) len() int { return len(in.tokens) }

// peek returns the token that is n tokens on.
func (in *input) peek(n int) token { return in.tokens[len(in.tokens)-1-n] }

func (in *input) next() token {
	t := in.peek(0)
	in.tokens = in.tokens[:len(in.tokens)-1]
	return t
}

// push puts tokens before the next.
func (in *input) push(tokens []token) {
	for _, t := range slices.Backward(tokens) {
		in.tokens = append(in.tokens, t)
	}
}

// definition returns the macro that a token names and may be replaced by.
func (e *expansion) definition(t token) (*Definition, bool) {
	if t.kind != tokenName || t.hidden.has(t.text) {
		return nil, false
	}
	return e.lookup(t.text)
}

// arguments takes the arguments, which begin with a parenthesis, from in; end is
// the one that closes it.
func arguments(d *Definition, in *input) (list [][]token, end token, err error) {
	level := 0
	var arg []token
	for in.len() > 0 {
		t := in.next()
		switch {
		case t.is("("):
			if level++; level == 1 {
				continue
			}
		case t.is(")"):
			if level--; level == 0 {
				list, err = d.fit(append(list, arg))
				return list, t, err
			}
		case t.is(",") && level == 1 && !(d.IsVariadic && len(list) == len(d.Params)-1):
			list, arg = append(list, arg), nil
			continue
		}
		arg = append(arg, t)
	}
	return nil, token{}, fmt.Errorf("the arguments of the macro %s are not closed", d.Name)
}

// fit checks the number of arguments (C17, 6.10.3, p. 4). What a variadic macro
// gets may be nothing.
func (d *Definition) fit(list [][]token) ([][]token, error) {
	if len(list) == 1 && len(list[0]) == 0 && len(d.Params) == 0 {
		return nil, nil
	}
	if d.IsVariadic && len(list) == len(d.Params)-1 {
		list = append(list, nil)
	}
	if len(list) != len(d.Params) {
		return nil, fmt.Errorf("the macro %s has %d parameters, not %d", d.Name, len(d.Params), len(list))
	}
	return list, nil
}

// substitute returns the body of a macro with its arguments.
func (e *expansion) substitute(d *Definition, args [][]token, depth int) ([]token, error) {
	if err := e.spend(len(d.Body)); err != nil {
		return nil, err
	}
	body, err := scan(d.Body)
	if err != nil {
		return nil, fmt.Errorf("the macro %s: %w", d.Name, err)
	}
	s := &substitution{expansion: e, def: d, args: args, depth: depth}
	for i := 0; i < len(body); i++ {
		t := body[i]
		switch {
		case t.is("##") && i > 0 && i+1 < len(body):
			i++
			err = s.paste(body[i])
		case d.IsFunction && t.is("#") && i+1 < len(body) && s.param(body[i+1]) >= 0:
			i++
			err = s.stringize(s.args[s.param(body[i])], t.space)
		case i+1 < len(body) && body[i+1].is("##"):
			s.raw(t)
		default:
			err = s.argument(t)
		}
		if err != nil {
			return nil, err
		}
		if len(s.out) > maxTokens {
			return nil, ErrTooLarge
		}
	}
	return slices.DeleteFunc(s.out, func(t token) bool { return t.kind == tokenEmpty }), nil
}

// substitution builds what a macro comes to.
type substitution struct {
	*expansion
	def   *Definition
	args  [][]token
	depth int
	out   []token
}

func (s *substitution) add(t token) { s.out = append(s.out, t) }

// param returns which parameter a token is, -1 for none.
func (s *substitution) param(t token) int {
	if t.kind == tokenName {
		for i, p := range s.def.Params {
			if p == t.text && i < len(s.args) {
				return i
			}
		}
	}
	return -1
}

// raw adds a token that "##" follows: an argument as it is.
func (s *substitution) raw(t token) {
	i := s.param(t)
	switch {
	case i < 0:
		s.add(t)
	case len(s.args[i]) == 0:
		s.add(token{kind: tokenEmpty, space: t.space})
	default:
		s.spread(s.args[i], t.space)
	}
}

// spread adds the tokens of an argument.
func (s *substitution) spread(arg []token, space bool) {
	for i, t := range arg {
		if i == 0 {
			t.space = space
		}
		s.add(t)
	}
}

// argument adds a token, an argument with its macros replaced.
func (s *substitution) argument(t token) error {
	i := s.param(t)
	if i < 0 {
		s.add(t)
		return nil
	}
	arg, err := s.expand(s.args[i], s.depth+1)
	s.spread(arg, t.space)
	return err
}

// paste joins the last token that was added with the next (C17, 6.10.3.3). After
// a comma GNU C drops the comma where the variable arguments are nothing.
func (s *substitution) paste(next token) error {
	if len(s.out) == 0 {
		s.add(token{kind: tokenEmpty})
	}
	left := s.out[len(s.out)-1]
	right := []token{next}
	if i := s.param(next); i >= 0 {
		right = s.args[i]
		if left.is(",") && s.def.IsVariadic && i == len(s.def.Params)-1 {
			if len(right) == 0 {
				s.out = s.out[:len(s.out)-1]
				return nil
			}
			return s.argument(next)
		}
	}
	if len(right) == 0 {
		return nil
	}
	joined := right[0]
	if left.kind != tokenEmpty {
		var err error
		if joined, err = s.join(left, right[0]); err != nil {
			return err
		}
	}
	joined.space = left.space
	s.out[len(s.out)-1] = joined
	s.spread(right[1:], len(right) > 1 && right[1].space)
	return nil
}

// join makes one token of two.
func (s *substitution) join(a, b token) (token, error) {
	if err := s.spend(len(a.text) + len(b.text)); err != nil {
		return token{}, err
	}
	tokens, err := scan(a.text + b.text)
	switch {
	case err != nil || len(tokens) == 0:
		return token{}, fmt.Errorf("the macro %s joins %q and %q", s.def.Name, a.text, b.text)
	case len(tokens) > 1:
		return token{}, fmt.Errorf("the macro %s joins %q and %q, which is no token", s.def.Name, a.text, b.text)
	}
	return tokens[0], nil
}

// stringize adds a string of an argument (C17, 6.10.3.2).
func (s *substitution) stringize(arg []token, space bool) error {
	if err := s.spendOn(arg); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteByte('"')
	for i, t := range arg {
		if i > 0 && t.space {
			b.WriteByte(' ')
		}
		if t.kind == tokenText {
			b.WriteString(escape.Replace(t.text))
		} else {
			b.WriteString(t.text)
		}
	}
	b.WriteByte('"')
	s.add(token{kind: tokenText, text: b.String(), space: space})
	return nil
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
