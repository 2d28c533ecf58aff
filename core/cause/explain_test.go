package cause

import (
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/memmap"
)

// explainCase is an input that is made by hand and what is said of it.
type explainCase struct {
	name string
	in   *Input
	edit func(*Input)
	want string
	note string // part of the notes
}

func runCases(t *testing.T, cases []explainCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.edit != nil {
				c.edit(c.in)
			}
			got := Explain(c.in)
			if text(&got) != c.want {
				t.Errorf("got  %s\nwant %s", text(&got), c.want)
			}
			if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, c.note) {
				t.Errorf("notes %q lack %q", notes, c.note)
			}
			if inferred := strings.HasSuffix(c.want, "(inferred)"); got.Inferred != inferred {
				t.Errorf("inferred: %v, want %v", got.Inferred, inferred)
			}
		})
	}
}

// cpuid puts the identification of a core into what the artefact holds.
func cpuid(v uint32) func(*Input) {
	return func(in *Input) { in.Own.(*memmap.Map).AddBytes(cpuidAddr, word(v)) }
}

const cortexM0 = 0x410cc200

// TestInferred has no fault registers.
func TestInferred(t *testing.T) {
	t.Parallel()
	runCases(t, []explainCase{
		{"null read", crashed(regs{core.R2: 0}, nil, 0x6853), nil,
			"null-read, Fault: `ldr r3, [r2, #4]` with r2 = 0: read of address 0x4 through a null pointer in main at app.c:120 (inferred)",
			"the artefact has no fault registers that state a cause"},
		{"fault registers that read as zero", crashed(regs{core.R2: 0}, status{exc.CFSR: 0}, 0x6853), nil,
			"null-read, Fault: `ldr r3, [r2, #4]` with r2 = 0: read of address 0x4 through a null pointer in main at app.c:120 (inferred)",
			"the fault registers state no cause"},
		{"nearly null", crashed(regs{core.R2: 0x80}, nil, 0x6853), nil,
			"null-read, Fault: `ldr r3, [r2, #4]` with r2 = 0x80: read of address 0x84 through a pointer that is nearly null in main at app.c:120 (inferred)", ""},
		{"read that is good", crashed(regs{core.R2: varAt}, nil, 0x6853), nil,
			"unexplained-fault, Fault: the program crashed; the dump has no fault registers that say why, and nor does `ldr r3, [r2, #4]` in main at app.c:120", ""},
		{"read of what may be a peripheral", crashed(regs{core.R2: 0x40000000}, nil, 0x6853), nil,
			"unexplained-fault, Fault: the program crashed; the dump has no fault registers that say why, and nor does `ldr r3, [r2, #4]` in main at app.c:120", ""},
		{"read of what cannot be", crashed(regs{core.R2: 0xdeadbee0}, nil, 0x6853), nil,
			"bad-read, Fault: `ldr r3, [r2, #4]` with r2 = 0xdeadbee0: read of address 0xdeadbee4 (external device region) in main at app.c:120 (inferred)", ""},
		{"instruction that does not run", crashed(regs{core.R2: 0, core.PSR: xpsrT | 1<<10 | 1<<30 | 1<<12}, nil, 0x6853), nil,
			"unexplained-fault, Fault: the program crashed; the dump has no fault registers that say why, and nor does `ldrne r3, [r2, #4]` in main at app.c:120", ""},
		{"write to flash", crashed(regs{core.R2: codeAt}, nil, 0x80d3), nil,
			"flash-write, Fault: `strh r3, [r2, #6]` with r2 = 0x8001000: write to address 0x08001006, which is read-only memory of the image in main at app.c:120 (inferred)", ""},
		{"unaligned on Cortex-M0", crashed(regs{core.R2: varAt + 2}, nil, 0x6853), cpuid(cortexM0),
			"unaligned, Fault: `ldr r3, [r2, #4]` with r2 = 0x20000002: unaligned read of address 0x20000006 in main at app.c:120 (inferred)", ""},
		{"unaligned on another core", crashed(regs{core.R2: varAt + 2}, nil, 0x6853), nil,
			"unexplained-fault, Fault: the program crashed; the dump has no fault registers that say why, and nor does `ldr r3, [r2, #4]` in main at app.c:120", ""},
		{"unaligned pair on any core", crashed(regs{core.R2: varAt + 2}, nil, 0xe9d2, 0x0102), nil,
			"unaligned, Fault: `ldrd r0, r1, [r2, #8]` with r2 = 0x20000002: unaligned read of address 0x2000000a in main at app.c:120; it must be a multiple of 4 (inferred)", ""},
		{"division", crashed(regs{core.R1: 1, core.R2: 0}, nil, 0xfbb1, 0xf0f2), nil,
			"division-by-zero, Fault: `udiv r0, r1, r2` with r1 = 1, r2 = 0: division by zero in main at app.c:120 (inferred)", ""},
		{"division that does not trap", crashed(regs{core.R1: 1, core.R2: 0}, nil, 0xfbb1, 0xf0f2),
			func(in *Input) { in.Own.(*memmap.Map).AddBytes(ccrAddr, word(0)) },
			"unexplained-fault, Fault: the program crashed; the dump has no fault registers that say why, and nor does `udiv r0, r1, r2` in main at app.c:120", ""},
		{"FPU off", crashed(nil, nil, 0xee30, 0x0a20), func(in *Input) { in.Own.(*memmap.Map).AddBytes(cpacrAddr, word(0)) },
			"no-fpu, Fault: `vadd.f32 s0, s0, s1` in main at app.c:120: the FPU is not enabled (CPACR = 0x0) (inferred)", ""},
		{"trap", crashed(nil, nil, 0xde00), nil,
			"trap, Fault: `udf #0` in main at app.c:120: a trap that the program or its compiler put there, as for __builtin_trap or code that is not to be reached (inferred)", ""},
		{"supervisor call", crashed(nil, nil, 0xdf00), nil,
			"unexplained-fault, Fault: `svc #0` in main at app.c:120: a supervisor call that cannot be taken becomes a HardFault: it was masked, or made from a handler of its priority or above (inferred)", ""},
		{"Thumb bit clear", crashed(regs{core.PSR: 0, core.PC: codeAt + 0x40}, nil), nil,
			"wild-jump, Fault: jump to address 0x08001040 without the Thumb bit (inferred)", ""},
		{"data as code", crashed(regs{core.PC: varAt}, nil), nil,
			"wild-jump, Fault: jump to address 0x20000000, which is data (inferred)", ""},
		{"code outside of the image", crashed(regs{core.PC: 0x1fff0000}, nil), nil,
			"unexplained-fault, Fault: the program crashed; the dump has no fault registers that say why", ""},
	})
}

