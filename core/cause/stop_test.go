package cause

import (
	"testing"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/memmap"
)

func TestOverflow(t *testing.T) {
	t.Parallel()
	thread := core.Stack{Low: 0x20000900, High: 0x20000a00, Used: 0x100, HasUsed: true}
	low := regs{core.SP: stackAt - 16, core.MSP: stackAt - 16}
	onThread := regs{core.SP: 0x200008f0, core.PSP: 0x200008f0}
	stackSymbol := func(name string, a core.Addr) func(*Input) {
		return func(in *Input) {
			p := in.Program.(*fakeProgram)
			delete(p.symbols, "__StackLimit")
			p.symbols[name] = a
			p.symbols["_estack"] = topAt
		}
	}
	runCases(t, []explainCase{
		{"below the symbol of the linker script", crashed(low, status{exc.CFSR: 0x8200, exc.BFAR: 0xa0000000}, 0xbf00), nil,
			"stack-overflow, BusFault: stack overflow in main at app.c:120: sp 0x200007f0 is 16 bytes below __StackLimit, the end of the main stack at 0x20000800 (precise data bus error)", ""},
		{"into the variables", crashed(regs{core.SP: varEnd - 8, core.MSP: varEnd - 8}, nil, 0xbf00), stackSymbol("__bss_end__", varEnd),
			"stack-overflow, Fault: stack overflow in main at app.c:120: sp 0x200003f8 is 8 bytes below __bss_end__, the end of the variables at 0x20000400: the main stack has grown into them (inferred)", ""},
		{"a variable that is a stack", crashed(regs{core.SP: varEnd - 8, core.MSP: varEnd - 8, core.R2: varAt}, nil, 0x6853), func(in *Input) {
			stackSymbol("__bss_end__", varEnd)(in)
			in.Program.(*fakeProgram).symbols["worker_stack"] = varEnd - 8
		}, "unexplained-fault, Fault: the program crashed; the dump has no fault registers that say why, and nor does `ldr r3, [r2, #4]` in main at app.c:120", ""},
		{"below the thread's stack", crashed(onThread, nil, 0xbf00), func(in *Input) { in.Thread.Stack = thread },
			"stack-overflow, Fault: stack overflow in main at app.c:120: sp 0x200008f0 is 16 bytes below the stack of the thread, 0x20000900..0x20000a00 (inferred)",
			"the fill pattern of the thread's stack is gone: its 256 bytes were used to the last"},
		{"the main stack is not the thread's", crashed(regs{core.R2: varAt, core.PSP: 0x20000980}, nil, 0x6853), func(in *Input) { in.Thread.Stack = thread },
			"unexplained-fault, Fault: the program crashed; the dump has no fault registers that say why, and nor does `ldr r3, [r2, #4]` in main at app.c:120",
			"its 256 bytes were used to the last"},
		{"PSPLIM", crashed(regs{core.SP: 0x200008f0, core.PSP: 0x200008f0, core.PSPLIM: 0x20000900}, nil, 0xbf00), nil,
			"stack-overflow, Fault: stack overflow in main at app.c:120: sp 0x200008f0 is 16 bytes below its limit, PSPLIM = 0x20000900 (inferred)", ""},
		{"MSPLIM", crashed(regs{core.SP: 0x200008f0, core.MSP: 0x200008f0, core.MSPLIM: 0x20000900}, nil, 0xbf00), nil,
			"stack-overflow, Fault: stack overflow in main at app.c:120: sp 0x200008f0 is 16 bytes below its limit, MSPLIM = 0x20000900 (inferred)", ""},
		{"a push into a guard region", crashed(regs{core.SP: stackAt + 8, core.MSP: stackAt + 8}, status{exc.CFSR: 0x82, exc.MMFAR: stackAt - 4}, 0xb530), nil,
			"stack-overflow, MemManage: `push {r4, r5, lr}` with sp = 0x20000808: write to the stack at 0x200007fc in main at app.c:120: a stack overflow into a guard region or out of memory (data access to a forbidden address)", ""},
		{"a push to where no memory is", crashed(regs{core.SP: 0xa0000018, core.MSP: 0xa0000018}, nil, 0xb530), nil,
			"stack-overflow, Fault: `push {r4, r5, lr}` with sp = 0xa0000018: write to the stack at 0xa000000c in main at app.c:120: a stack overflow into a guard region or out of memory (inferred)", ""},
		{"a frame that could not be stored", below(crashed(regs{core.SP: 0x30000020}, status{exc.CFSR: 0x1000}, 0xbf00), 5, false), nil,
			"stack-overflow, BusFault: stack overflow: the exception frame could not be stored at sp 0x30000000, where no memory is known to be (bus error while stacking for an exception entry)",
			"the registers shown are not those of the fault"},
		{"recursion", crashed(low, nil, 0xbf00), func(in *Input) {
			for range 6 {
				in.Frames = append(in.Frames, Frame{Frame: &core.Frame{}, Functions: []string{"walk"}})
			}
		}, "stack-overflow, Fault: stack overflow in main at app.c:120: sp 0x200007f0 is 16 bytes below __StackLimit, the end of the main stack at 0x20000800 (inferred)",
			"walk is 6 times among the 6 youngest calls: it calls itself"},
	})
}

