package cause

import (
	"fmt"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/insn"
)

// stopped is a function that ends programs, found on a stack.
type stopped struct {
	kind Kind
	text string
	// frame is its index on the stack, name what it is called.
	frame int
	name  string
}

// stopFunctions are functions that programs call when they cannot go on, by
// what their call means. A name is the last component of a C++ or Rust name.
var stopFunctions = map[string]struct {
	kind Kind
	text string
}{
	// C and C++ libraries, compilers' runtimes.
	"abort":                     {Assertion, "the program called abort"},
	"__assert_func":             {Assertion, "an assertion failed"},
	"__assert_fail":             {Assertion, "an assertion failed"},
	"__assert":                  {Assertion, "an assertion failed"},
	"__aeabi_assert":            {Assertion, "an assertion failed"},
	"__stack_chk_fail":          {StackOverflow, "the canary of a stack frame was overwritten"},
	"__chk_fail":                {Assertion, "a library function would have passed the end of its buffer"},
	"__aeabi_idiv0":             {DivisionByZero, "division by zero"},
	"__aeabi_ldiv0":             {DivisionByZero, "division by zero"},
	"__cxa_pure_virtual":        {Assertion, "a pure virtual function was called"},
	"__cxa_deleted_virtual":     {Assertion, "a deleted virtual function was called"},
	"terminate":                 {Assertion, "the program called std::terminate: an exception that nobody catches"},
	"__terminate":               {Assertion, "the program called std::terminate: an exception that nobody catches"},
	"__throw_bad_function_call": {Assertion, "an empty std::function was called"},
	"__throw_length_error":      {Assertion, "a C++ container was asked for too many elements"},
	"__throw_out_of_range_fmt":  {Assertion, "an index of a C++ container was out of range"},
	"__throw_bad_alloc":         {Assertion, "operator new found no memory"},
	// Rust: core and the panic handlers.
	"rust_begin_unwind":          {Assertion, "panic"},
	"rust_panic":                 {Assertion, "panic"},
	"panic_fmt":                  {Assertion, "panic"},
	"panic":                      {Assertion, "panic"},
	"panic_bounds_check":         {Assertion, "panic: index out of bounds"},
	"panic_const_div_by_zero":    {Assertion, "panic: division by zero"},
	"unwrap_failed":              {Assertion, "panic: unwrap or expect of an error or of nothing"},
	"expect_failed":              {Assertion, "panic: expect of nothing"},
	"slice_index_fail":           {Assertion, "panic: slice index out of bounds"},
	"slice_end_index_len_fail":   {Assertion, "panic: slice index out of bounds"},
	"slice_start_index_len_fail": {Assertion, "panic: slice index out of bounds"},
	"panic_const_add_overflow":   {Assertion, "panic: arithmetic overflow"},
	"panic_const_sub_overflow":   {Assertion, "panic: arithmetic overflow"},
	"panic_const_mul_overflow":   {Assertion, "panic: arithmetic overflow"},
	// Vendors' libraries.
	"Error_Handler":           {Assertion, "the program called its Error_Handler"},
	"assert_failed":           {Assertion, "an assertion failed"},
	"app_error_handler":       {Assertion, "the program called its error handler"},
	"app_error_handler_bare":  {Assertion, "the program called its error handler"},
	"app_error_fault_handler": {Assertion, "the program called its error handler"},
	"assert_nrf_callback":     {Assertion, "an assertion failed"},
	// FreeRTOS, Zephyr, NuttX, RT-Thread, Mbed OS, ChibiOS, Mynewt, RIOT, ThreadX.
	"vAssertCalled":                  {Assertion, "an assertion failed"},
	"vApplicationStackOverflowHook":  {StackOverflow, "FreeRTOS found a stack overflow of a task"},
	"vApplicationMallocFailedHook":   {Assertion, "FreeRTOS found no memory"},
	"assert_post_action":             {Assertion, "an assertion failed"},
	"k_sys_fatal_error_handler":      {Assertion, "Zephyr ended the program on a fatal error"},
	"z_fatal_error":                  {Assertion, "Zephyr ended the program on a fatal error"},
	"up_assert":                      {Assertion, "an assertion failed"},
	"_assert":                        {Assertion, "an assertion failed"},
	"rt_assert_handler":              {Assertion, "an assertion failed"},
	"mbed_assert_internal":           {Assertion, "an assertion failed"},
	"mbed_error":                     {Assertion, "the program called mbed_error"},
	"mbed_die":                       {Assertion, "the program called mbed_die"},
	"chSysHalt":                      {Assertion, "ChibiOS halted the system"},
	"core_panic":                     {Assertion, "RIOT panicked"},
	"tx_thread_stack_error_handler":  {StackOverflow, "ThreadX found a stack overflow of a thread"},
	"_tx_thread_stack_error_handler": {StackOverflow, "ThreadX found a stack overflow of a thread"},
}

// stopDepth is how many calls up a stop function is looked for: libraries put
// some between it and the end (raise, _kill, _exit).
const stopDepth = 8

