package session

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"pushmask/core"
	"pushmask/core/dump"
	"pushmask/core/exc"
	"pushmask/elfsym"
)

// compareLimit bounds the bytes of a dump that are compared with the images,
// in blocks of compareBlock spread evenly over what both have.
const (
	compareLimit = 1 << 20
	compareBlock = 4 << 10
)

// mismatch is a sign that a dump does not belong to the images.
type mismatch struct {
	text string // "" for none
	// clear says that it leaves no doubt. The others are doubtful: flash may have
	// been patched, a register may be ruined by the crash itself.
	clear bool
}

// compare looks for signs that a dump does not belong to the images, the surest
// first, and returns the first that it finds: the others could only say it
// again.
func (s *Session) compare(ctx context.Context, d *dump.Dump) mismatch {
	if s.program.images.Empty() {
		return mismatch{}
	}
	if text := s.checkBuildID(d); text != "" {
		return mismatch{text, true}
	}
	if text := s.checkProfile(); text != "" {
		return mismatch{text, true}
	}
	if m := s.compareCode(ctx, d.Regions); m.text != "" {
		return m
	}
	for _, check := range []func() string{
		s.checkVectors,
		func() string { return s.checkRegisters(ctx) },
		func() string { return s.checkEntry(d) },
		func() string { return s.checkHandler(ctx) },
		func() string { return s.checkStack(ctx) },
	} {
		if text := check(); text != "" {
			return mismatch{text: text}
		}
	}
	return mismatch{}
}

// Mismatch says why the artefact is not of the images, "" unless that is beyond
// doubt: another build id, other code, another architecture profile. What
// follows from such a pair is not true.
func (s *Session) Mismatch() string {
	if !s.mismatch.clear {
		return ""
	}
	return s.mismatch.text
}

// checkBuildID compares the build id of the dump, which may be the beginning of
// one, with those of the images.
func (s *Session) checkBuildID(d *dump.Dump) string {
	const shortest = 4 // bytes that tell builds apart
	var other []byte
	for _, m := range s.program.images.Images() {
		ours := m.BuildID()
		n := min(len(ours), len(d.BuildID))
		switch {
		case n < shortest:
		case bytes.Equal(ours[:n], d.BuildID[:n]):
			return ""
		case other == nil:
			other = ours
		}
	}
	if other == nil {
		return ""
	}
	return fmt.Sprintf("the dump does not match the ELF: it is of the build %x, the ELF of %x%s", d.BuildID, other, wrongImage)
}

// wrongImage says what to do about a mismatch.
const wrongImage = "; names and lines may be wrong: use the ELF of the build that crashed"

// block is a range of addresses that both dump and image hold.
type block struct {
	of   *elfsym.Image
	addr core.Addr
	size int
}

// surelyOther is how many bytes of code have to differ for a clear mismatch: a
// breakpoint in a few bytes of code is none.
const surelyOther = 32

// difference counts the read-only bytes of an image that the dump has as well.
type difference struct {
	of                  *elfsym.Image
	compared, differing int
	first               core.Addr // that differs
}

// compareCode compares the read-only bytes of each image with those that the
// dump has at the same addresses: a boot loader of another build is small beside
// the application.
func (s *Session) compareCode(ctx context.Context, held []dump.Region) mismatch {
	var list []difference
	for _, b := range sampled(s.commonBlocks(held)) {
		if ctx.Err() != nil {
			break
		}
		n := slices.IndexFunc(list, func(d difference) bool { return d.of == b.of })
		if n < 0 {
			n, list = len(list), append(list, difference{of: b.of})
		}
		d := &list[n]
		at, compared, bad := s.compareAt(b)
		d.compared += compared
		if bad > 0 && d.differing == 0 {
			d.first = at
		}
		d.differing += bad
	}
	var worst mismatch
	for i := range list {
		if m := s.judge(&list[i]); worst.text == "" || m.clear && !worst.clear {
			worst = m
		}
	}
	return worst
}

// judge says what a difference means.
func (s *Session) judge(d *difference) mismatch {
	if d.differing == 0 {
		return mismatch{}
	}
	image := "the ELF"
	if len(s.program.images.Images()) > 1 {
		image = s.program.images.Name(d.of)
	}
	facts := fmt.Sprintf("%d of %d bytes of code and constants differ, the first at %v", d.differing, d.compared, d.first)
	if d.differing < d.compared/100 {
		return mismatch{text: "the dump differs a little from " + image + ": " + facts +
			"; breakpoints or data that the firmware keeps in flash do that, and so does an ELF of another build"}
	}
	return mismatch{"the dump does not match " + image + ": " + facts + wrongImage, d.differing >= surelyOther}
}

