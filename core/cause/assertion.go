package cause

import (
	"fmt"
	"strings"

	"pushmask/core"
)

// signature tells which arguments of an assertion function are the text of the
// expression, the name of the file and the line. core.NoReg stands for none.
type signature struct {
	expression, file, line core.Reg
}

// signatures are those of assertion functions whose arguments are constants as
// a rule: newlib (newlib/libc/stdlib/assert.c), the RVCT library, ST's firmware
// libraries, FreeRTOS demos, NuttX (include/assert.h), Mbed OS
// (platform/mbed_assert.h).
var signatures = map[string]signature{
	"__assert_func":        {core.R3, core.R0, core.R1},
	"__assert":             {core.R2, core.R0, core.R1},
	"__aeabi_assert":       {core.R0, core.R1, core.R2},
	"assert_failed":        {core.NoReg, core.R0, core.R1},
	"vAssertCalled":        {core.NoReg, core.R0, core.R1},
	"up_assert":            {core.NoReg, core.R0, core.R1},
	"_assert":              {core.NoReg, core.R0, core.R1},
	"mbed_assert_internal": {core.R0, core.R1, core.R2},
}

// maxLine bounds the line numbers that are believed.
const maxLine = 1 << 17

// arguments words the arguments of an assertion, as far as its caller makes them
// constants: ", `n < limit` at queue.c:33". It is "" where that is not certain,
// and where the values are not a text and a line: the function is another one of
// the same name.
func (e *explainer) arguments(s stopped) string {
	sig, ok := signatures[s.name]
	if !ok || s.frame+1 >= len(e.stack) {
		return ""
	}
	call, ok := e.callBefore(uint32(e.stack[s.frame+1].PC) | 1)
	if !ok {
		return ""
	}
	body, n := e.bodyBefore(call.Addr)
	t := tracer{e: e, body: body, end: n, maybe: conditional(body)}
	file, ok := t.text(sig.file, n)
	line, known := t.constant(sig.line, n, sourceReach)
	if !ok || !known || line == 0 || line > maxLine {
		return ""
	}
	where := fmt.Sprintf(" at %s:%d", file[strings.LastIndexAny(file, `/\`)+1:], line)
	if expression, ok := t.text(sig.expression, n); ok {
		return ", `" + expression + "`" + where
	}
	return where
}

// maxArgument bounds the texts that are shown, in bytes.
const maxArgument = 120

// text returns the text that register r points to before index n.
func (t *tracer) text(r core.Reg, n int) (string, bool) {
	if r == core.NoReg {
		return "", false
	}
	a, ok := t.constant(r, n, sourceReach)
	if !ok {
		return "", false
	}
	var b [maxArgument + 1]byte
	got, _ := t.e.in.Memory.ReadAt(core.Addr(a), b[:])
	for i, c := range b[:got] {
		switch {
		case c == 0:
			return string(b[:i]), i > 0
		case c < ' ' || c > '~':
			return "", false
		}
	}
	return "", false
}
