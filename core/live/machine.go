// Package live is a running or halted machine behind a GDB stub, seen as a
// [core.Target] while it is halted: registers and memory are read once for each
// stop. It knows addresses and nothing of source code.
package live

import (
	"context"
	"fmt"

	"pushmask/core"
	"pushmask/core/gdbremote"
)

// Machine is the machine behind a stub. It is not safe for concurrent use: its
// user owns it, and may end the context of a run from elsewhere.
type Machine struct {
	client  *gdbremote.Client
	profile core.Profile
	memory  *cache
	points  points
	threads threads
	regs    map[core.ThreadID]core.Regs // of this stop
	all     map[core.ThreadID]core.Regs // of this stop, what AllRegisters read
	noPSP   bool                        // the stub does not tell the stack pointer of threads
	banks   []core.Reg                  // that are asked for too, see SetSecurity
}

// New takes over a client whose target is halted. The profile is that of the
// image, which knows better than the stub.
func New(client *gdbremote.Client, profile core.Profile) *Machine {
	return &Machine{
		client:  client,
		profile: profile,
		memory:  &cache{client: client, profile: profile},
		points:  points{client: client, held: make(map[Point]*held)},
		regs:    make(map[core.ThreadID]core.Regs),
		all:     make(map[core.ThreadID]core.Regs),
	}
}

var _ core.Target = (*Machine)(nil)

// Client returns the connection.
func (m *Machine) Client() *gdbremote.Client { return m.client }

// Memory implements core.Target. What was read is remembered until the machine
// goes on; device memory is read each time it is asked for.
func (m *Machine) Memory() core.Memory { return m.memory }

// Profile implements core.Target.
func (m *Machine) Profile() core.Profile { return m.profile }

// Registers implements core.Target. In a handler of an M-profile core, where SP
// is the main stack, it asks for the stack pointer of threads too.
func (m *Machine) Registers(ctx context.Context, id core.ThreadID) (core.Regs, error) {
	if regs, ok := m.regs[id]; ok {
		return regs, nil
	}
	if err := ctx.Err(); err != nil {
		return core.Regs{}, err
	}
	ctx = context.WithoutCancel(ctx) // an exchange that is cut off ends the connection
	name := m.threads.nameOf(id)
	wanted := append([]core.Reg{core.PSR}, m.banks...) // st-util's "g" ends with PC
	regs, err := m.client.RegistersOf(ctx, name, wanted...)
	if err == nil && m.profile == core.ProfileM && regs.Value(core.PSR)&ipsr != 0 && !regs.Has(core.PSP) && !m.noPSP {
		regs, err = m.client.RegistersOf(ctx, name, append(wanted, core.MSP, core.PSP)...)
		m.noPSP = err == nil && !regs.Has(core.PSP)
	}
	if err != nil {
		return core.Regs{}, fmt.Errorf("read registers: %w", err)
	}
	m.regs[id] = regs
	return regs, nil
}

// AllRegisters is Registers with those that many stubs have beside their "g": of
// the FPU and the special ones of M-profile. Each takes an exchange.
func (m *Machine) AllRegisters(ctx context.Context, id core.ThreadID) (core.Regs, error) {
	if regs, ok := m.all[id]; ok {
		return regs, nil
	}
	if err := ctx.Err(); err != nil {
		return core.Regs{}, err
	}
	wanted := append([]core.Reg{core.PSR}, m.banks...)
	for r := core.PSR + 1; int(r) < core.NumRegs; r++ {
		wanted = append(wanted, r)
	}
	regs, err := m.client.RegistersOf(context.WithoutCancel(ctx), m.threads.nameOf(id), wanted...)
	if err != nil {
		return core.Regs{}, fmt.Errorf("read all registers: %w", err)
	}
	m.all[id] = regs
	return regs, nil
}

// HasRegister reports whether the target may have a register of a thread. Nothing
// is read.
func (m *Machine) HasRegister(ctx context.Context, id core.ThreadID, r core.Reg) bool {
	return m.client.HasRegister(ctx, m.threads.nameOf(id), r)
}

// SetSecurity says that code of both security states of an Armv8-M core is of
// interest: the stack pointers of each are read where the stub has them.
func (m *Machine) SetSecurity() {
	m.banks = []core.Reg{core.MSPS, core.PSPS, core.MSPNS, core.PSPNS}
}

// ipsr is the exception number in xPSR (Armv7-M ARM B1.4.2).
const ipsr = 0x1ff

// Forget drops what was read at this stop: somebody has changed the machine, as
// a command to the server does.
func (m *Machine) Forget() {
	clear(m.regs)
	clear(m.all)
	m.memory.clear()
}

// Continue lets all threads run until one stops by itself or ctx ends, which
// interrupts them.
func (m *Machine) Continue(ctx context.Context) (gdbremote.Stop, error) {
	return m.resume(ctx, gdbremote.Action{Kind: gdbremote.ContinueAction})
}

// Step runs one instruction of a thread. The others stay halted, where the stub
// can do that.
func (m *Machine) Step(ctx context.Context, id core.ThreadID) (gdbremote.Stop, error) {
	return m.resume(ctx, gdbremote.Action{Kind: gdbremote.StepAction, Thread: m.threads.choice(id)})
}

func (m *Machine) resume(ctx context.Context, a gdbremote.Action) (gdbremote.Stop, error) {
	m.Forget()
	stop, err := m.client.Resume(ctx, a)
	if err != nil || stop.Kind != gdbremote.StopSignal {
		return stop, err
	}
	m.threads.stopped(stop.Thread)
	if whole(&stop.Registers) && len(m.banks) == 0 {
		m.regs[m.threads.current()] = stop.Registers
	}
	return stop, nil
}

// whole reports whether a stop told all that "g" would.
func whole(regs *core.Regs) bool {
	for r := core.R0; r <= core.PSR; r++ {
		if !regs.Has(r) {
			return false
		}
	}
	return true
}

// Close ends the session; the machine runs on when run is set and stays halted
// otherwise.
func (m *Machine) Close(ctx context.Context, run bool) error {
	if run {
		return m.client.Detach(ctx)
	}
	return m.client.Close()
}
