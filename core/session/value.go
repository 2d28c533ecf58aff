package session

import (
	"fmt"
	"strconv"

	"pushmask/core"
)

// number is a plain word.
func number(v uint32) Value {
	return Value{Text: fmt.Sprintf("%d (0x%x)", int32(v), v), Type: "int", U32: v}
}

// address is a word that can be looked up in memory.
func address(v uint32) Value {
	a := core.Addr(v)
	return Value{Text: a.String(), Type: "address", U32: v, Addr: a, HasAddr: true}
}

// combine is the value of a sum or difference: an address where one operand
// is more than a number.
func combine(a, b Value, v uint32) Value {
	if a.Type == "int" && b.Type == "int" {
		return number(v)
	}
	return address(v)
}

// register is the value of a register in the frame.
func (e *evaluator) register(t token, r core.Reg) (Value, error) {
	v, ok := e.regs.Get(r)
	if !ok {
		return Value{}, e.fail(t, fmt.Sprintf("register %v is not known in this frame", r))
	}
	val := address(v)
	val.Type = "register"
	val.Text += e.session.pointeeText(v)
	return val, nil
}

// symbol is the address of a symbol.
func (e *evaluator) symbol(t token) (Value, error) {
	img := e.session.program.image
	if img == nil {
		return Value{}, e.fail(t, "no symbol "+strconv.Quote(t.text)+" without an ELF")
	}
	found := img.Lookup(t.text)
	if len(found) == 0 {
		return Value{}, e.fail(t, "no symbol or register "+strconv.Quote(t.text))
	}
	val := address(found[0].Addr)
	val.Type = "symbol"
	val.Text += " <" + t.text + ">"
	if n := len(found); n > 1 {
		val.Text += fmt.Sprintf(" (the first of %d symbols of this name)", n)
	}
	return val, nil
}

// load is the word in memory at a.
func (e *evaluator) load(t token, a core.Addr) (Value, error) {
	v, err := core.ReadU32(e.session.memory, a)
	if err != nil {
		return Value{}, &ExprError{Expr: e.expr, Off: t.off, Msg: fmt.Sprintf("cannot read the word at %v", a), Err: err}
	}
	val := number(v)
	val.Text = fmt.Sprintf("0x%08x", v) + e.session.pointeeText(v)
	val.Addr, val.HasAddr = a, true
	return val, nil
}

// pointeeText names the code or object that a word points into.
func (s *Session) pointeeText(v uint32) string {
	if name := s.program.pointee(v); name != "" {
		return name
	}
	a, _ := core.CodeAddr(v)
	if fn, ok := s.program.funcAt(a); ok {
		return " <" + plusOffset(s.program.funcName(fn), uint32(a)-fn.Entry) + ">"
	}
	return ""
}