// called makes frames of functions, youngest first, at addresses that have the
// places caller.c:1, 2, ...
func called(in *Input, names ...string) *Input {
	in.Thread.Faulted = false
	p := in.Program.(*fakeProgram)
	for i, name := range names {
		pc := core.Addr(codeAt + 0x100*i)
		in.Frames = append(in.Frames, Frame{Frame: &core.Frame{PC: pc, Lookup: pc, Regs: in.Regs}, Functions: []string{name}})
		if i > 0 {
			p.places[pc] = name + " at caller.c:" + string(rune('0'+i))
		}
	}
	return in
}

func TestStopFunctions(t *testing.T) {
	t.Parallel()
	const loop = 0xe7fe // b .
	runCases(t, []explainCase{
		{"abort", called(crashed(nil, nil, 0xbf00), "abort", "check"), nil,
			"assertion, Assertion: the program called abort, called from check at caller.c:1", ""},
		{"the assertion behind abort", called(crashed(nil, nil, 0xbf00), "_exit", "raise", "abort", "__assert_func", "check"), nil,
			"assertion, Assertion: an assertion failed, called from check at caller.c:4", ""},
		{"Rust panic", called(crashed(nil, nil, 0xbf00), "rust_begin_unwind", "core::panicking::panic_fmt::h0123456789abcdef", "core::panicking::panic_bounds_check", "app::read"), nil,
			"assertion, Assertion: panic: index out of bounds, called from app::read at caller.c:3", ""},
		{"Rust panic that traps", below(called(crashed(nil, nil, 0xdefe)), 3, false), func(in *Input) {
			in.Frames[2].Functions = []string{"rust_panic"}
			in.Frames = append(in.Frames, Frame{Frame: &core.Frame{Lookup: codeAt + 0x200}, Functions: []string{"app"}})
			in.Program.(*fakeProgram).places[codeAt+0x200] = "app at main.rs:7"
		}, "assertion, HardFault: panic, called from app at main.rs:7: `udf #254` in main at app.c:120 (inferred)", ""},
		{"a stack canary", called(crashed(nil, nil, 0xbf00), "__stack_chk_fail", "parse"), nil,
			"stack-overflow, Halted: the canary of a stack frame was overwritten, called from parse at caller.c:1", ""},
		{"FreeRTOS stack check", called(crashed(nil, nil, loop), "vApplicationStackOverflowHook", "vTaskSwitchContext"), nil,
			"stack-overflow, Halted: FreeRTOS found a stack overflow of a task, called from vTaskSwitchContext at caller.c:1", ""},
		{"configASSERT", called(crashed(regs{core.BASEPRI: 0x50}, nil, loop), "xQueueGenericSend", "app"), nil,
			"assertion, Assertion: an endless loop with interrupts masked in main at app.c:120, as a failed configASSERT leaves it", ""},
		{"loop of a FreeRTOS function, interrupts on", called(crashed(nil, nil, loop), "xQueueGenericSend", "app"), nil,
			"halted, Halted: the program stands in an endless loop in main at app.c:120", ""},
		{"nobody's handler", called(crashed(regs{core.PSR: xpsrT | 21}, nil, loop), "Default_Handler"), nil,
			"unhandled-exception, Halted: IRQ 5 was taken, and its handler is an endless loop in main at app.c:120: no handler was written for it", ""},
		{"loop", called(crashed(nil, nil, loop), "main"), nil,
			"halted, Halted: the program stands in an endless loop in main at app.c:120", ""},
		{"breakpoint", called(crashed(nil, nil, 0xbe00), "main"), nil,
			"breakpoint, Breakpoint: the program ran into a BKPT instruction, `bkpt #0` in main at app.c:120", ""},
		{"halted", called(crashed(nil, nil, 0xbf00), "main"), nil,
			"halted, Halted: the artefact does not say why the target stopped", ""},
		{"another thread of a crash", called(crashed(nil, status{exc.CFSR: 0x200}, 0xbf00), "abort"), func(in *Input) { in.Thread.Crashed = false },
			"halted, Halted: the artefact does not say why the target stopped", ""},
	})
}

