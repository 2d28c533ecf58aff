package oracle

import (
	"context"
	"errors"
	"fmt"

	"pushmask/core"
	"pushmask/core/coretest"
	"pushmask/core/gdbremote"
)

// Symbols of the firmware that the oracle knows (testdata/oracle/board).
const (
	endSymbol    = "oracle_end" // the run ends here
	dataSymbol   = "__data_start"
	bssEndSymbol = "__bss_end"
	armReturn    = "_arm_return" // libgcc's way back from A32 code to T32 code
)

// Functions that the oracle knows.
var (
	threadSymbols = []string{"oracle_thread", "ns_thread"} // nobody called them
	switchSymbols = []string{"enter_thread", "ns_enter"}   // change stacks half-way
	resetSymbols  = []string{"Reset_Handler"}              // a boot loader jumped there, or secure code called
)

// stackTops are symbols for the upper ends of stacks; stackSize is the room
// below each, bytes.
var stackTops = []string{
	"__stack_top", "__process_stack_top", nonSecureTop, "__ns_process_stack_top",
	"__irq_stack_top", "__supervisor_stack_top", "__abort_stack_top",
}

const stackSize = 64 << 10

// Loaded is an ELF that runs Bias bytes from where it is linked.
type Loaded struct {
	ELF  string
	Bias uint32
}

// Config is a run of a firmware.
type Config struct {
	ELF     string
	Machine string
	CPU     string // "" for the machine's own
	// More are further ELFs of the firmware, which Args, arguments of QEMU, load.
	More []Loaded
	Args []string
	// Variables has samples hold all variables: of firmware whose stacks lie there.
	Variables bool
	// FarBranches says that the code is T32 without B.W (v6-M, v4T), where gcc
	// uses BL as a branch with a long range.
	FarBranches bool
	Steps       int // at most this many instructions
	PerPC       int // at most this many samples of one PC
}

// Result counts what a run saw.
type Result struct {
	Steps   int
	Samples int
	// LeftOut counts the stops at new PCs that have two right answers: inside of
	// a local subroutine that never came back, half-way through longjmp, and where
	// code on the main stack starts the first thread and does not go on itself.
	LeftOut int
	// Ended reports whether the firmware came to its end.
	Ended bool
	// Skipped counts frames that vanished without a return: mistakes of the
	// oracle, and then of the truth.
	Skipped int
}

// recorder is one run.
type recorder struct {
	cfg    Config
	prog   *program
	client *gdbremote.Client
	shadow shadow
	seen   map[uint64]int
	give   func(*coretest.Sample) error
	queue  []pending
	// variables are the bounds of .data and .bss, where samples hold them.
	variables [2]uint32
	banks     modeBanks
	result    Result
}

// pending is a sample whose frames are not all certain.
type pending struct {
	sample *coretest.Sample
	frames []*activation // oldest first
}

// Run starts QEMU, steps the firmware to its end or to the limit, and calls
// give with a sample at every PC that is new.
func Run(ctx context.Context, cfg Config, give func(*coretest.Sample) error) (Result, error) {
	prog, err := readProgram(append([]Loaded{{ELF: cfg.ELF}}, cfg.More...)...)
	if err != nil {
		return Result{}, err
	}
	m, err := startMachine(ctx, cfg)
	if err != nil {
		return Result{}, err
	}
	defer m.stop()
	r := &recorder{cfg: cfg, prog: prog, client: m.client, seen: make(map[uint64]int), give: give}
	profile, _ := m.client.Profile()
	prog.arm = profile == core.ProfileA
	r.shadow.prog, r.shadow.farBranches = prog, cfg.FarBranches
	if prog.symbols[nonSecureTop] != 0 {
		r.shadow.divide(prog)
	}
	if cfg.Variables {
		r.variables = [2]uint32{prog.symbols[dataSymbol], prog.symbols[bssEndSymbol]}
	}
	err = r.run(ctx)
	r.result.Skipped = r.shadow.skipped
	return r.result, err
}

func (r *recorder) run(ctx context.Context) error {
	end := r.prog.symbols[endSymbol] &^ 1
	regs, err := r.client.Registers(ctx)
	if err != nil {
		return err
	}
	at := r.prog.state(regs)
	for r.result.Steps < r.cfg.Steps {
		if at.pc == end {
			r.result.Ended = true
			break
		}
		if err := r.sample(ctx, at); err != nil {
			return err
		}
		was := regs
		if _, err := r.client.Step(ctx); err != nil {
			return fmt.Errorf("step at %#x: %w", at.pc, err)
		}
		if regs, err = r.client.Registers(ctx); err != nil {
			return err
		}
		before := at
		at = r.prog.state(regs)
		if r.prog.arm {
			r.banks.follow(r.prog, before, at, &was)
		}
		r.result.Steps++
		err := r.shadow.step(before, at, func(a uint32, p []byte) error { return r.readMemory(ctx, at, a, p) })
		if err != nil {
			return fmt.Errorf("read the exception frame of step %d: %w", r.result.Steps, err)
		}
		if r.prog.startsAt(at.pc, threadSymbols) || r.prog.startsAt(at.pc, resetSymbols) && r.shadow.startsAnew() {
			r.shadow.lose(0)
		}
		if err := r.readFloats(ctx); err != nil {
			return err
		}
	}
	return r.flush(true)
}

