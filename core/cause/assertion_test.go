package cause

import (
	"testing"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/memmap"
)

// assertion makes an input that stands in an assertion function, called with
//
//	ldr r0, =file; movs r1, #33; movs r2, #0; ldr r3, =expression; bl function
func assertion(function string, edit func(code []uint16)) *Input {
	code := []uint16{
		0x4803, 0x2121, 0x2200, 0x4b03, 0xf000, 0xf87e, 0xbf00, 0xbf00,
		constAt & 0xffff, constAt >> 16, constAt&0xffff + 0x20, constAt >> 16,
	}
	if edit != nil {
		edit(code)
	}
	in := crashed(regs{core.PC: codeAt + 0x108}, nil, code...)
	in.Thread.Faulted = false
	mem := in.Memory.(*memmap.Map)
	mem.AddBytes(constAt, []byte("src/queue.c\x00"))
	mem.AddBytes(constAt+0x20, []byte("n < limit\x00"))
	mem.AddBytes(codeAt+0x108, halfwords(0xbf00))
	p := in.Program.(*fakeProgram)
	p.body = decodeAll(codeAt, code[:8]...)
	p.places[codeAt+10] = "push at queue.c:32"
	in.Frames = []Frame{
		{Frame: &core.Frame{PC: codeAt + 0x108, Lookup: codeAt + 0x108}, Functions: []string{function}},
		{Frame: &core.Frame{PC: codeAt + 12, Lookup: codeAt + 10}, Functions: []string{"push"}},
	}
	return in
}

// TestAssertionArguments: what an assertion says is shown where its caller makes
// it of constants.
func TestAssertionArguments(t *testing.T) {
	t.Parallel()
	const end = ", called from push at queue.c:32"
	runCases(t, []explainCase{
		{"newlib", assertion("__assert_func", nil), nil, "assertion, Assertion: an assertion failed, `n < limit` at queue.c:33" + end, ""},
		{"file and line", assertion("assert_failed", nil), nil, "assertion, Assertion: an assertion failed at queue.c:33" + end, ""},
		{"another signature", assertion("__assert", nil), nil, "assertion, Assertion: an assertion failed at queue.c:33" + end, ""},
		{"a line that is no constant", assertion("assert_failed", func(code []uint16) { code[1] = 0x4611 }), nil,
			"assertion, Assertion: an assertion failed" + end, ""},
		{"a file that is no text", assertion("assert_failed", nil), func(in *Input) {
			mem := new(memmap.Map)
			mem.AddBytes(codeAt, halfwords(0x4803, 0x2121, 0x2200, 0x4b03, 0xf000, 0xf87e, 0xbf00, 0xbf00, 0, 0, 0, 0))
			in.Memory = mem
		}, "assertion, Assertion: an assertion failed" + end, ""},
		{"a function without arguments", assertion("abort", nil), nil, "assertion, Assertion: the program called abort" + end, ""},
	})
}

// TestLeadCause: of several status bits the one that the instruction agrees
// with is the cause.
func TestLeadCause(t *testing.T) {
	t.Parallel()
	const note = "status bits stay set until they are cleared"
	runCases(t, []explainCase{
		{"the instruction tells", crashed(regs{core.R2: 0}, status{exc.CFSR: 1<<25 | 0x8200, exc.BFAR: 4}, 0x6853), nil,
			"null-read, BusFault: `ldr r3, [r2, #4]` with r2 = 0: read of address 0x4 through a null pointer in main at app.c:120 (precise data bus error, division by zero)", note},
		{"the exception tells", below(crashed(regs{core.R2: varAt}, status{exc.CFSR: 1<<25 | 0x400}, 0x6853), 5, false), nil,
			"imprecise-write, BusFault: a write failed shortly before the pc in main at app.c:120 (imprecise data bus error, division by zero)", note},
		{"nothing tells", crashed(regs{core.R2: varAt}, status{exc.CFSR: 1<<25 | 0x400}, 0x6853), nil,
			"division-by-zero, UsageFault: division by zero in main at app.c:120 (imprecise data bus error)", note},
		{"in a handler", crashed(regs{core.R1: 1, core.R2: 0, core.PSR: xpsrT | 15}, status{exc.CFSR: 1 << 25}, 0xfbb1, 0xf0f2), nil,
			"division-by-zero, UsageFault: `udiv r0, r1, r2` with r1 = 1, r2 = 0: division by zero in main at app.c:120", "it happened in the handler of SysTick"},
		{"a guard below the thread's stack", crashed(regs{core.R2: 0x200008e0, core.SP: 0x20000910, core.PSP: 0x20000910}, status{exc.CFSR: 0x82, exc.MMFAR: 0x200008e4}, 0x6853),
			func(in *Input) { in.Thread.Stack = core.Stack{Low: 0x20000900, High: 0x20000a00} },
			"stack-overflow, MemManage: stack overflow in main at app.c:120: the access at 0x200008e4 is 28 bytes below the stack of the thread, 0x20000900..0x20000a00 (data access to a forbidden address)", ""},
	})
}