func TestReported(t *testing.T) {
	t.Parallel()
	tell := func(cause string, details ...string) func(*Input) {
		return func(in *Input) { in.Reported, in.ReportedDetails = cause, details }
	}
	const read = "null-read, BusFault: `ldr r3, [r2, #4]` with r2 = 0: read of address 0x4 through a null pointer in main at app.c:120 (precise data bus error)"
	bus := status{exc.CFSR: 0x8200, exc.BFAR: 4}
	runCases(t, []explainCase{
		{"it agrees", crashed(regs{core.R2: 0}, bus, 0x6853), tell("Bus fault", "precise data bus error"), read, "reported: precise data bus error"},
		{"it contradicts", crashed(regs{core.R2: 0}, bus, 0x6853), tell("MPU FAULT: Data Access Violation"), read,
			"the report contradicts the fault registers: it names a MemManage, they state a BusFault"},
		{"only words", crashed(regs{core.R2: varAt}, nil, 0x6853), tell("CPU exception", "USAGE FAULT: Division by zero"),
			"division-by-zero, UsageFault: reported: USAGE FAULT: Division by zero", "reported: CPU exception"},
		{"watchdog", called(crashed(nil, nil, 0xbf00), "main"), tell("Reset by the independent watchdog"),
			"watchdog, Watchdog: reported: Reset by the independent watchdog", ""},
		{"words that tell nothing", called(crashed(nil, nil, 0xbf00), "main"), tell("it crashed"),
			"reported, Reported: reported: it crashed", ""},
	})
	in := crashed(regs{core.R2: 0}, bus, 0x6853)
	tell("Bus fault: precise")(in)
	for _, n := range Explain(in).Notes {
		if n != "reported: Bus fault: precise" {
			t.Errorf("unexpected note %q", n)
		}
	}
}

// hosted makes an input of a Linux program that a signal stopped.
func hosted(signal int, addr core.Addr, r regs, code uint32) *Input {
	in := crashed(r, nil)
	in.Profile = core.ProfileA
	in.Thread = core.Thread{ID: 1, Crashed: true, Signal: signal, FaultAddr: addr, HasFaultAddr: addr != 0}
	in.Regs.Set(core.PSR, 0x10)
	in.Memory.(*memmap.Map).AddBytes(codeAt, word(code))
	in.Program.(*fakeProgram).a32 = true
	return in
}

