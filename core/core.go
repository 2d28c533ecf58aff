// Package core is the vocabulary that every other package of pushmask speaks:
// addresses, ARM registers, memory, stopped targets, threads, frames and the
// reasons a stack ends. It holds no behaviour beyond small accessors and
// imports nothing but the standard library.
package core

import (
	"context"
	"fmt"
)

// Addr is an address in the 32-bit address space of the target. Code
// addresses never carry the Thumb bit (bit 0); see [CodeAddr].
type Addr uint32

// String formats the address as 0x and eight hexadecimal digits.
func (a Addr) String() string { return fmt.Sprintf("0x%08x", uint32(a)) }

// CodeAddr splits a code pointer (a saved LR, a vector, a function pointer)
// into its address and the instruction set state that bit 0 selects
// (Arm ARM, interworking branches: bit 0 set means T32).
func CodeAddr(v uint32) (a Addr, thumb bool) { return Addr(v &^ 1), v&1 != 0 }

// Profile tells the two families of 32-bit ARM that pushmask knows.
type Profile uint8

// The profiles. M-profile cores execute T32 only and stack registers in
// hardware on exception entry; A- and R-profile cores do neither.
const (
	ProfileM Profile = iota
	ProfileA
)

// String returns "M" or "A/R".
func (p Profile) String() string {
	if p == ProfileM {
		return "M"
	}
	return "A/R"
}

// ThreadID names a thread of a target. IDs are positive and stable while the
// target is open.
type ThreadID int

// Thread is one thread of execution of a stopped target. Listing threads does
// not unwind them.
type Thread struct {
	ID      ThreadID
	Name    string // "" when the artefact does not name it
	Crashed bool   // the thread that crashed, or the one that was running
	// CPU is the number of the core that the thread is, or runs on, from 1; 0
	// where the machine has one core or does not tell.
	CPU int
	// Signal is the POSIX signal number that the artefact reports for this
	// thread, 0 when it reports none.
	Signal int
	// FaultAddr is the data address a Linux SIGINFO note reports.
	FaultAddr    Addr
	HasFaultAddr bool
	// Faulted says that the registers are those of the instruction that
	// faulted, restored from the exception frame, and not those of a handler.
	Faulted bool

	// What the operating system knows of the thread, as far as it is readable.
	State       string // in the system's words: "ready", "suspended"
	Waits       string // what it waits for: "queue 0x20000460", "semaphore rx_done"
	Priority    int    // in the system's numbers; valid when HasPriority
	HasPriority bool
	// BasePriority is the priority without what was inherited from waiters;
	// valid when HasPriority.
	BasePriority int
	Stack        Stack
}

// Stack is the memory that a thread's stack was given.
type Stack struct {
	Low, High Addr // bounds, High exclusive; both 0 when not known
	// Used is how many bytes of it were ever used, told by the fill pattern
	// below; valid when HasUsed.
	Used    uint32
	HasUsed bool
}

// Known reports whether the bounds are known.
func (s Stack) Known() bool { return s.High > s.Low }

// Target is a stopped machine: at rest (a dump) or alive (a stub). What a
// target can do beyond being read is found by type assertion.
type Target interface {
	// Memory returns the target's memory as it is held by the target itself,
	// without anything added from an ELF.
	Memory() Memory
	// Profile returns the architecture profile of the registers.
	Profile() Profile
	// Threads lists the threads, the crashed or running one first.
	Threads(ctx context.Context) ([]Thread, error)
	// Registers returns the registers of a thread at the stop.
	Registers(ctx context.Context, id ThreadID) (Regs, error)
}
