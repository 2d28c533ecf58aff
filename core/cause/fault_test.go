package cause

import (
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/exc"
)

type (
	regs   = map[core.Reg]uint32
	status = map[exc.FaultReg]uint32
)

const forced = 1 << 30 // HFSR.FORCED

// TestFault has one case or more for every status bit, and for every reading of
// the instruction under it.
func TestFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		regs   regs
		status status
		code   []uint16
		want   string
		note   string // part of the notes
	}{
		{"null read", regs{core.R2: 0}, status{exc.CFSR: 0x8200, exc.BFAR: 4, exc.HFSR: forced}, []uint16{0x6853},
			"null-read, HardFault: `ldr r3, [r2, #4]` with r2 = 0: read of address 0x4 through a null pointer in main at app.c:120 (precise data bus error, escalated to HardFault)", ""},
		{"null write, MPU", regs{core.R2: 0}, status{exc.CFSR: 0x82, exc.MMFAR: 6}, []uint16{0x80d3},
			"null-write, MemManage: `strh r3, [r2, #6]` with r2 = 0: write to address 0x6 through a null pointer in main at app.c:120 (data access to a forbidden address)", ""},
		{"null index", regs{core.R2: 0x10, core.R1: 0}, status{exc.CFSR: 0x8200, exc.BFAR: 0x10}, []uint16{0x5853},
			"null-read, BusFault: `ldr r3, [r2, r1]` with r2 = 0x10, r1 = 0: read of address 0x10 through a null pointer in main at app.c:120 (precise data bus error)", ""},
		{"negative offset", regs{core.R2: 0}, status{exc.CFSR: 0x8200, exc.BFAR: 0xfffffff8}, []uint16{0xf842, 0x3c08},
			"null-write, BusFault: `str.w r3, [r2, #-8]` with r2 = 0: write to address 0xfffffff8 through a null pointer in main at app.c:120 (precise data bus error)", ""},
		{"peripheral", regs{core.R2: 0x40021000}, status{exc.CFSR: 0x8200, exc.BFAR: 0x40021004}, []uint16{0x6853},
			"bad-read, BusFault: `ldr r3, [r2, #4]` with r2 = 0x40021000: read of address 0x40021004 (peripheral region) in main at app.c:120 (precise data bus error)",
			"no peripheral answers at 0x40021004, or it has no clock or power"},
		{"fill pattern", regs{core.R2: 0xa5a5a5a5}, status{exc.CFSR: 0x8200, exc.BFAR: 0xa5a5a5a9}, []uint16{0x6853},
			"bad-read, BusFault: `ldr r3, [r2, #4]` with r2 = 0xa5a5a5a5: read of address 0xa5a5a5a9 (external device region) in main at app.c:120 (precise data bus error)",
			"the pointer r2 holds a fill pattern"},
		{"the bus has the word's address", regs{core.R2: 0xa0000001}, status{exc.CFSR: 0x8200, exc.BFAR: 0xa0000004}, []uint16{0x7953},
			"bad-read, BusFault: `ldrb r3, [r2, #5]` with r2 = 0xa0000001: read of address 0xa0000004 (external device region) in main at app.c:120 (precise data bus error)", ""},
		{"another access", regs{core.R2: varAt}, status{exc.CFSR: 0x8200, exc.BFAR: 0xb0000000}, []uint16{0x6853},
			"bad-access, BusFault: access to address 0xb0000000 (external device region) in main at app.c:120 (precise data bus error)",
			"`ldr r3, [r2, #4]` with r2 = 0x20000000 accesses 0x20000004: the address that the fault register has is of another access"},
		{"address not held", regs{core.R2: 0}, status{exc.CFSR: 0x200}, []uint16{0x6853},
			"null-read, BusFault: `ldr r3, [r2, #4]` with r2 = 0: read of address 0x4 through a null pointer in main at app.c:120 (precise data bus error)", ""},
		{"flash", regs{core.R2: constAt, core.R1: 0x10}, status{exc.CFSR: 0x8200, exc.BFAR: constAt + 6}, []uint16{0x80d3},
			"flash-write, BusFault: `strh r3, [r2, #6]` with r2 = 0x8004000: write to address 0x08004006, which is read-only memory of the image in main at app.c:120 (precise data bus error)", ""},
		{"unprivileged", regs{core.R2: 0xe000e000, core.CONTROL: 1}, status{exc.CFSR: 0x8200, exc.BFAR: 0xe000e004}, []uint16{0x6853},
			"bad-read, BusFault: `ldr r3, [r2, #4]` with r2 = 0xe000e000: read of address 0xe000e004 (private peripheral region) by unprivileged code in main at app.c:120 (precise data bus error)", ""},
		{"secure memory", regs{core.R2: 0x30000000}, status{exc.SFSR: 0x48, exc.SFAR: 0x30000004}, []uint16{0x6853},
			"bad-read, SecureFault: `ldr r3, [r2, #4]` with r2 = 0x30000000: read of address 0x30000004, which is secure in main at app.c:120 (access to secure memory from non-secure code)", ""},
		{"imprecise", nil, status{exc.CFSR: 0x400}, []uint16{0xbf00},
			"imprecise-write, BusFault: a write failed shortly before the pc in main at app.c:120 (imprecise data bus error)", "one before the pc"},
		{"undefined", nil, status{exc.CFSR: 1 << 16}, []uint16{0xb700},
			"undefined, UsageFault: `.inst.n 0xb700` in main at app.c:120 is no instruction: what is executed is no code, or code of another core (undefined instruction)", ""},
		{"not this core's", nil, status{exc.CFSR: 1 << 16}, []uint16{0xfbb1, 0xf0f2},
			"undefined, UsageFault: `udiv r0, r1, r2` in main at app.c:120: the core does not have this instruction, or not in its state (undefined instruction)", ""},
		{"erased flash", nil, status{exc.CFSR: 1 << 16}, []uint16{0xffff, 0xffff},
			"undefined, UsageFault: erased flash is executed in main at app.c:120 (undefined instruction)", ""},
		{"trap", nil, status{exc.CFSR: 1 << 16}, []uint16{0xdeff},
			"trap, UsageFault: `udf #255` in main at app.c:120: a trap that the program or its compiler put there, as for __builtin_trap or code that is not to be reached (undefined instruction)", ""},
		{"no code at PC", regs{core.PC: varAt + 0x10}, status{exc.CFSR: 1 << 16}, nil,
			"wild-jump, UsageFault: jump to address 0x20000010, which is data (undefined instruction)", ""},
		{"null call", regs{core.PC: 0, core.PSR: 0, core.LR: codeAt + 3, core.R3: 0}, status{exc.CFSR: 1 << 17}, []uint16{0x4798},
			"null-jump, UsageFault: `blx r3` with r3 = 0: call of address 0 through a null pointer in main at app.c:120 (invalid execution state: Thumb bit clear or bad IT state)", ""},
		{"call without the Thumb bit", regs{core.PC: codeAt + 0x20, core.PSR: 0, core.LR: codeAt + 3, core.R3: codeAt + 0x20}, status{exc.CFSR: 1 << 17}, []uint16{0x4798},
			"wild-jump, UsageFault: `blx r3` with r3 = 0x8001020: call of address 0x08001020 without the Thumb bit in main at app.c:120 (invalid execution state: Thumb bit clear or bad IT state)", ""},
		{"state of an IT block", regs{core.PSR: xpsrT | 1<<10}, status{exc.CFSR: 1 << 17}, []uint16{0xbf00},
			"wild-jump, UsageFault: `nopeq` in main at app.c:120 cannot run in the state that xPSR has: its IT or ICI bits do not fit (invalid execution state: Thumb bit clear or bad IT state)", ""},
		{"never code", regs{core.PC: 0x40000000, core.LR: codeAt + 3, core.R3: 0x40000001}, status{exc.CFSR: 1}, []uint16{0x4798},
			"wild-jump, MemManage: `blx r3` with r3 = 0x40000001: call of address 0x40000000 outside of the image (peripheral region, which never holds code) in main at app.c:120 (instruction fetch from a forbidden address)", ""},
		{"after a direct call", regs{core.PC: 0x30000000, core.LR: codeAt + 5}, status{exc.CFSR: 0x100}, []uint16{0xf000, 0xf87e},
			"wild-jump, BusFault: jump to address 0x30000000 outside of the image (SRAM region), after a call in main at app.c:120 (bus error on an instruction fetch)",
			"the last call was `bl"},
		{"fill pattern as code", regs{core.PC: 0xa5a5a5a4, core.LR: 0xffffffff}, status{exc.CFSR: 0x100}, nil,
			"wild-jump, BusFault: jump to address 0xa5a5a5a4, which is a fill pattern: the pointer was never set (bus error on an instruction fetch)", ""},
		{"EXC_RETURN as code", regs{core.PC: 0xfffffff8}, status{exc.CFSR: 1}, nil,
			"wild-jump, MemManage: jump to address 0xfffffff8, which is no address but an EXC_RETURN value (instruction fetch from a forbidden address)", ""},
		{"code that the MPU forbids", nil, status{exc.CFSR: 1}, []uint16{0xbf00},
			"wild-jump, MemManage: the code at 0x08001000 may not be executed: the MPU forbids it in main at app.c:120 (instruction fetch from a forbidden address)", ""},
		{"code that the bus does not give", nil, status{exc.CFSR: 0x100}, []uint16{0xbf00},
			"wild-jump, BusFault: the code at 0x08001000 could not be read in main at app.c:120 (bus error on an instruction fetch)", ""},
		{"bad exception return", regs{core.LR: 0xffffffe0}, status{exc.CFSR: 1 << 18}, []uint16{0x4770},
			"exception-return, UsageFault: `bx lr` with lr = 0xffffffe0: an exception return with a bad EXC_RETURN value, or from a frame that is not true in main at app.c:120 (bad EXC_RETURN value, or exception return that failed its integrity checks)", ""},
		{"integrity signature", nil, status{exc.SFSR: 2}, []uint16{0xbf00},
			"exception-return, SecureFault: an exception return with a bad EXC_RETURN value, or from a frame that is not true in main at app.c:120 (bad integrity signature in an exception frame)", ""},
		{"exception return to secure state", nil, status{exc.SFSR: 4}, nil,
			"exception-return, SecureFault: an exception return with a bad EXC_RETURN value, or from a frame that is not true in main at app.c:120 (bad EXC_RETURN value for an exception return from non-secure state)", ""},
		{"secure entry", nil, status{exc.SFSR: 1}, []uint16{0xbf00},
			"security, SecureFault: entry to secure code that is not at an SG instruction in main at app.c:120", ""},
		{"secure transition", nil, status{exc.SFSR: 0x10}, []uint16{0xbf00},
			"security, SecureFault: branch to non-secure code that was not marked as one in main at app.c:120", ""},
		{"lazy state, secure", nil, status{exc.SFSR: 0x20}, []uint16{0xbf00},
			"stack-fault, SecureFault: security violation while lazily saving the FP registers: the stack pointer does not point to usable memory", "could not be stored: its other registers are right"},
		{"lazy state error", nil, status{exc.SFSR: 0x80}, []uint16{0xbf00},
			"security, SecureFault: error of the lazy FP state in main at app.c:120", ""},
		{"FPU off", nil, status{exc.CFSR: 1 << 19}, []uint16{0xee30, 0x0a20},
			"no-fpu, UsageFault: `vadd.f32 s0, s0, s1` in main at app.c:120: the FPU is not enabled, or the core has none (coprocessor or FPU access while it is disabled or absent)", ""},
		{"coprocessor", nil, status{exc.CFSR: 1 << 19}, []uint16{0xee01, 0x0512},
			"no-fpu, UsageFault: `mcr 5, 0, r0, cr1, cr2, {0}` in main at app.c:120: coprocessor 5 is not enabled, or absent (coprocessor or FPU access while it is disabled or absent)", ""},
		{"unaligned pair", regs{core.R2: varAt + 1}, status{exc.CFSR: 1 << 24}, []uint16{0xe9d2, 0x0102},
			"unaligned, UsageFault: `ldrd r0, r1, [r2, #8]` with r2 = 0x20000001: unaligned read of address 0x20000009 in main at app.c:120; it must be a multiple of 4 (unaligned access)", ""},
		{"unaligned word", regs{core.R2: varAt + 1}, status{exc.CFSR: 1 << 24}, []uint16{0x6853},
			"unaligned, UsageFault: `ldr r3, [r2, #4]` with r2 = 0x20000001: unaligned read of address 0x20000005 in main at app.c:120 (unaligned access)", ""},
		{"unaligned, but it is not", regs{core.R2: varAt}, status{exc.CFSR: 1 << 24}, []uint16{0x6853},
			"unaligned, UsageFault: an unaligned access in main at app.c:120", ""},
		{"division", regs{core.R1: 100, core.R2: 0}, status{exc.CFSR: 1 << 25}, []uint16{0xfbb1, 0xf0f2},
			"division-by-zero, UsageFault: `udiv r0, r1, r2` with r1 = 0x64, r2 = 0: division by zero in main at app.c:120", ""},
		{"division elsewhere", nil, status{exc.CFSR: 1 << 25}, []uint16{0xbf00},
			"division-by-zero, UsageFault: division by zero in main at app.c:120", ""},
		{"unstacking, MPU", nil, status{exc.CFSR: 8}, []uint16{0xbf00},
			"stack-fault, MemManage: memory protection fault while unstacking for an exception return: the stack pointer does not point to usable memory", "the one that a handler was returning to"},
		{"unstacking, bus", nil, status{exc.CFSR: 1 << 11}, []uint16{0xbf00},
			"stack-fault, BusFault: bus error while unstacking for an exception return: the stack pointer does not point to usable memory", "the one that a handler was returning to"},
		{"lazy FP, MPU", nil, status{exc.CFSR: 1 << 5}, []uint16{0xbf00},
			"stack-fault, MemManage: memory protection fault while lazily saving the FP registers: the stack pointer does not point to usable memory", "its other registers are right"},
		{"lazy FP, bus", nil, status{exc.CFSR: 1 << 13}, []uint16{0xbf00},
			"stack-fault, BusFault: bus error while lazily saving the FP registers: the stack pointer does not point to usable memory", "its other registers are right"},
		{"stacking, MPU", nil, status{exc.CFSR: 1 << 4}, []uint16{0xbf00},
			"stack-fault, MemManage: memory protection fault while stacking for an exception entry: the stack pointer does not point to usable memory", "not those of the fault"},
		{"stacking, bus", nil, status{exc.CFSR: 1 << 12}, []uint16{0xbf00},
			"stack-fault, BusFault: bus error while stacking for an exception entry: the stack pointer does not point to usable memory", "not those of the fault"},
		{"stack limit", nil, status{exc.CFSR: 1 << 20}, []uint16{0xbf00},
			"stack-overflow, UsageFault: stack overflow (stack pointer passed its limit)", "not those of the fault"},
		{"vector table", nil, status{exc.HFSR: 2}, []uint16{0xbf00},
			"vector-table, HardFault: the vector of an exception could not be read: VTOR does not point to a vector table (bus error on a vector table read)", ""},
		{"breakpoint", nil, status{exc.HFSR: 1 << 31, exc.DFSR: 2}, []uint16{0xbe03},
			"breakpoint, HardFault: the program ran into a BKPT instruction, `bkpt #3` in main at app.c:120 (breakpoint with no debugger to take it)", ""},
		{"semihosting", regs{core.R0: 0x18}, status{exc.HFSR: 1 << 31, exc.DFSR: 2}, []uint16{0xbeab},
			"semihosting, HardFault: `bkpt #171` in main at app.c:120: a semihosting call, SYS_EXIT, which only a debugger takes (breakpoint with no debugger to take it)", ""},
		{"debug event elsewhere", nil, status{exc.HFSR: 1 << 31}, []uint16{0xbf00},
			"breakpoint, HardFault: a debug event with no debugger to take it in main at app.c:120", ""},
		{"escalated without a cause", regs{core.R2: varAt}, status{exc.CFSR: 0, exc.HFSR: forced}, []uint16{0x6853},
			"unexplained-fault, HardFault: the program crashed; the fault registers state no cause, and nor does `ldr r3, [r2, #4]` in main at app.c:120 (a fault was escalated to HardFault and its cause is not recorded)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := Explain(crashed(c.regs, c.status, c.code...))
			if text(&got) != c.want {
				t.Errorf("got  %s\nwant %s", text(&got), c.want)
			}
			if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, c.note) {
				t.Errorf("notes %q lack %q", notes, c.note)
			}
			if got.Inferred {
				t.Error("inferred, although the fault registers state it")
			}
		})
	}
}
