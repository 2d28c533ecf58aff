package rtos

import "pushmask/core"

// freertosPort is the way one family of ports saves the registers of a task
// (portable/GCC/*/port.c, portasm.c and portASM.S; other compilers' ports save
// the same). No symbol names the port, so that one is taken whose contexts
// check for all tasks; formats that hold an EXC_RETURN come first, since they
// cannot be mistaken.
type freertosPort struct {
	name string
	// fits tells by symbols whether the port can be the one, nil where any can.
	fits func(*freertos) bool
	// restore reads the context that pxTopOfStack points to.
	restore func(*saved)
	// inTCB is set for ports with an MPU since V10.6, which save registers in
	// the control block; pxTopOfStack points past them.
	inTCB bool
}

func hasSecureContext(f *freertos) bool { return f.hasObjects("xSecureContext") }
func noSecureContext(f *freertos) bool  { return !hasSecureContext(f) }

// freertosPortsM are the ports of M-profile. Words are named in the order of
// memory.
var freertosPortsM = []freertosPort{
	{name: "ARM_CM4F, ARM_CM7", restore: func(c *saved) {
		c.span(core.R4, core.R11)
		c.excReturn()
		c.calleeFP()
		c.frame()
	}},
	{name: "ARMv8-M non-secure", fits: noSecureContext, restore: func(c *saved) {
		c.take(core.PSPLIM)
		c.excReturn()
		c.restV8()
	}},
	{name: "ARMv8-M non-secure with PACBTI", fits: noSecureContext, restore: func(c *saved) {
		c.skip(4) // the key
		c.take(core.PSPLIM)
		c.excReturn()
		c.restV8()
	}},
	{name: "ARMv8-M non-secure with MPU before V10.6", fits: noSecureContext, restore: func(c *saved) {
		c.take(core.PSPLIM)
		c.control()
		c.excReturn()
		c.restV8()
	}},
	{name: "ARMv8-M TrustZone", fits: hasSecureContext, restore: func(c *saved) {
		c.skip(1) // xSecureContext
		c.take(core.PSPLIM)
		c.excReturn()
		c.nonSecure()
		c.restV8()
	}},
	{name: "ARMv8-M TrustZone with PACBTI", fits: hasSecureContext, restore: func(c *saved) {
		c.skip(5)
		c.take(core.PSPLIM)
		c.excReturn()
		c.nonSecure()
		c.restV8()
	}},
	{name: "ARMv8-M TrustZone with MPU before V10.6", fits: hasSecureContext, restore: func(c *saved) {
		c.skip(1)
		c.take(core.PSPLIM)
		c.control()
		c.excReturn()
		c.nonSecure()
		c.restV8()
	}},
	{name: "ARM_CM0 since V11.1", restore: func(c *saved) {
		c.excReturn()
		c.span(core.R4, core.R11)
		c.frame()
	}},
	{name: "ARM_CM4_MPU before V10.6", restore: func(c *saved) {
		c.control()
		c.span(core.R4, core.R11)
		c.excReturn()
		c.calleeFP()
		c.frame()
	}},
	{name: "ARM_CM3_MPU before V10.6", restore: func(c *saved) {
		c.control()
		c.span(core.R4, core.R11)
		c.frame()
	}},
	{name: "ARM_CM0, ARM_CM3", restore: func(c *saved) {
		c.span(core.R4, core.R11)
		c.frame()
	}},
	{name: "ARMv8-M with MPU", fits: noSecureContext, inTCB: true, restore: func(c *saved) { c.mpuV8(0, false) }},
	{name: "ARMv8-M with MPU and PACBTI", fits: noSecureContext, inTCB: true, restore: func(c *saved) { c.mpuV8(4, false) }},
	{name: "ARMv8-M TrustZone with MPU", fits: hasSecureContext, inTCB: true, restore: func(c *saved) { c.mpuV8(0, true) }},
	{name: "ARMv8-M TrustZone with MPU and PACBTI", fits: hasSecureContext, inTCB: true, restore: func(c *saved) { c.mpuV8(4, true) }},
	{name: "ARM_CM3_MPU, ARM_CM4_MPU", inTCB: true, restore: (*saved).mpuV7},
	{name: "ARM_CM0 with MPU", inTCB: true, restore: (*saved).mpuV6},
}

// restV8 reads what follows the special registers on ARMv8-M.
func (c *saved) restV8() {
	c.span(core.R4, core.R11)
	c.calleeFP()
	c.frame()
}

// nonSecure fails for a thread that was interrupted in secure state: its
// registers are on the secure stack, where the non-secure kernel did not put
// them.
func (c *saved) nonSecure() {
	if c.err == nil && c.ret.Secure() {
		c.fail("the task was in secure state, its registers are on the secure stack")
	}
}

// back moves n words back, to read what lies in front.
func (c *saved) back(n int) { c.at -= core.Addr(4 * n) }

// stackedFPWords are s0 to s15 and FPSCR.
const stackedFPWords = 17