// below makes an input of a handler of an exception with the given number, below
// which the registers are those of in.
func below(in *Input, number int, psp bool) *Input {
	interrupted := in.Regs
	sp := core.Addr(interrupted.Value(core.SP)) - 32
	in.Thread.Faulted = false
	in.Regs.Set(core.PC, codeAt+0x800)
	in.Regs.Set(core.PSR, xpsrT|uint32(number))
	in.Regs.Set(core.LR, 0xfffffff9)
	in.Frames = []Frame{
		{Frame: &core.Frame{Regs: in.Regs}, Functions: []string{"HardFault_Handler"}},
		{Frame: &core.Frame{Kind: core.FrameException, Exception: &core.ExceptionEntry{Number: number, Frame: sp, PSP: psp}}},
		{Frame: &core.Frame{Regs: interrupted}, Functions: []string{"main"}},
	}
	return in
}

func TestBelowHandler(t *testing.T) {
	t.Parallel()
	runCases(t, []explainCase{
		{"HardFault", below(crashed(regs{core.R2: 0}, status{exc.CFSR: 0x8200, exc.BFAR: 4, exc.HFSR: forced}, 0x6853), 3, false), nil,
			"null-read, HardFault: `ldr r3, [r2, #4]` with r2 = 0: read of address 0x4 through a null pointer in main at app.c:120 (precise data bus error, escalated to HardFault)", ""},
		{"no fault registers", below(crashed(regs{core.R2: 0}, nil, 0x6853), 3, false), nil,
			"null-read, HardFault: `ldr r3, [r2, #4]` with r2 = 0: read of address 0x4 through a null pointer in main at app.c:120 (inferred)", ""},
		{"number only in the handler's xPSR", below(crashed(regs{core.R2: 0}, nil, 0x6853), 5, false),
			func(in *Input) { in.Frames[1].Exception.Number = 0 },
			"null-read, BusFault: `ldr r3, [r2, #4]` with r2 = 0: read of address 0x4 through a null pointer in main at app.c:120 (inferred)", ""},
		{"no frame below", below(crashed(regs{core.R2: 0}, status{exc.CFSR: 0x8200, exc.BFAR: 4}, 0x6853), 5, false),
			func(in *Input) { in.Frames = in.Frames[:1] },
			"null-access, BusFault: access to address 0x4 through a null pointer (precise data bus error)", ""},
		{"an interrupt is no fault", below(crashed(regs{core.R2: 0}, nil, 0x6853), 15, false), nil,
			"halted, Halted: the artefact does not say why the target stopped", "SysTick was active"},
		{"an interrupt, and old status bits", below(crashed(regs{core.R2: 0}, status{exc.CFSR: 1 << 25}, 0x6853), 15, false), nil,
			"division-by-zero, UsageFault: division by zero", "the fault may be an old one"},
	})
}

