package scope

import (
	"debug/dwarf"
	"errors"

	"pushmask/elfsym/die"
	"pushmask/elfsym/expr"
	"pushmask/internal/cursor"
)

// CallSite is what the compiler says about a call (DWARF 5, 3.4): what the
// caller passed, as far as it can be computed in the caller's frame after the
// call.
type CallSite struct {
	Entry  die.Entry
	Tail   bool      // a jump: it has no return address
	Origin die.Entry // of the function that is called; the zero Entry where that is computed

	params []callParam
	ctx    *context
}

type callParam struct {
	location  []byte // where the callee finds the argument
	parameter die.Offset
	value     []byte // of the argument, in the caller's frame
	data      []byte // of what the argument points to
}

// Tags and attributes of call sites: those that debug/dwarf does not name, and
// what gcc wrote before DWARF 5 had them.
const (
	tagCallSite          dwarf.Tag  = 0x48
	tagCallSiteParam     dwarf.Tag  = 0x49
	tagGNUCallSite       dwarf.Tag  = 0x4109
	tagGNUCallSiteParam  dwarf.Tag  = 0x410a
	attrGNUCallValue     dwarf.Attr = 0x2111
	attrGNUCallDataValue dwarf.Attr = 0x2112
	attrGNUCallTarget    dwarf.Attr = 0x2113
	attrGNUTailCall      dwarf.Attr = 0x2115
)

// Errors of [CallSite.EntryValue] and [CallSite.Parameter].
var (
	ErrNoCallSite = errors.New("the caller does not say with what it called")
)

// CallSite returns the call of function that returns to pc; false where DWARF
// has none. For function take the caller's last scope of [Program.At].
func (p *Program) CallSite(function die.Entry, pc uint32) (*CallSite, bool) {
	ctx := &context{program: p, unit: function.Unit, pc: pc &^ 1, function: function}
	e, ok := findCallSite(function, ctx.linked(), 0)
	if !ok {
		return nil, false
	}
	s := &CallSite{Entry: e, ctx: ctx, Tail: e.Flag(dwarf.AttrCallTailCall) || e.Flag(attrGNUTailCall)}
	if to, ok := e.Follow(dwarf.AttrCallOrigin); ok {
		s.Origin = to
	} else if to, ok := e.Follow(dwarf.AttrAbstractOrigin); ok {
		s.Origin = to
	}
	for c, err := range e.Children() {
		if err != nil || len(s.params) == maxVariables {
			break
		}
		if c.Tag == tagCallSiteParam || c.Tag == tagGNUCallSiteParam {
			s.params = append(s.params, readCallParam(c))
		}
	}
	return s, true
}

// findCallSite searches the calls in e and its blocks.
func findCallSite(e die.Entry, pc uint32, depth int) (die.Entry, bool) {
	for c, err := range e.Children() {
		if err != nil || depth > maxNesting {
			break
		}
		switch c.Tag {
		case tagCallSite, tagGNUCallSite:
			if at, ok := callReturn(c); ok && at&^1 == pc {
				return c, true
			}
		case dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine:
			if found, ok := findCallSite(c, pc, depth+1); ok {
				return found, true
			}
		}
	}
	return die.Entry{}, false
}

func callReturn(e die.Entry) (uint32, bool) {
	if at, ok := e.Attr(dwarf.AttrCallReturnPC).Address(); ok {
		return at, true
	}
	return e.Attr(dwarf.AttrLowpc).Address()
}

func readCallParam(e die.Entry) callParam {
	var p callParam
	p.location, _ = e.Attr(dwarf.AttrLocation).Block()
	p.value = firstBlock(e, dwarf.AttrCallValue, attrGNUCallValue)
	p.data = firstBlock(e, dwarf.AttrCallDataValue, attrGNUCallDataValue)
	if off, ok := e.Ref(dwarf.AttrCallParameter); ok {
		p.parameter = off
	} else if off, ok := e.Ref(dwarf.AttrAbstractOrigin); ok {
		p.parameter = off
	}
	return p
}

func firstBlock(e die.Entry, attrs ...dwarf.Attr) []byte {
	for _, a := range attrs {
		if b, ok := e.Attr(a).Block(); ok {
			return b
		}
	}
	return nil
}

// Target returns the expression for the address that is called, where the call
// is not to a known function.
func (s *CallSite) Target() (expr.Expr, bool) {
	code := firstBlock(s.Entry, dwarf.AttrCallTarget, attrGNUCallTarget)
	return s.ctx.expr(code), len(code) > 0
}

// EntryValue returns what the expression with this code was when the called
// function was entered; caller is the frame of the call. It is what the method
// of the same name of expr.Frame needs.
func (s *CallSite) EntryValue(code []byte, caller expr.Frame) (uint64, error) {
	register, isRegister := registerOf(code)
	for _, p := range s.params {
		have, ok := registerOf(p.location)
		switch {
		case string(p.location) == string(code), ok && isRegister && have == register:
			return s.evaluate(p.value, caller)
		case isDeref(code, p.location):
			return s.evaluate(p.data, caller)
		}
	}
	return 0, ErrNoCallSite
}

// Parameter returns the argument for the parameter at an offset of .debug_info.
func (s *CallSite) Parameter(off uint64, caller expr.Frame) (uint64, error) {
	for _, p := range s.params {
		if p.parameter != 0 && uint64(p.parameter) == off {
			return s.evaluate(p.value, caller)
		}
	}
	return 0, ErrNoCallSite
}

func (s *CallSite) evaluate(code []byte, caller expr.Frame) (uint64, error) {
	if len(code) == 0 {
		return 0, ErrNoCallSite
	}
	return expr.Number(s.ctx.expr(code), caller)
}

// Operations that entry values are made of (DWARF 5, 7.7.1).
const (
	opDeref         = 0x06
	opReg0          = 0x50
	opReg31         = 0x6f
	opBreg0         = 0x70
	opRegx          = 0x90
	opRegvalType    = 0xa5
	opGNURegvalType = 0xf5
)

// registerOf returns the register that an expression of an entry value stands
// for. gcc names the type of floating-point ones.
func registerOf(code []byte) (uint64, bool) {
	c := cursor.New("entry value", code)
	switch op := c.U8(); {
	case op >= opReg0 && op <= opReg31:
		return uint64(op - opReg0), c.Len() == 0
	case op == opRegx:
		n := c.ULEB()
		return n, c.Err() == nil && c.Len() == 0
	case op == opRegvalType || op == opGNURegvalType:
		n := c.ULEB()
		c.ULEB()
		return n, c.Err() == nil && c.Len() == 0
	}
	return 0, false
}

// isDeref reports whether code reads the memory that a register points to, and
// location is that register.
func isDeref(code, location []byte) bool {
	register, ok := registerOf(location)
	return ok && register < 32 && string(code) == string([]byte{opBreg0 + byte(register), 0, opDeref})
}

// Calls reports whether the call is to function, the last scope of the callee's
// [Program.At]. It is not known for calls through pointers.
func (s *CallSite) Calls(function die.Entry) (yes, known bool) {
	if s.Origin.Zero() {
		return false, false
	}
	for e, ok := function, true; ok; e, ok = e.Origin() {
		if e.Offset == s.Origin.Offset {
			return true, true
		}
		if e.Tag != dwarf.TagSubprogram {
			break
		}
	}
	a, b := s.Origin.LinkageName(), function.LinkageName()
	if a != "" || b != "" {
		return a == b, true
	}
	return s.Origin.QualifiedName() == function.QualifiedName(), true
}
