package runcontrol

import (
	"context"
	"slices"

	"pushmask/core"
	"pushmask/core/live"
	"pushmask/core/session"
)

// doubt is an image that the target does not have, as far as samples show.
type doubt struct {
	code session.ReadOnly
	text string
}

// compareCode makes the machine read code and constants from the images that the
// target has, and notes those that it does not have.
func (l *Live) compareCode(ctx context.Context) {
	list := l.program.ReadOnly()
	l.setNormal(ctx, list)
	l.machine.DistrustCode() // what was trusted before is not what is in the target
	var doubts []doubt
	for _, code := range list {
		if text := l.compareImage(code); text != "" {
			doubts = append(doubts, doubt{code, text})
		}
	}
	l.setDoubts(doubts)
	l.code.memory = l.program.Over(l.machine.Memory())
}

// compareImage compares one image and says what is wrong with it, "" for nothing.
func (l *Live) compareImage(code session.ReadOnly) string {
	found, at := l.machine.TrustCode(code.Memory, ranges(code.Ranges))
	several := len(l.lines.images.Images()) > 1
	name := l.lines.images.Name(code.Image)
	switch {
	case found == live.FoundBlank && several:
		return name + " is not loaded: the memory of the target is blank at " + at.String()
	case found == live.FoundBlank:
		return "the ELF is not loaded: the memory of the target is blank at " + at.String()
	case found == live.FoundOther && several:
		return name + " is not what the target has: they differ at " + at.String()
	case found == live.FoundOther:
		return "the program in the target is not this ELF: they differ at " + at.String()
	}
	return ""
}

// compareAgain compares the image that the target stands in where it was in doubt
// before: a boot loader may have loaded it.
func (l *Live) compareAgain(pc core.Addr) {
	m := l.lines.images.At(uint32(pc))
	i := slices.IndexFunc(l.doubts, func(d doubt) bool { return d.code.Image == m })
	if i >= 0 && l.compareImage(l.doubts[i].code) == "" {
		l.setDoubts(slices.Delete(slices.Clone(l.doubts), i, i+1))
	}
}

func (l *Live) setDoubts(list []doubt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doubts = list
}

// Warnings lists what makes the target doubtful: images whose code it does not
// have.
func (l *Live) Warnings() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []string
	for _, d := range l.doubts {
		list = append(list, d.text)
	}
	return list
}

func ranges(list []session.Range) []live.Range {
	var out []live.Range
	for _, r := range list {
		out = append(out, live.Range(r))
	}
	return out
}

// setNormal tells the machine which memory is no device: what the ELFs and the
// stub's map know of.
func (l *Live) setNormal(ctx context.Context, readOnly []session.ReadOnly) {
	if l.machine.Profile() == core.ProfileM {
		return
	}
	var list []live.Range
	for _, code := range readOnly {
		list = append(list, ranges(code.Ranges)...)
	}
	if !l.lines.images.Empty() {
		for _, s := range l.lines.images.Segments() {
			list = append(list, live.Range{Addr: core.Addr(s.Addr), Size: s.MemSize})
		}
	}
	regions, err := l.machine.Client().MemoryMap(ctx)
	if err == nil {
		for _, r := range regions {
			list = append(list, live.Range{Addr: r.Addr, Size: uint32(min(r.Size, 1<<32-1))})
		}
	}
	l.machine.SetNormal(list)
}
