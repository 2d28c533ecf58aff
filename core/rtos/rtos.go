// Package rtos lists the threads of real-time operating systems from symbols
// and memory alone: no knowledge of a debug probe or a stub is needed, and a
// dump and a live target are the same.
//
// # How a kernel is written
//
// A kernel is one file, or a few, with one entry in the list kernels. It finds
// out about threads and returns them as tasks; what is the same for all kernels
// (which thread the machine stopped in, use of stacks, duplicates) is done once,
// in settle.go. These are the conventions:
//
// Objects are found by the name that they have in the source, with
// [System.object]: static ones too, and ones that link-time optimisation
// renamed. Where several have the name, the kernel must tell them apart.
//
// Layouts come from DWARF where the image has it ([System.layoutOf]) and else
// from the versions of the kernel that are known ([fixed]), of which one is
// taken that memory agrees with. A kernel reads structures through a [record],
// by the names of members, and cannot tell where the layout is from. A member
// that a version or a configuration lacks is absent from the record: what it
// would have said is then unknown, and is left out.
//
// Checks come before belief. A thread is one only when it is shown to be: its
// control block is in memory, what points back to it does, its name is text.
// What fails a check is left out, with a warning when it was expected. A value
// that may be stale or was never written is not shown.
//
// Lists are walked with [System.chain], which is bounded, finds loops, and
// returns what it read before the break.
//
// Saved contexts are decoded with a [saved], which takes registers in the order
// of memory, knows the exception frame of the hardware and the floating-point
// registers, and at the end checks that the thread could go on with the result.
//
// Stacks get their bounds from the kernel; how much of one was ever used is
// told by the pattern that the kernel filled it with ([System.measure]).
//
// Wait objects are named by [System.nameOf]: the variable that is the object, or
// the one that holds its address.
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
	// Stopped are the registers of each core at the stop: those of the thread
	// that runs, or of a handler on top of it. It is empty where the artefact
	// has none.
	Stopped []core.Regs
	// Unmeasured leaves out how much of each stack was ever used: telling it
	// reads whole stacks, which costs a live target many round trips.
	Unmeasured bool

	handles map[core.Addr]string // see nameOf
}

// Thread is a thread with the registers that it goes on with.
type Thread struct {
	core.Thread // ID and Crashed are not set
	// Regs are the saved registers of a thread that does not run. They are
	// empty for one that runs: its registers are those of the core.
	Regs core.Regs
	// Running marks a thread that a core was executing, or that a handler
	// interrupted. On a multi-core system there may be several.
	Running bool
	// Core is the index in [System.Stopped] of the core that runs the thread,
	// -1 where that is not known or the thread does not run.
	Core int
	// Confined says that what an exception interrupts on the core is the thread,
	// with the process stack pointer in Stack, unless the exception is SVCall or
	// PendSV, in whose handlers the kernel switches.
	Confined bool
	Control  core.Addr // address of its control block, which names it
}

// List is what was found.
type List struct {
	Kernel   string // "FreeRTOS", "Zephyr", with a version where it is known
	Threads  []Thread
	Warnings []string
}

// ErrNone is returned where the image has no known kernel, or its kernel has
// no threads yet, or the artefact does not hold them.
var ErrNone = errors.New("no known RTOS with threads")

// kernel is one operating system.
type kernel struct {
	name string
	// present tells by symbols whether the image contains the kernel.
	present func(*System) bool
	// list reads the threads. It returns [ErrNone] where there are none yet.
	list func(*System) (*listing, error)
}

// kernels lists the known systems, those whose symbols are the most telling
// first.
var kernels = []kernel{
	{"FreeRTOS", freertosPresent, freertosThreads},
	{"Zephyr", zephyrPresent, zephyrThreads},
	{"ThreadX", threadxPresent, threadxThreads},
	{"RTX5", rtx5Present, rtx5Threads},
	{"RT-Thread", rtthreadPresent, rtthreadThreads},
	{"RIOT", riotPresent, riotThreads},
	{"NuttX", nuttxPresent, nuttxThreads},
	{"ChibiOS/RT", chibiosPresent, chibiosThreads},
	{"embOS", embosPresent, embosThreads},
	{"Mynewt", mynewtPresent, mynewtThreads},
	{"uC/OS-III", ucos3Present, ucos3Threads},
	{"uC/OS-II", ucos2Present, ucos2Threads},
}

// Threads lists the threads of the first kernel that is present and has some.
func Threads(s *System) (List, error) {
	if s.Image == nil {
		return List{}, ErrNone
	}
	for _, k := range kernels {
		if !k.present(s) {
			continue
		}
		l, err := k.list(s)
		if errors.Is(err, ErrNone) {
			continue
		}
		if err != nil {
			return List{Kernel: k.name}, err
		}
		if l.kernel == "" {
			l.kernel = k.name
		}
		return s.settle(l), nil
	}
	return List{}, ErrNone
}
