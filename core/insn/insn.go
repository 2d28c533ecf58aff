// Package insn describes what one machine instruction does, independent of
// its encoding: how control flow goes on, and how it moves SP, saves or
// restores registers or computes values the unwinder follows. core/thumb and
// core/a32 produce it, core/unwind interprets it, and core/session uses it to
// list instructions. It decodes nothing itself.
package insn

import "pushmask/core"

// Flow says where control goes after an instruction.
type Flow uint8

// The kinds of control flow.
const (
	FlowNext    Flow = iota // to the next instruction (SVC, BKPT, WFI included)
	FlowBranch              // to Target; and to the next one if conditional
	FlowCall                // BL/BLX immediate: Target runs and comes back
	FlowCallReg             // BLX/BLXNS register: Rm
	FlowReg                 // BX/BXNS/BXAUT/mov pc: to the address in Rm
	FlowLoad                // PC is loaded from memory (pop {pc}, ldr pc, ldm ..pc)
	FlowTable               // TBB/TBH, Rn base and Rm index; Size says the entry size via Scale
	FlowTrap                // UDF: control does not go on
	FlowOther               // PC is written in another way (add pc, rX; exception return rfe/eret/subs pc, lr)
	FlowUndef               // not an instruction of any supported architecture
)

// Cond is a condition code of the Arm ARM's "condition field" (0 EQ .. 14 AL).
type Cond uint8

// Conditions with a special role.
const (
	EQ Cond = 0
	NE Cond = 1
	CS Cond = 2
	CC Cond = 3
	HI Cond = 8
	LS Cond = 9
	AL Cond = 14
	// CondReg marks CBZ, CBNZ and the low-overhead loop branches, whose
	// condition is a register value.
	CondReg Cond = 16
)

// Op is the semantic class of an instruction. OpOther has no effect that is
// modelled beyond Defs and Flow.
type Op uint8

// The semantic classes. "Rd = ..." holds for the executed instruction; in an
// IT block or with Cond != AL it may not execute.
const (
	OpOther      Op = iota
	OpMove          // Rd = Rm
	OpConst         // Rd = Imm (mov, mvn, movw; Imm is the final value)
	OpMovTop        // Rd = Imm<<16 | Rd&0xffff (movt)
	OpAdd           // Rd = Rn + Imm (add, sub, adr, addw, subw; Imm is signed; Rn is PC for adr: base Align(PC,4))
	OpAddReg        // Rd = Rn + Rm<<Shift (Shift is LSL amount)
	OpSubReg        // Rd = Rn - Rm<<Shift
	OpRsb           // Rd = Imm - Rn (rsbs/negs)
	OpAnd           // Rd = Rn & Imm (and, bic, bfc of a constant)
	OpOrr           // Rd = Rn | Imm
	OpLsl           // Rd = Rm << Imm
	OpLsr           // Rd = Rm >> Imm (logical)
	OpCmp           // flags from Rn - Imm
	OpLoad          // Rd = word at address (see Mem); Rd is PC for FlowLoad
	OpStore         // word at address = Rd
	OpLoadDual      // Rd, Rd2 = two words at address
	OpStoreDual     // two words at address = Rd, Rd2
	OpLoadMulti     // registers in List from Rn (see Mem.Mode), LDM/POP
	OpStoreMulti    // registers in List to Rn, STM/PUSH
	OpVLoad         // FP registers from Rn: Words words, first S register VFirst (VLDM/VPOP)
	OpVStore        // FP registers to Rn (VSTM/VPUSH)
	OpLoadSub       // Rd = byte/halfword/signed load: value not followed, address still moves Rn
	OpStoreSub      // byte/halfword store of Rd
	OpIT            // IT block: Cond is the first condition, Imm the 4-bit mask
	OpMRS           // Rd = special register Imm (SYSm)
	OpMSR           // special register Imm (SYSm) = Rn
	OpVSave         // VLSTM: saves FP context at Rn, no writeback
	OpVRestore      // VLLDM
	OpSVC           // supervisor call, Imm is the number
	OpBKPT          // breakpoint, Imm is the number
	OpPAC           // PAC/PACBTI/PACG: return address signed, code to Rd (R12)
	OpAUT           // AUT/AUTG
	OpVMove         // Rd = S register VFirst or back; only Defs is modelled
	OpMode          // the core changes to mode Imm (CPS, MSR of a constant)
	OpSRS           // LR and SPSR to the stack of mode Imm, by Multi and Writeback
)

// SavedStatus is the number that stands for SPSR in MRS and MSR.
const SavedStatus = 0x100

// Index is the addressing mode of a single load or store.
type Index uint8

// The addressing modes: address used and writeback.
const (
	Offset    Index = iota // [Rn, #Imm]
	PreIndex               // [Rn, #Imm]!
	PostIndex              // [Rn], #Imm
	RegOffset              // [Rn, Rm, lsl #Shift]
)

// Multi is the address mode of a multiple load or store.
type Multi uint8

// The modes of LDM and STM: increment or decrement, after or before.
const (
	IA Multi = iota
	DB
	IB
	DA
)

// Inst is one decoded instruction.
type Inst struct {
	Addr  core.Addr // address it was decoded at, bit 0 clear
	Raw   uint32    // encoding; 32-bit T32: first halfword in the upper half
	Size  uint8     // bytes: 2 or 4
	Thumb bool
	Op    Op
	Flow  Flow
	// Cond is the condition in the encoding itself (A32, T32 B<c>), CondReg
	// for CBZ/CBNZ, AL otherwise. Conditions of an IT block are the caller's
	// to apply.
	Cond Cond
	// Target is the destination of FlowBranch and FlowCall.
	Target core.Addr
	// TargetThumb is the state Target runs in.
	TargetThumb bool

	Rd, Rd2, Rn, Rm core.Reg // core.NoReg when absent
	Imm             int32    // immediate, sign applied
	Shift           uint8    // LSL amount of Rm
	Scale           uint8    // FlowTable: bytes per table entry, 1 or 2
	List            uint16   // register mask of multiple transfers
	Index           Index
	Multi           Multi
	Writeback       bool
	VFirst          uint8 // first S register of a VFP transfer
	Words           uint8 // words transferred by a VFP transfer (FSTMX included)
	// UserBank says that a multiple transfer (its List, or the Defs of a load) is
	// of the SP and LR of User mode.
	UserBank bool
	// ExceptionReturn says that CPSR is loaded with PC (RFE, SUBS PC, LDM with PC
	// and ^, ERET); Flow is FlowOther then.
	ExceptionReturn bool
	// Defs is the mask of r0-r15 that the instruction may write, base
	// writeback and LR of calls included (caller-saved registers that a
	// callee destroys are not).
	Defs uint16
}

// Conditional reports whether the encoding itself makes execution conditional.
func (i *Inst) Conditional() bool { return i.Cond != AL }

// Next returns the address of the following instruction.
func (i *Inst) Next() core.Addr { return i.Addr + core.Addr(i.Size) }