func TestSignals(t *testing.T) {
	t.Parallel()
	const ldr = 0xe5923004 // ldr r3, [r2, #4]
	runCases(t, []explainCase{
		{"null read", hosted(sigsegv, 4, regs{core.R2: 0}, ldr), nil,
			"null-read, SIGSEGV: `ldr r3, [r2, #4]` with r2 = 0: read of address 0x4 through a null pointer in main at app.c:120 (invalid memory access)", ""},
		{"no fault address", hosted(sigsegv, 0, regs{core.R2: 0}, ldr), nil,
			"null-read, SIGSEGV: `ldr r3, [r2, #4]` with r2 = 0: read of address 0x4 through a null pointer in main at app.c:120 (invalid memory access)", ""},
		{"wild read", hosted(sigsegv, 0x41414145, regs{core.R2: 0x41414141}, ldr), nil,
			"bad-read, SIGSEGV: `ldr r3, [r2, #4]` with r2 = 0x41414141: read of address 0x41414145 in main at app.c:120 (invalid memory access)", ""},
		{"jump", hosted(sigsegv, 0x41414140, regs{core.PC: 0x41414140}, ldr), nil,
			"wild-jump, SIGSEGV: jump to address 0x41414140 outside of the image (invalid memory access)", ""},
		{"null jump", hosted(sigsegv, 0, regs{core.PC: 0}, ldr), nil,
			"null-jump, SIGSEGV: jump to address 0 through a null pointer (invalid memory access)", ""},
		{"misaligned", hosted(sigbus, 0x20000005, regs{core.R2: varAt + 1}, 0xe9920003), nil,
			"unaligned, SIGBUS: `ldmib r2, {r0, r1}` with r2 = 0x20000001: unaligned read of address 0x20000005 in main at app.c:120; it must be a multiple of 4 (bus error: the memory access has no memory behind it or is not aligned)", ""},
		{"undefined", hosted(sigill, 0, nil, 0xe7f000f0), nil,
			"trap, SIGILL: `udf #0` in main at app.c:120: a trap that the program or its compiler put there, as for __builtin_trap or code that is not to be reached (illegal instruction)", ""},
		{"abort", called(hosted(sigabrt, 0, nil, 0xe1a00000), "raise", "abort", "check"), nil,
			"assertion, SIGABRT: the program called abort, called from check at caller.c:2 (the program aborted itself)", ""},
		{"another signal", hosted(3, 0, nil, 0xe1a00000), nil,
			"signal, SIGQUIT: quit was requested in main at app.c:120", ""},
		{"a signal of a stub explains nothing", called(crashed(nil, nil, 0xbf00), "main"), func(in *Input) { in.Thread.Signal = sigtrap },
			"halted, Halted: the artefact does not say why the target stopped", ""},
	})
}

// aborted makes an input of an A-profile core with fault registers.
func aborted(r regs, faults map[exc.ArmFaultReg]uint32, code uint32) *Input {
	in := hosted(0, 0, r, code)
	in.Thread.Faulted = true
	for reg, v := range faults {
		in.Arm.Set(reg, v)
	}
	return in
}

