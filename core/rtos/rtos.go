// Package rtos lists the threads of real-time operating systems from symbols
// and memory alone: no knowledge of a debug probe or a stub is needed, and a
// dump and a live target are the same.
//
// Layouts come from DWARF where the image has it and otherwise from the known
// versions of the system; both are checked against what memory holds before a
// thread is believed. A list that is broken gives the threads that could be
// read and a warning.
package rtos

import (
	"errors"

	"pushmask/core"
	"pushmask/elfsym"
)

// System is a stopped machine with its firmware.
type System struct {
	Image   *elfsym.Image
	Memory  core.Memory // of the target over the image's read-only bytes
	Profile core.Profile
	// Stopped are the registers of the core at the stop: those of the thread
	// that runs, or of a handler on top of it.
	Stopped core.Regs
}

// Thread is a thread with the registers that it goes on with.
type Thread struct {
	core.Thread
	// Regs are the saved registers of a thread that does not run. They are
	// empty for the one that runs: its registers are those of the core.
	Regs core.Regs
	// Running marks the thread that the core was executing, or that a handler
	// interrupted. On a multi-core system there may be several.
	Running bool
	Control core.Addr // address of its control block, which names it
}

// List is what was found.
type List struct {
	Kernel   string // "FreeRTOS", "Zephyr", with a version where it is known
	Threads  []Thread
	Warnings []string
}

// ErrNone is returned where the image has no known kernel, or its kernel has
// not started.
var ErrNone = errors.New("no known RTOS with threads")

// kernel is one operating system.
type kernel struct {
	name string
	// present tells by symbols whether the image contains the kernel.
	present func(*System) bool
	// list reads the threads. It returns ErrNone before the scheduler started.
	list func(*System) (List, error)
}

// kernels lists the known systems, those whose symbols are the most telling
// first.
var kernels = []kernel{}

// Threads lists the threads of the first kernel that is present.
func Threads(s *System) (List, error) {
	for _, k := range kernels {
		if k.present(s) {
			return k.list(s)
		}
	}
	return List{}, ErrNone
}