// TestOldFault has registers of which the artefact does not say what they are.
func TestOldFault(t *testing.T) {
	t.Parallel()
	unsaid := func(in *Input) { in.Thread.Faulted = false }
	runCases(t, []explainCase{
		{"the instruction does not fit", crashed(regs{core.R2: varAt}, status{exc.CFSR: 0x8200, exc.BFAR: 4}, 0x6853), unsaid,
			"bad-access, BusFault: precise data bus error, address 0x00000004", "the fault may be an old one"},
		{"the instruction fits", crashed(regs{core.R2: 0}, status{exc.CFSR: 0x8200, exc.BFAR: 4}, 0x6853), unsaid,
			"null-read, BusFault: `ldr r3, [r2, #4]` with r2 = 0: read of address 0x4 through a null pointer in main at app.c:120 (precise data bus error)", ""},
		{"the division fits", crashed(regs{core.R1: 1, core.R2: 0}, status{exc.CFSR: 1 << 25}, 0xfbb1, 0xf0f2), unsaid,
			"division-by-zero, UsageFault: `udiv r0, r1, r2` with r1 = 1, r2 = 0: division by zero in main at app.c:120", ""},
		{"the division does not", crashed(regs{core.R1: 1, core.R2: 5}, status{exc.CFSR: 1 << 25}, 0xfbb1, 0xf0f2), unsaid,
			"division-by-zero, UsageFault: division by zero", "the fault may be an old one"},
	})
}

func TestLockup(t *testing.T) {
	t.Parallel()
	runCases(t, []explainCase{
		{"Armv7-M", crashed(regs{core.PC: 0xfffffffe}, status{exc.CFSR: 0x8200, exc.BFAR: 4, exc.HFSR: forced}), nil,
			"lockup, Lockup: lock-up: a fault inside of the HardFault or NMI handler, or its vector could not be read (precise data bus error, escalated to HardFault)", ""},
		{"Armv8-M", crashed(regs{core.PC: 0xeffffffe}, nil), nil,
			"lockup, Lockup: lock-up: a fault inside of the HardFault or NMI handler, or its vector could not be read", ""},
	})
}

// TestSource: the variable that a null pointer was read from is named where the
// code leaves no other way.
func TestSource(t *testing.T) {
	t.Parallel()
	load := []uint16{0x4b02, 0x681a, 0x6853, 0xbf00, 0xbf00, 0xbf00, 0x0010, 0x2000} // ldr r3, =var; ldr r2, [r3]; ldr r3, [r2, #4]
	named := func(code []uint16, edit func(*Input)) *Input {
		in := crashed(regs{core.PC: codeAt + 4, core.R2: 0}, status{exc.CFSR: 0x8200, exc.BFAR: 4}, code...)
		p := in.Program.(*fakeProgram)
		p.body = decodeAll(codeAt, code[:6]...)
		p.symbols["cfg"] = varAt + 0x10
		p.places[codeAt+4] = "main at app.c:121"
		if edit != nil {
			edit(in)
		}
		return in
	}
	const start = "null-read, BusFault: `ldr r3, [r2, #4]` with r2 = 0: read of address 0x4 through a null pointer"
	const end = " in main at app.c:121 (precise data bus error)"
	branched := []uint16{0x4b02, 0x681a, 0x6853, 0xe7fd, 0xbf00, 0xbf00, 0x0010, 0x2000} // b to the faulting instruction
	conditional := []uint16{0x4b02, 0xbf08, 0x681a, 0x6853, 0xbf00, 0xbf00, 0x0010, 0x2000}
	runCases(t, []explainCase{
		{"named", named(load, nil), nil, start + " `cfg`" + end, ""},
		{"the variable has another value by now", named(load, func(in *Input) {
			in.Own.(*memmap.Map).AddBytes(varAt+0x10, word(varAt))
		}), nil, start + end, ""},
		{"another way leads to the instruction", named(branched, nil), nil, start + end, ""},
		{"the load is conditional", named(conditional, func(in *Input) {
			in.Regs.Set(core.PC, codeAt+6)
			in.Program.(*fakeProgram).places[codeAt+6] = "main at app.c:121"
		}), nil, start + end, ""},
	})
}

// TestImprecise: the only store before the PC that cannot have worked is blamed.
func TestImprecise(t *testing.T) {
	t.Parallel()
	code := []uint16{0x6011, 0x6019, 0xbf00} // str r1, [r2]; str r1, [r3]; nop
	at := func(in *Input) *Input {
		in.Program.(*fakeProgram).body = decodeAll(codeAt, code...)
		in.Regs.Set(core.PC, codeAt+4)
		return in
	}
	runCases(t, []explainCase{
		{"one", at(crashed(regs{core.R2: 0xa0000000, core.R3: varAt}, status{exc.CFSR: 0x400}, code...)), nil,
			"imprecise-write, BusFault: probably `str r1, [r2, #0]` with r2 = 0xa0000000, shortly before the pc: write to address 0xa0000000 (external device region) in main at app.c:120 (imprecise data bus error) (inferred)", ""},
		{"two", at(crashed(regs{core.R2: 0xa0000000, core.R3: 0x60000000}, status{exc.CFSR: 0x400}, code...)), nil,
			"imprecise-write, BusFault: a write failed shortly before the pc at pc 0x08001004 (imprecise data bus error)", ""},
		{"none", at(crashed(regs{core.R2: varAt, core.R3: varAt}, status{exc.CFSR: 0x400}, code...)), nil,
			"imprecise-write, BusFault: a write failed shortly before the pc at pc 0x08001004 (imprecise data bus error)", ""},
	})
}