// stopFunction returns the oldest stop function at the young end of a stack.
func stopFunction(stack []Frame) (stopped, bool) {
	var found stopped
	for i, f := range stack[:min(len(stack), stopDepth)] {
		if f.Kind != core.FrameFunction {
			break
		}
		for _, name := range f.Functions {
			base := baseName(name)
			if s, ok := stopFunctions[base]; ok {
				found = stopped{s.kind, s.text, i, base}
			}
		}
	}
	return found, found.text != ""
}

// baseName is the last component of a name, without template arguments, hash
// and suffixes of the compiler: "core::panicking::panic_fmt::h0123" gives
// "panic_fmt".
func baseName(name string) string {
	name, _, _ = strings.Cut(name, "<")
	name, _, _ = strings.Cut(name, ".")
	parts := strings.Split(name, "::")
	slices.Reverse(parts)
	for _, p := range parts {
		if p != "" && !(len(p) == 17 && p[0] == 'h') {
			return p
		}
	}
	return name
}

// calledBy says who called a stop function.
func (e *explainer) calledBy(s stopped) string {
	if s.frame+1 >= len(e.stack) {
		return ""
	}
	caller := e.stack[s.frame+1]
	if caller.Kind != core.FrameFunction {
		return ""
	}
	if p := e.in.Program.Place(caller.Lookup); p != "" {
		return ", called from " + p
	}
	return fmt.Sprintf(", called from %v", caller.Lookup)
}

// standing explains a thread that is at no fault: it asserted, ran into a
// breakpoint or an endless loop, or just stands.
func (e *explainer) standing() {
	e.out.Name = "Halted"
	if !e.in.Thread.Crashed {
		e.halted()
		return
	}
	stop, ok := stopFunction(e.stack)
	switch {
	case e.atBreakpoint():
		e.out.Name = "Breakpoint"
	case ok:
		e.out.Name = "Assertion"
		if stop.kind != Assertion {
			e.out.Name = "Halted"
		}
		e.say(stop.kind, "%s%s%s", stop.text, e.arguments(stop), e.calledBy(stop))
	case e.handlerLoop(), e.assertLoop():
	case e.reportedHalt():
	case e.selfBranch():
		e.say(Halted, "the program stands in an endless loop%s", e.place())
	default:
		e.halted()
	}
	e.at = e.hasPC
}

// halted is what remains to be said of a thread that just stands.
func (e *explainer) halted() {
	e.say(Halted, "the artefact does not say why the target stopped")
	if e.in.Profile != core.ProfileM {
		return
	}
	if name := exc.ExceptionName(int(e.in.Regs.Value(core.PSR) & ipsr)); name != "" {
		e.note("%s was active", name)
	}
}

// freeRTOSPrefixes begin the names of FreeRTOS functions: its convention of
// names gives the type that a function returns, and prv to static ones.
var freeRTOSPrefixes = []string{"x", "v", "ux", "ul", "pv", "pc", "prv"}

// selfBranch reports whether the instruction at the PC branches to itself.
func (e *explainer) selfBranch() bool {
	return e.hasInst && e.inst.Flow == insn.FlowBranch && e.inst.Target == e.pc && !e.inst.Conditional()
}

// handlerLoop explains an exception whose handler is an endless loop: the one
// that start-up files have for handlers that nobody wrote.
func (e *explainer) handlerLoop() bool {
	n := int(e.regs.Value(core.PSR) & ipsr)
	if e.in.Profile != core.ProfileM || n == 0 || !e.selfBranch() {
		return false
	}
	e.say(UnhandledException, "%s was taken, and its handler is an endless loop%s: no handler was written for it", exc.ExceptionName(n), e.place())
	return true
}

// assertLoop explains the endless loop of a configASSERT of FreeRTOS, which
// masks interrupts and loops in the function that found the fault (FreeRTOS.org,
// "configASSERT").
func (e *explainer) assertLoop() bool {
	if !e.selfBranch() || !e.masked() || len(e.stack) == 0 || !slices.ContainsFunc(e.stack[0].Functions, isFreeRTOS) {
		return false
	}
	e.out.Name = "Assertion"
	e.say(Assertion, "an endless loop with interrupts masked%s, as a failed configASSERT leaves it", e.place())
	return true
}

// reportedHalt takes the cause from the artefact's words.
func (e *explainer) reportedHalt() bool {
	halted := e.out.Name
	if e.out.Name = ""; e.onlyReported() {
		return true
	}
	e.out.Name = halted
	return false
}

// masked reports whether interrupts are masked.
func (e *explainer) masked() bool {
	return e.in.Regs.Value(core.PRIMASK)&1 != 0 || e.in.Regs.Value(core.BASEPRI) != 0
}

// isFreeRTOS reports whether a function has a name of FreeRTOS: a prefix and an
// upper-case letter.
func isFreeRTOS(name string) bool {
	return slices.ContainsFunc(freeRTOSPrefixes, func(p string) bool {
		rest, ok := strings.CutPrefix(name, p)
		return ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z'
	})
}
