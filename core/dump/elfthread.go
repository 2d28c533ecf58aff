package dump

import (
	"fmt"

	"pushmask/core"
	"pushmask/internal/cursor"
)

// Layout of struct elf_prstatus of 32-bit ARM, 148 bytes (Linux
// include/linux/elfcore.h with arch/arm's elf_gregset_t). Piksi's gcore.py and
// Mynewt write the same.
const (
	prCursigOffset = 12
	prPidOffset    = 24
	prRegsOffset   = 72
	prRegsCount    = 17  // r0-r12, sp, lr, pc, cpsr or xpsr; orig_r0 is not used
	prStatusMin    = 140 // up to and with the cpsr
)

// Layout of the ARM VFP note, 260 bytes (Linux arch/arm ptrace, user_vfp):
// d0-d31, of which d0-d15 are s0-s31, and the FPSCR.
const vfpFPSCROffset = 256

// Layout of siginfo_t as SIGSEGV and SIGBUS fill it.
const (
	sigBus           = 7
	sigSegv          = 11
	sigCodeOffset    = 8
	sigAddressOffset = 12
)

// readThreads makes a thread of each NT_PRSTATUS note.
//
// Other notes of a thread (VFP registers, signal) follow its NT_PRSTATUS in
// every known writer. A file whose first such note comes before the first
// NT_PRSTATUS is taken to put them in front throughout. A thread never gets a
// second note of a kind it has.
func (e *elfCore) readThreads() {
	var pending []note // notes in front of their NT_PRSTATUS
	inFront := false
	for _, n := range e.notes {
		if n.name == specialOwner {
			if len(e.d.threads) > 0 {
				e.lastThread().setOwn(n)
			}
			continue
		}
		switch n.typ {
		case ntPRStatus:
			if !e.addThread(n) {
				continue
			}
			for _, p := range pending {
				e.lastThread().extend(p)
			}
			pending = nil
		case ntARMVFP, ntSigInfo:
			if len(e.d.threads) == 0 {
				inFront = true
			}
			if inFront {
				pending = append(pending, n)
			} else {
				e.lastThread().extend(n)
			}
		}
	}
	if len(e.d.threads) > 0 {
		for _, p := range pending {
			e.lastThread().extend(p)
		}
	}
}

func (e *elfCore) lastThread() *thread { return &e.d.threads[len(e.d.threads)-1] }

// addThread adds the thread of an NT_PRSTATUS note, named "CORE", ".reg"
// (Mynewt) or like the task (NuttX). Owners whose type 1 is something else
// are passed over.
func (e *elfCore) addThread(n note) bool {
	if n.name == "GNU" || n.name == "LINUX" || n.name == "GDB" {
		return false
	}
	if n.size < prStatusMin {
		e.d.warnf("an NT_PRSTATUS note of %d bytes is too short for ARM registers and is left out", n.size)
		return false
	}
	t := thread{}
	head := cursor.New("ELF core", n.desc)
	head.Skip(prCursigOffset)
	t.Signal = int(head.U16())
	head.Skip(prPidOffset - prCursigOffset - 2)
	t.ID = core.ThreadID(int32(head.U32()))
	head.Skip(prRegsOffset - prPidOffset - 4)
	for i := range prRegsCount {
		if v := head.U32(); head.Err() == nil {
			t.regs.Set(core.R0+core.Reg(i), v)
		}
	}
	e.d.threads = append(e.d.threads, t)
	e.threadNotes = append(e.threadNotes, n)
	return true
}

// extend adds what a note besides NT_PRSTATUS says of the thread.
func (t *thread) extend(n note) {
	switch n.typ {
	case ntARMVFP:
		t.setVFP(n.desc)
	case ntSigInfo:
		t.setSignal(n.desc)
	}
}

func (t *thread) setVFP(desc []byte) {
	if t.regs.Has(core.S0) {
		return
	}
	c := cursor.New("ELF core", desc)
	for i := range core.Reg(32) {
		if v := c.U32(); c.Err() == nil {
			t.regs.Set(core.S0+i, v)
		}
	}
	c.Skip(vfpFPSCROffset - c.Off())
	if v := c.U32(); c.Err() == nil {
		t.regs.Set(core.FPSCR, v)
	}
}

// setSignal takes the fault address of a SIGSEGV or SIGBUS that the kernel
// raised: si_code is positive then, and si_addr is an address of data.
func (t *thread) setSignal(desc []byte) {
	c := cursor.New("ELF core", desc)
	signo := int32(c.U32())
	c.Skip(sigCodeOffset - 4)
	code, addr := int32(c.U32()), c.U32()
	if c.Err() != nil || t.HasFaultAddr {
		return
	}
	if t.Signal == 0 {
		t.Signal = int(signo)
	}
	if (signo == sigSegv || signo == sigBus) && code > 0 {
		t.FaultAddr, t.HasFaultAddr = core.Addr(addr), true
	}
}

// noteName names a note for warnings.
func noteName(n note) string {
	if s, ok := noteTypeNames[n.typ]; ok {
		return s
	}
	return fmt.Sprintf("%q type %#x", n.name, n.typ)
}

var noteTypeNames = map[uint32]string{
	ntPRStatus: "NT_PRSTATUS", ntPRPSInfo: "NT_PRPSINFO", ntAuxv: "NT_AUXV", ntARMVFP: "NT_ARM_VFP",
	ntSigInfo: "NT_SIGINFO", ntFile: "NT_FILE", ntGDBTDesc: "NT_GDB_TDESC", ntNuttXInfo: "NuttX",
}