// mpuV8 reads [s16-s31 s0-s15 fpscr] r4-r11 r0-r3 r12 lr pc xpsr
// [xSecureContext] psp psplim control EXC_RETURN [key].
func (c *saved) mpuV8(keyWords int, secure bool) {
	special := 4
	c.back(keyWords + special)
	psp := core.Addr(c.word())
	c.take(core.PSPLIM)
	c.control()
	c.excReturn()
	c.back(special)
	if secure {
		c.back(1)
		c.nonSecure()
	}
	c.back(16)
	if !c.ret.Basic() {
		c.back(16 + stackedFPWords)
		c.span(core.S0+16, core.S31)
		c.stackedFP()
	}
	c.span(core.R4, core.R11)
	c.frameWords(psp)
}

// mpuV7 reads [s16-s31 s0-s15 fpscr] control r4-r11 EXC_RETURN psp r0-r3 r12 lr
// pc xpsr.
func (c *saved) mpuV7() {
	c.back(10)
	c.excReturn()
	c.back(10)
	if !c.ret.Basic() {
		c.back(16 + stackedFPWords)
		c.span(core.S0+16, core.S31)
		c.stackedFP()
	}
	c.control()
	c.span(core.R4, core.R11)
	c.skip(1)
	psp := core.Addr(c.word())
	c.frameWords(psp)
}

// mpuV6 reads r4-r11 r0-r3 r12 lr pc xpsr psp control EXC_RETURN.
func (c *saved) mpuV6() {
	c.back(3)
	psp := core.Addr(c.word())
	c.control()
	c.excReturn()
	c.back(3 + 16)
	c.span(core.R4, core.R11)
	c.frameWords(psp)
}

// freertosPortsA are the ports of A- and R-profile. A word says whether the
// task uses floating point; ulCriticalNesting, r0-r12, lr, the return address
// and CPSR follow.
var freertosPortsA = []freertosPort{
	{name: "ARM_CA9", fits: hasGIC, restore: func(c *saved) {
		if c.flag() {
			c.skip(32) // d16-d31
			c.doublewords(0, 15)
			c.take(core.FPSCR)
		}
		c.restA()
	}},
	{name: "ARM_CR5 with floating point", fits: hasGIC, restore: func(c *saved) {
		if c.flag() {
			c.doublewords(0, 15)
			c.take(core.FPSCR)
		}
		c.restA()
	}},
	{name: "ARM_CRx_No_GIC", fits: noGIC, restore: func(c *saved) {
		if c.flag() {
			c.take(core.FPSCR)
			c.doublewords(0, 15)
		}
		c.restA()
	}},
	{name: "ARM_CRx_No_GIC with d16-d31", fits: noGIC, restore: func(c *saved) {
		if c.flag() {
			c.take(core.FPSCR)
			c.skip(32)
			c.doublewords(0, 15)
		}
		c.restA()
	}},
	{name: "ARM_CR5 without floating point", restore: (*saved).restA},
}

// hasGIC tells ports by the variable that holds the address of the interrupt
// controller.
func hasGIC(f *freertos) bool { return f.hasObjects("ulICCIAR") || f.hasObjects("ulICCIARAddress") }
func noGIC(f *freertos) bool  { return !hasGIC(f) }

// flag reads ulPortTaskHasFPUContext.
func (c *saved) flag() bool {
	v := c.word()
	if c.err == nil && v > 1 {
		c.fail("%#x at %v is no flag", v, c.at-4)
	}
	return v == 1
}

func (c *saved) restA() {
	const maxNesting = 0xff
	if v := c.word(); c.err == nil && v > maxNesting {
		c.fail("%#x at %v is no nesting of critical sections", v, c.at-4)
	}
	c.span(core.R0, core.R12)
	c.take(core.LR, core.PC, core.PSR)
}

// restored reads the context of one task in the format of a port.
func (f *freertos) restored(p *freertosPort, tcb core.Addr) (core.Regs, error) {
	r, ok := f.record(tcb, f.tcb)
	if !ok {
		return core.Regs{}, errContext
	}
	top := r.pointer("pxTopOfStack")
	c := f.savedAt(top)
	if f.inTCB(r) != p.inTCB {
		c.fail("pxTopOfStack %v is not where this port keeps it", top)
	}
	p.restore(c)
	if f.Profile == core.ProfileM {
		return c.done()
	}
	return c.doneA(c.at)
}

// contexts finds the port by the tasks that do not run, and lets each task
// restore its registers.
func (f *freertos) contexts() {
	ports := freertosPortsM
	if f.Profile != core.ProfileM {
		ports = freertosPortsA
	}
	var ways []restore
	for i := range ports {
		if p := &ports[i]; p.fits == nil || p.fits(f) {
			ways = append(ways, func(tcb core.Addr) (core.Regs, error) { return f.restored(p, tcb) })
		}
	}
	f.l.contexts(ways)
}
