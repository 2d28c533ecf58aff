package dump

import (
	"path/filepath"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/exc"
	"pushmask/core/memmap"
)

// complete adds the other parts of the crash to what one file holds of it, and
// says what is missing then.
func (d *Dump) complete(opt *Options) error {
	for _, src := range opt.More {
		if err := d.addFile(src); err != nil {
			return err
		}
	}
	d.setRegisters(opt.Set)
	if len(d.Regions) == 0 {
		d.warnf("the dump holds no memory")
	}
	if len(d.threads) == 0 {
		d.warnf("the dump holds no registers")
	}
	return nil
}

// addFile adds what another file holds of the crash.
func (d *Dump) addFile(src Source) error {
	part, err := openPath(src.Path, &Options{Base: src.Base, HasBase: src.HasBase})
	if err != nil {
		return &PartError{src.Path, err}
	}
	d.add(part, filepath.Base(src.Path))
	return nil
}

// add adds a part. What d has itself counts over it.
func (d *Dump) add(part *Dump, name string) {
	d.files = append(d.files, part.files...)
	d.Format += " + " + part.Format
	for _, w := range part.Warnings {
		d.warnf("%s: %s", name, w)
	}
	for _, u := range part.Unplaced {
		d.Unplaced = append(d.Unplaced, name+": "+u)
	}
	d.addMemory(part)
	switch {
	case len(d.threads) == 0:
		d.threads = part.threads
		d.profile = part.profile
	case len(part.threads) > 0 && !d.threads[0].regs.Has(core.PC):
		for r := range core.Reg(core.NumRegs) {
			if v, ok := part.threads[0].regs.Get(r); ok && !d.threads[0].regs.Has(r) {
				d.threads[0].regs.Set(r, v)
			}
		}
	case len(part.threads) > 0:
		d.blame(crash.Thread{Thread: part.threads[0].Thread, Regs: part.threads[0].regs})
		d.warnf("%s has registers as well: those of the first file are used", name)
	}
	if d.Arm == (exc.ArmFaults{}) {
		d.Arm = part.Arm
	}
	if d.Cause == "" && d.Backtrace == nil {
		d.Told = part.Told
	}
	if len(d.BuildID) == 0 {
		d.BuildID = part.BuildID
	}
}

// addMemory puts the memory of a part below what is there.
func (d *Dump) addMemory(part *Dump) {
	if len(part.Regions) == 0 {
		return
	}
	below, all := new(memmap.Map), new(memmap.Map)
	for _, r := range part.Regions {
		below.AddMemory(r.Addr, uint64(r.Size), part.Memory())
		all.AddMemory(r.Addr, uint64(r.Size), part.Memory())
	}
	memory := core.Memory(&d.mem)
	if d.joined != nil {
		memory = d.joined
	}
	for _, r := range d.Regions {
		all.AddMemory(r.Addr, uint64(r.Size), memory)
	}
	d.joined = memmap.Over(memory, below)
	d.Regions = nil
	d.listRegions(all)
}

// setRegisters sets registers of the crashed thread that the user knows.
func (d *Dump) setRegisters(set core.Regs) {
	if set.Empty() {
		return
	}
	if len(d.threads) == 0 {
		d.threads = []thread{{Thread: core.Thread{ID: 1, Crashed: true}}}
		if v, ok := set.Get(core.PSR); ok {
			d.profile, _ = psrProfile(v)
		}
	}
	for r := range core.Reg(core.NumRegs) {
		if v, ok := set.Get(r); ok {
			d.threads[0].regs.Set(r, v)
		}
	}
}