func TestAborts(t *testing.T) {
	t.Parallel()
	type arm = map[exc.ArmFaultReg]uint32
	// The unwinder has left the handler of an abort.
	entered := func(name string) func(*Input) {
		return func(in *Input) {
			in.Thread.Faulted = false
			in.Frames = []Frame{
				{Frame: &core.Frame{}, Functions: []string{"handler"}},
				{Frame: &core.Frame{Kind: core.FrameException, Exception: &core.ExceptionEntry{Name: name}}},
				{Frame: &core.Frame{Regs: in.Regs}, Functions: []string{"main"}},
			}
			in.Regs = regsOf(regs{core.PC: codeAt + 0x400, core.PSR: 0x17})
		}
	}
	const ldr, str = 0xe5923004, 0xe5823004
	inHandler := func(lr uint32) func(*Input) {
		return func(in *Input) {
			in.Thread.Faulted = false
			in.Regs.Set(core.PSR, 0x17)
			in.Regs.Set(core.LR, lr)
			in.Regs.Set(core.PC, codeAt+0x400)
		}
	}
	runCases(t, []explainCase{
		{"translation fault", aborted(regs{core.R2: 0}, arm{exc.ArmDFSR: 0x805, exc.ArmDFAR: 4}, str), nil,
			"null-write, Data Abort: `str r3, [r2, #4]` with r2 = 0: write to address 0x4 through a null pointer in main at app.c:120 (translation fault of a section: the address is not mapped)", ""},
		{"alignment", aborted(regs{core.R2: varAt + 1}, arm{exc.ArmDFSR: 1, exc.ArmDFAR: varAt + 5}, ldr), nil,
			"unaligned, Data Abort: `ldr r3, [r2, #4]` with r2 = 0x20000001: unaligned read of address 0x20000005 in main at app.c:120 (alignment fault)", ""},
		{"asynchronous", aborted(regs{core.R2: 0}, arm{exc.ArmDFSR: 0x406, exc.ArmDFAR: 4}, ldr), nil,
			"imprecise-write, Data Abort: an access to memory failed before the pc in main at app.c:120 (asynchronous external abort)", "not the one to blame"},
		{"prefetch", aborted(regs{core.PC: 0x30000000}, arm{exc.ArmIFSR: 5, exc.ArmIFAR: 0x30000000}, ldr), nil,
			"wild-jump, Prefetch Abort: jump to address 0x30000000 outside of the image (translation fault of a section: the address is not mapped)", ""},
		{"both registers, the PC tells", aborted(regs{core.PC: 0x30000000}, arm{exc.ArmDFSR: 5, exc.ArmDFAR: 4, exc.ArmIFSR: 5, exc.ArmIFAR: 0x30000000}, ldr), nil,
			"wild-jump, Prefetch Abort: jump to address 0x30000000 outside of the image (translation fault of a section: the address is not mapped)", "one of them may be of an earlier abort"},
		{"in the abort handler", aborted(regs{core.R2: 0}, arm{exc.ArmDFSR: 5, exc.ArmDFAR: 4}, ldr), inHandler(codeAt + 8),
			"null-read, Data Abort: `ldr r3, [r2, #4]` with r2 = 0: read of address 0x4 through a null pointer in main at app.c:120 (translation fault of a section: the address is not mapped)", ""},
		{"LR of the abort handler was changed", aborted(regs{core.R2: 0x1000}, arm{exc.ArmDFSR: 0x805, exc.ArmDFAR: 0x50000000}, ldr), inHandler(codeAt + 8),
			"bad-write, Data Abort: write to address 0x50000000 (translation fault of a section: the address is not mapped)", ""},
		{"below a data abort", aborted(regs{core.R2: 0}, arm{exc.ArmDFSR: 5, exc.ArmDFAR: 4, exc.ArmIFSR: 5}, ldr), entered(dataAbort),
			"null-read, Data Abort: `ldr r3, [r2, #4]` with r2 = 0: read of address 0x4 through a null pointer in main at app.c:120 (translation fault of a section: the address is not mapped)", ""},
		{"below a data abort, no registers of it", aborted(regs{core.R2: 0}, nil, ldr), entered(dataAbort),
			"null-read, Data Abort: `ldr r3, [r2, #4]` with r2 = 0: read of address 0x4 through a null pointer in main at app.c:120 (inferred)", ""},
		{"below a prefetch abort", aborted(regs{core.PC: 0x30000000}, arm{exc.ArmDFSR: 5}, ldr), entered(prefetchAbort),
			"wild-jump, Prefetch Abort: jump to address 0x30000000 outside of the image", ""},
		{"below an undefined instruction", aborted(nil, nil, 0xe7f000f0), entered(undefinedInst),
			"trap, Undefined Instruction: `udf #0` in main at app.c:120: a trap that the program or its compiler put there, as for __builtin_trap or code that is not to be reached", ""},
		{"FP with the FPU off", aborted(nil, nil, 0xee300a20), entered(undefinedInst),
			"no-fpu, Undefined Instruction: `vadd.f32 s0, s0, s1` in main at app.c:120: the FPU is not enabled, or the core has none", ""},
		{"no registers of it", aborted(regs{core.R2: 0}, nil, ldr), nil,
			"null-read, Fault: `ldr r3, [r2, #4]` with r2 = 0: read of address 0x4 through a null pointer in main at app.c:120 (inferred)", ""},
	})
}
