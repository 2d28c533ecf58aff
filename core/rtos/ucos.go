package rtos

import (
	"strings"

	"pushmask/core"
)

// ucosFormats are those of the ports of uC/OS-II and uC/OS-III for M-profile
// (Ports/ARM-Cortex-M/*/*/os_cpu_a.* of
// https://github.com/weston-embedded/uC-OS2 and uC-OS3).
var ucosFormats = []format{
	formatReturn,
	// s16-s31 r4-r11 EXC_RETURN frame, when a hook saves the floating-point
	// registers of every task (OS_CPU_FP_Reg_Push).
	{fits: mainline, read: func(c *saved) {
		c.span(core.S0+16, core.S31)
		c.span(core.R4, core.R11)
		c.excReturn()
		c.frame()
	}},
	formatPlain,
}

// ucosClearStack is the option of tasks whose stack is filled with zeros
// (OS_OPT_TASK_STK_CLR, the same in both).
const ucosClearStack = 2

// ucosStack sets the bounds of a stack of size words.
func ucosStack(t *task, low core.Addr, size, opt uint32) {
	if low == 0 || low&3 != 0 || size == 0 || size > maxStack/4 {
		return
	}
	t.Stack = core.Stack{Low: low, High: low + core.Addr(4*size)}
	if opt&ucosClearStack != 0 {
		t.fill = &fill{word: 0}
	}
}

// flagWords joins the words of the bits that are set.
func flagWords(bits uint32, words []flagWord) string {
	var parts []string
	for _, w := range words {
		if bits&w.bit != 0 {
			parts = append(parts, w.text)
		}
	}
	return strings.Join(parts, "+")
}

type flagWord struct {
	bit  uint32
	text string
}
