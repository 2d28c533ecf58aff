package inspect

import (
	"slices"
	"strings"
)

// wordPlace is what may stand where a word is being typed.
type wordPlace uint8

const (
	placeOperand  wordPlace = iota // the name of a value
	placeMember                    // a member of the expression before
	placeScope                     // a name in the scope before, "" for the global one
	placeRegister                  // the name of a register
	placeFile                      // the name of a source file, behind a quote
	placeTag                       // the name of a struct, union, enum or class
)

// word is the word at the end of an expression that is being typed.
type word struct {
	text  string
	from  int // where it begins, in bytes
	place wordPlace
	// before is the expression before the dot or the arrow, the scope before
	// "::", or "struct" and the like.
	before string
	types  bool // a type may stand here
	values bool // a value may stand here
}

// wordAt finds the word at the end of text; false where nothing can be typed
// that is known, as within a number or behind a value.
func wordAt(text string) (word, bool) {
	if len(text) > exprLimit {
		return word{}, false
	}
	skip := formatLen(text)
	tokens, err := lex(text[skip:])
	if err != nil {
		return quotedWord(text)
	}
	tokens = singleBrackets(tokens[:len(tokens)-1], skip)
	w := word{from: len(text), values: true}
	if n := len(tokens); n > 0 && tokens[n-1].end == len(text) {
		switch last := tokens[n-1]; last.kind {
		case tokenName:
			w.text, w.from, tokens = last.text, last.off, tokens[:n-1]
		case tokenRegister:
			return word{text: text[last.off:], from: last.off, place: placeRegister}, true
		case tokenNumber, tokenChar, tokenString, tokenQuoted:
			return word{}, false
		}
	}
	return w, w.locate(text, tokens)
}

// singleBrackets moves tokens by n bytes, and makes two tokens of each ">>": it
// may end two lists of arguments of templates.
func singleBrackets(tokens []token, n int) []token {
	var out []token
	for _, t := range tokens {
		t.off, t.end = t.off+n, t.end+n
		if t.is(">>") {
			out = append(out, token{tokenPunct, ">", t.off, t.off + 1})
			t = token{tokenPunct, ">", t.off + 1, t.end}
		}
		out = append(out, t)
	}
	return out
}

// formatLen is the length of "/x " at the beginning of an expression.
func formatLen(text string) int {
	trimmed := strings.TrimLeft(text, " \t")
	if !strings.HasPrefix(trimmed, "/") {
		return 0
	}
	if n := strings.IndexByte(trimmed, ' '); n >= 0 {
		return len(text) - len(trimmed) + n + 1
	}
	return 0
}

// quotedWord is the name of a file that is being typed, behind a quote that is
// not closed.
func quotedWord(text string) (word, bool) {
	open := strings.LastIndexByte(text, '\'')
	if open < 0 {
		return word{}, false
	}
	if _, err := lex(text[:open]); err != nil {
		return word{}, false
	}
	return word{text: text[open+1:], from: open + 1, place: placeFile}, true
}

// locate says by the tokens before a word what it may be.
func (w *word) locate(text string, before []token) bool {
	if len(before) == 0 {
		return true
	}
	last := before[len(before)-1]
	switch {
	case last.is("."), last.is("->"):
		from, ok := postfixStart(before[:len(before)-1])
		w.place = placeMember
		if ok {
			w.before = text[from:last.off]
		}
		return ok
	case last.is("::"):
		w.place = placeScope
		if from, ok := scopeStart(before[:len(before)-1]); ok {
			w.before = text[from:last.off]
		}
		return true
	case last.kind == tokenName:
		return w.afterName(last.text)
	case last.is("("), last.is("{"), last.is("<") && isCast(before[:len(before)-1]):
		w.types = true
		w.values = last.is("(")
		return true
	case last.is(")"):
		// What is in parentheses may be a type, of a cast.
		open, ok := opening(before)
		inner := before[min(open+1, len(before)):]
		return ok && len(inner) > 1 && (open == 0 || !endsOperand(before[open-1]))
	case last.is("]"):
		return false
	}
	return last.kind == tokenPunct
}

