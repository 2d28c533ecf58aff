package dump

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"time"

	"pushmask/core"
)

// maxMembers is how many files of an archive are looked at.
const maxMembers = 256

// member is a file in an archive.
type member struct {
	name    string
	changed time.Time
	open    func() (io.Reader, error)
}

// openZip opens the crashes that are in a ZIP file.
func openZip(in *input, opt *Options) (*Dump, error) {
	z, err := zip.NewReader(in.r, in.size)
	if err != nil {
		return nil, &FormatError{Format: "zip", Msg: err.Error(), Err: err}
	}
	var members []member
	for _, f := range z.File {
		if f.Mode().IsRegular() {
			members = append(members, member{f.Name, f.Modified, func() (io.Reader, error) { return f.Open() }})
		}
	}
	return openArchive(&archive{format: "zip", members: members, packing: in.packing}, opt)
}

// openTar opens the crashes that are in a tar file.
func openTar(in *input, opt *Options) (*Dump, error) {
	a := &archive{format: "tar", packing: in.packing}
	file := io.NewSectionReader(in.r, 0, in.size)
	r := tar.NewReader(file)
	for {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			a.warnings = append(a.warnings, fmt.Sprintf("the tar file is damaged behind its file %d: %v", len(a.members), err))
			break
		}
		at, err := file.Seek(0, io.SeekCurrent)
		if err != nil || h.Typeflag != tar.TypeReg {
			continue
		}
		a.members = append(a.members, member{h.Name, h.ModTime, func() (io.Reader, error) {
			return io.NewSectionReader(in.r, at, h.Size), nil
		}})
		if len(a.members) > maxMembers {
			break
		}
	}
	return openArchive(a, opt)
}

// archive is a file of files, of which some are crashes.
type archive struct {
	format   string
	members  []member
	packing  *packing
	warnings []string
	unplaced []string
	crashes  []Summary
	found    []memberCrashes
}

// memberCrashes is a member that a reader claims.
type memberCrashes struct {
	member *member
	first  int // number of its first crash in the archive, from 1
	count  int
	best   int // number of the one that is opened unless another one is asked for
	rank   int
}

func openArchive(a *archive, opt *Options) (*Dump, error) {
	switch {
	case a.packing.depth >= maxDepth:
		return nil, errDeep
	case opt.HasBase && len(a.members) != 1:
		return nil, fmt.Errorf("the %s file holds %d files, and the address of one is given: %w", a.format, len(a.members), ErrUnsupported)
	case opt.HasBase:
		return a.openMember(&a.members[0], opt)
	}
	a.look()
	if len(a.found) == 0 {
		return nil, fmt.Errorf("none of the %d files in the %s file is a crash: %w", len(a.members), a.format, ErrUnrecognized)
	}
	n := cmp.Or(opt.Crash, a.newest())
	i := slices.IndexFunc(a.found, func(m memberCrashes) bool { return n >= m.first && n < m.first+m.count })
	if i < 0 {
		return nil, fmt.Errorf("crash %d of %d: %w", n, len(a.crashes), ErrNoCrash)
	}
	d, err := a.openMember(a.found[i].member, &Options{Crash: n - a.found[i].first + 1})
	if err != nil {
		return nil, err
	}
	d.Format += ", in a " + a.format + " file"
	d.Crashes, d.Selected = a.crashes, n
	if opt.Crash == 0 && len(a.crashes) > 1 {
		d.warnMore(len(a.crashes))
	}
	for _, w := range a.warnings {
		d.warnf("%s", w)
	}
	d.Unplaced = append(d.Unplaced, a.unplaced...)
	return d, nil
}

// look opens every member once to see what it holds.
func (a *archive) look() {
	for i := range a.members {
		m := &a.members[i]
		if i == maxMembers || a.packing.spent() {
			a.warnings = append(a.warnings, fmt.Sprintf("the %d files from %q on were not looked at", len(a.members)-i, m.name))
			return
		}
		d, err := a.openMember(m, new(Options))
		switch {
		case errors.Is(err, ErrUnrecognized), errors.Is(err, ErrEmpty):
			a.unplaced = append(a.unplaced, m.name+": no known crash format")
		case errors.Is(err, ErrNotCore):
			a.unplaced = append(a.unplaced, m.name+": an ELF file and no core")
		case err != nil:
			a.warnings = append(a.warnings, fmt.Sprintf("%s: %v", m.name, err))
		default:
			a.list(m, d)
		}
	}
}

// list adds the crashes of a member.
func (a *archive) list(m *member, d *Dump) {
	first := len(a.crashes) + 1
	inner := d.Crashes
	if len(inner) == 0 {
		inner = []Summary{{Number: 1, Format: d.Format, Time: d.Time, Cause: d.Cause}}
	}
	for _, s := range inner {
		s.File = path.Join(m.name, s.File)
		s.Number += first - 1
		a.crashes = append(a.crashes, s)
	}
	a.found = append(a.found, memberCrashes{m, first, len(inner), first - 1 + max(d.Selected, 1), d.rank()})
}

// newest returns the number of the newest of the most complete crashes, by the
// times that the archive has for its files.
func (a *archive) newest() int {
	best := &a.found[0]
	for i := range a.found {
		m := &a.found[i]
		if c := cmp.Or(cmp.Compare(m.rank, best.rank), m.member.changed.Compare(best.member.changed)); c >= 0 {
			best = m
		}
	}
	return best.best
}

// openMember unpacks a file and opens it. What is held of it goes with the
// dump.
func (a *archive) openMember(m *member, opt *Options) (*Dump, error) {
	r, err := m.open()
	if err != nil {
		return nil, err
	}
	b, err := a.packing.unpack(r)
	if errors.Is(err, ErrTooLarge) || b.size == 0 && err != nil {
		return nil, err
	}
	d, openErr := a.packing.open(b, opt)
	if openErr != nil {
		return nil, openErr
	}
	if err != nil {
		d.warnf("%s is damaged after %d unpacked bytes: %v", m.name, b.size, err)
	}
	return d, nil
}

// rank tells how much of what an unwinder needs a dump holds, as
// [crash.Crash.Complete] does.
func (d *Dump) rank() int {
	n := 0
	for _, t := range d.threads {
		if t.Crashed && t.regs.Has(core.PC) {
			n += 4
		}
		if t.Crashed && t.regs.Has(core.SP) && len(d.Regions) > 0 {
			n += 2
		}
	}
	return n
}