func (p *program) state(regs core.Regs) state {
	pc := regs.Value(core.PC) &^ 1
	return state{
		pc: pc, sp: regs.Value(core.SP), lr: regs.Value(core.LR), psr: regs.Value(core.PSR),
		special: p.specialAt(pc, &regs),
		regs:    &regs,
	}
}

// wanted decides on a sample at this stop: a PC that is new, or a new pair of
// a handler's first instruction and the place it interrupted.
func (r *recorder) wanted(at state) bool {
	if r.result.Steps == 0 || !r.shadow.onStack(at) || r.shadow.inexact() {
		return false
	}
	if r.prog.within(at.pc, switchSymbols) {
		return false
	}
	for _, f := range r.shadow.frames {
		if f.exception != nil && r.prog.within(f.ret, switchSymbols) {
			return false // it interrupted the change of stacks
		}
	}
	key := uint64(at.pc)
	if n := len(r.shadow.frames); n > 0 {
		if top := r.shadow.frames[n-1]; top.exception != nil && top.exception.sp == at.sp {
			key |= uint64(top.ret) << 32
		}
	}
	if r.shadow.unwinding(at) {
		if r.seen[key] == 0 {
			r.result.LeftOut++
		}
		return false
	}
	r.seen[key]++
	return r.seen[key] <= r.cfg.PerPC
}

// sample takes a snapshot where one is wanted and hands out what is certain.
func (r *recorder) sample(ctx context.Context, at state) error {
	if !r.wanted(at) {
		return nil
	}
	regs, err := r.client.Registers(ctx, allFloats...)
	if err != nil {
		return err
	}
	s := &coretest.Sample{Step: r.result.Steps, Regs: regs}
	switch {
	case r.prog.arm:
		r.banks.set(&s.Regs, at.mode())
	case r.shadow.divided:
		r.shadow.stackPointers(at, &s.Regs)
	default:
		r.shadow.fill(&s.Regs, at)
	}
	ranges := [][2]uint32{r.variables}
	for _, top := range r.prog.tops {
		ranges = append(ranges, [2]uint32{r.lowest(at, top), top})
	}
	for _, g := range ranges {
		if g[0] == g[1] {
			continue
		}
		data := make([]byte, g[1]-g[0])
		if err := r.readMemory(ctx, at, g[0], data); err != nil {
			return fmt.Errorf("read the stack at %#x: %w", g[0], err)
		}
		s.Stack = append(s.Stack, coretest.Chunk{Addr: core.Addr(g[0]), Data: data})
	}
	if !r.prog.arm && regs.Has(core.S0) {
		if s.Control, err = r.lazyStacking(ctx, at); err != nil {
			return err
		}
	}
	s.Frames = []core.Addr{core.Addr(at.pc)}
	r.queue = append(r.queue, pending{s, append([]*activation(nil), r.shadow.frames...)})
	return r.flush(false)
}

// pushedAway is what a function may have pushed, bytes, before it went on to
// another stack.
const pushedAway = 128

// lowest is where the live part of the stack below top begins.
func (r *recorder) lowest(at state, top uint32) uint32 {
	low := top
	below := uint32(0)
	if at.sp > top || top-at.sp > stackSize {
		below = pushedAway
	}
	use := func(sp uint32) {
		if sp < low && top-sp <= stackSize {
			low = sp
		}
	}
	use(at.sp)
	for _, s := range r.banks.last {
		use(s.sp)
	}
	for _, f := range r.shadow.frames {
		use(f.sp - below)
		if f.exception != nil {
			use(f.exception.frame - f.exception.additional)
		}
		if f.entered != 0 {
			use(f.sp - fncReturnFrame)
		}
	}
	return low &^ 3
}

// flush hands out the samples whose frames are certain, in order. At the end
// of the run those that never became certain are dropped.
func (r *recorder) flush(end bool) error {
	for len(r.queue) > 0 {
		head := r.queue[0]
		truth, callers, err := head.truth()
		if errors.Is(err, errOpen) && !end {
			return nil
		}
		r.queue = r.queue[1:]
		if err != nil {
			if errors.Is(err, errLost) {
				r.result.LeftOut++
			}
			continue
		}
		head.sample.Frames = append(head.sample.Frames, truth...)
		head.sample.Callers = callers
		r.result.Samples++
		if err := r.give(head.sample); err != nil {
			return err
		}
	}
	return nil
}

var (
	errOpen = errors.New("a frame is not certain yet")
	errLost = errors.New("a frame never became certain")
)

// truth lists the return addresses, youngest first, and the registers of the
// code there.
func (p pending) truth() (list []core.Addr, callers []core.Regs, err error) {
	for i := len(p.frames) - 1; i >= 0; i-- {
		switch f := p.frames[i]; f.certainty {
		case open:
			return nil, nil, errOpen
		case lost:
			return nil, nil, errLost
		case certain:
			list = append(list, core.Addr(f.ret))
			callers = append(callers, f.regs)
		}
	}
	return list, callers, nil
}