// sampled leaves compareLimit bytes of blocks, evenly spread.
func sampled(blocks []block) []block {
	limit := compareLimit / compareBlock
	if len(blocks) <= limit {
		return blocks
	}
	for i := range limit {
		blocks[i] = blocks[i*len(blocks)/limit]
	}
	return blocks[:limit]
}

// compareAt counts the bytes that differ in a block and returns the address of
// the first one.
func (s *Session) compareAt(b block) (first core.Addr, compared, differing int) {
	var got, want [compareBlock]byte
	n, _ := s.target.Memory().ReadAt(b.addr, got[:b.size])
	m, _ := s.program.rom.ReadAt(b.addr, want[:b.size])
	n = min(n, m)
	if bytes.Equal(got[:n], want[:n]) {
		return 0, n, 0
	}
	for i := range n {
		if got[i] == want[i] {
			continue
		}
		if differing == 0 {
			first = b.addr + core.Addr(i)
		}
		differing++
	}
	return first, n, differing
}

// commonBlocks lists what dump and image both hold, in blocks.
func (s *Session) commonBlocks(held []dump.Region) []block {
	var list []block
	for _, seg := range s.program.images.Segments() {
		if seg.Write { // may have changed since the start
			continue
		}
		lo, hi := uint64(seg.Addr), uint64(seg.Addr)+uint64(seg.FileSize)
		for _, r := range held {
			from := max(lo, uint64(r.Addr))
			to := min(hi, uint64(r.Addr)+uint64(r.Size))
			for ; from < to; from += compareBlock {
				list = append(list, block{s.program.images.At(uint32(from)), core.Addr(from), int(min(to-from, compareBlock))})
			}
		}
	}
	return list
}

// vtor is the address of the vector table offset register (Armv7-M ARM
// B3.2.5).
const vtor core.Addr = 0xe000ed08

// checkVectors checks that the vector table in use starts programs of this
// image: its reset vector must lie in the image's code (Armv7-M ARM B1.5.3).
func (s *Session) checkVectors() string {
	if s.profile != core.ProfileM {
		return ""
	}
	table, err := core.ReadU32(s.target.Memory(), vtor)
	if err != nil {
		return ""
	}
	reset, err := core.ReadU32(s.memory, core.Addr(table)+4)
	if err != nil {
		return ""
	}
	entry, thumb := core.CodeAddr(reset)
	if thumb && s.program.contentAt(entry) == contentCode {
		return ""
	}
	return fmt.Sprintf("the dump does not match the ELF: the reset vector in use is 0x%08x (table at 0x%08x), which is no code of the ELF%s",
		reset, table, wrongImage)
}

// checkRegisters checks that some thread of the target stands in code of the
// image or was called from it. Threads that were found in memory do by the way
// they are found.
func (s *Session) checkRegisters(ctx context.Context) string {
	const excReturn = 0xff000000 // EXC_RETURN values (Armv8-M ARM B3.20)
	own := 0
	for _, t := range s.threads {
		if _, ok := s.system.saved[t.ID]; ok {
			continue
		}
		regs, err := s.target.Registers(ctx, t.ID)
		if err != nil || !regs.Has(core.PC) && !regs.Has(core.LR) {
			continue
		}
		own++
		pc, _ := core.CodeAddr(regs.Value(core.PC))
		lr := regs.Value(core.LR)
		caller, _ := core.CodeAddr(lr)
		if lr >= excReturn || s.program.contentAt(pc) == contentCode || s.program.contentAt(caller) == contentCode {
			return ""
		}
	}
	if own == 0 {
		return ""
	}
	return "the dump does not match the ELF: no thread has a PC or LR in its code" + wrongImage
}

// checkStack looks at the first frames of the crashed thread: where not one
// caller is proven by a call instruction, and not for want of memory or
// registers, the code is not the one that ran, or the stack is overwritten.
func (s *Session) checkStack(ctx context.Context) string {
	const first = 4
	if len(s.threads) == 0 {
		return ""
	}
	k, err := s.Stack(s.threads[0].ID)
	if err != nil {
		return ""
	}
	frames, err := k.Frames(ctx, 0, first)
	if err != nil {
		return ""
	}
	for _, f := range frames {
		if t := f.Core.Trust; t != core.TrustContext && t != core.TrustException && !t.Guess() {
			return ""
		}
	}
	faults, _ := exc.ReadFaults(s.target.Memory())
	switch stop := k.Stop(); {
	case faults.FrameUntrue(): // there is no frame to fit
	case slices.Contains([]core.StopKind{core.StopNotProven, core.StopCFANotGrow, core.StopBadException}, stop.Kind):
		return fmt.Sprintf("the stack does not fit the ELF (%s): the ELF is of another build than the firmware that crashed, it is not all of it (a boot loader or a ROM has an ELF of its own), or the stack was overwritten",
			stop.Detail)
	}
	return ""
}