// afterName says what may stand behind a word of the language.
func (w *word) afterName(name string) bool {
	switch {
	case slices.Contains(tagWords, name):
		w.place, w.before = placeTag, name
	case name == "sizeof" || name == "alignof" || name == "_Alignof":
	case slices.Contains(qualifierWords, name), slices.Contains(baseWords, name):
		w.types, w.values = true, false
	default:
		return false
	}
	return true
}

// isCast reports whether tokens end in reinterpret_cast or the like.
func isCast(tokens []token) bool {
	n := len(tokens)
	return n > 0 && tokens[n-1].kind == tokenName && strings.HasSuffix(tokens[n-1].text, "_cast")
}

// endsOperand reports whether t may be the end of a value.
func endsOperand(t token) bool {
	switch t.kind {
	case tokenPunct:
		return t.is(")") || t.is("]")
	case tokenName:
		return t.text != "sizeof" && t.text != "alignof" && t.text != "_Alignof"
	}
	return true
}

var closers = map[string]string{")": "(", "]": "[", "}": "{", ">": "<"}

// opening returns the index of the bracket that the last of tokens closes.
func opening(tokens []token) (int, bool) {
	var levels []string
	for i := len(tokens) - 1; i >= 0; i-- {
		t := tokens[i]
		if t.kind != tokenPunct {
			continue
		}
		if open, ok := closers[t.text]; ok && (t.text != ">" || i == len(tokens)-1 || levels[0] == "<") {
			levels = append(levels, open)
			continue
		}
		if t.text == levels[len(levels)-1] {
			if levels = levels[:len(levels)-1]; len(levels) == 0 {
				return i, true
			}
		}
	}
	return 0, false
}

// postfixStart returns where the expression begins that ends with tokens and
// that a dot may follow: names, members, elements, what is in parentheses.
func postfixStart(tokens []token) (from int, ok bool) {
	for i := len(tokens); i > 0; {
		t := tokens[i-1]
		switch {
		case t.is(")"), t.is("]"):
			open, found := opening(tokens[:i])
			if !found {
				return 0, false
			}
			i, from = open, tokens[open].off
			if i == 0 || t.is(")") && !endsOperand(tokens[i-1]) && !tokens[i-1].is(">") {
				return from, true
			}
			continue
		case t.kind == tokenName, t.kind == tokenQuoted, t.kind == tokenChar, t.kind == tokenRegister, t.kind == tokenString,
			t.kind == tokenNumber:
			i, from = i-1, t.off
		case t.is(">"):
			open, found := opening(tokens[:i])
			if !found {
				return 0, false
			}
			i = open
			continue
		default:
			return 0, false
		}
		if i == 0 {
			return from, true
		}
		switch before := tokens[i-1]; {
		case before.is("::"):
			i, from = i-1, before.off
			if i == 0 || !isScopeEnd(tokens[i-1]) {
				return from, true
			}
		case before.is("."), before.is("->"):
			i--
		default:
			return from, true
		}
	}
	return 0, false
}

func isScopeEnd(t token) bool {
	return t.kind == tokenName || t.kind == tokenQuoted || t.kind == tokenChar || t.is(">")
}

// scopeStart returns where the qualified name begins that ends with tokens;
// false for the global scope.
func scopeStart(tokens []token) (from int, ok bool) {
	for i := len(tokens); i > 0 && isScopeEnd(tokens[i-1]); {
		if tokens[i-1].is(">") {
			open, found := opening(tokens[:i])
			if !found || open == 0 {
				return 0, false
			}
			i = open
		}
		from, ok = tokens[i-1].off, true
		if i--; i == 0 || !tokens[i-1].is("::") {
			break
		}
		i--
	}
	return from, ok
}
