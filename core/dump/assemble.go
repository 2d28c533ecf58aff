package dump

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"pushmask/core"
	"pushmask/core/dump/chromeec"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/crashcatcher"
	"pushmask/core/dump/hexfile"
	"pushmask/core/dump/memfault"
	"pushmask/core/dump/minidump"
	"pushmask/core/dump/mynewt"
	"pushmask/core/dump/nuttx"
	"pushmask/core/dump/stackdump"
	"pushmask/core/dump/zephyr"
)

// maxHeld bounds the artefacts of the formats that are read as a whole, in
// bytes. The largest part with memory on chip has a few MiB of RAM, which
// takes some ten times as much as text.
const maxHeld = 64 << 20

// reader reads a format whose artefacts are held in memory.
type reader struct {
	// claims tells by content whether data is of the format.
	claims func(data []byte) bool
	// read returns the crashes in the order of the file. An error says that the
	// file is useless; it is a [*FormatError] or has a sentinel of this package.
	read func(data []byte) ([]*crash.Crash, error)
}

// readers lists the binary formats that are held in memory, in the order they
// are asked.
var readers = []reader{
	{zephyr.Is, zephyr.Read},
	{crashcatcher.Is, crashcatcher.Read},
	{nuttx.Is, nuttx.Read},
	{hexfile.Is, hexfile.Read},
	{memfault.Is, memfault.Read},
	{mynewt.Is, mynewt.Read},
	{minidump.Is, minidump.Read},
	{stackdump.Is, stackdump.Read},
	{chromeec.Is, chromeec.Read}, // last: it looks at the end of the file alone
}

// readHeld opens an artefact of a format that is held in memory. What tells
// some formats is at the end of the file, or behind more than its first bytes.
func readHeld(in *input, opt *Options) (*Dump, error) {
	found := claimant(in.head)
	if found == nil && isText(in.head) {
		return openText(in, opt)
	}
	if in.size > maxHeld {
		if found == nil {
			return nil, ErrNoAddress
		}
		return nil, fmt.Errorf("the file has %d bytes; at most %d can be read of this format: %w", in.size, maxHeld, ErrUnsupported)
	}
	data, err := in.read(0, in.size)
	if err != nil {
		return nil, err
	}
	if found == nil {
		found = claimant(data)
	}
	if found == nil {
		return nil, ErrNoAddress
	}
	crashes, err := found.read(data)
	if err != nil {
		return nil, refusal(err)
	}
	return choose(crashes, opt)
}

// claimant returns the reader whose format data is of, nil for none.
func claimant(data []byte) *reader {
	for i := range readers {
		if readers[i].claims(data) {
			return &readers[i]
		}
	}
	return nil
}

// choose makes a dump of the selected crash.
func choose(crashes []*crash.Crash, opt *Options) (*Dump, error) {
	if len(crashes) == 0 {
		return nil, ErrUnrecognized
	}
	n := opt.Crash
	if n == 0 {
		n = mostComplete(crashes)
	}
	if n < 1 || n > len(crashes) {
		return nil, fmt.Errorf("crash %d of %d: %w", n, len(crashes), ErrNoCrash)
	}
	d, err := fromCrash(crashes[n-1])
	if err != nil {
		return nil, err
	}
	d.Selected = n
	if opt.Crash == 0 && len(crashes) > 1 {
		d.warnMore(len(crashes))
	}
	for i, c := range crashes {
		d.Crashes = append(d.Crashes, Summary{
			Number: i + 1, Format: c.Format, Line: c.Where.Line, Time: c.Time, Cause: c.Cause, Truncated: c.Truncated,
		})
	}
	return d, nil
}

// warnMore says that the artefact holds more than what was opened.
func (d *Dump) warnMore(n int) {
	d.warnf("the file holds %d crashes: this is number %d, the newest of the most complete", n, d.Selected)
}

// refusal makes the error of a reader one of this package.
func refusal(err error) error {
	if errors.Is(err, crash.ErrNotARM) {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return err
}

// mostComplete returns the number of the last of the most complete crashes.
func mostComplete(crashes []*crash.Crash) int {
	best := 0
	for i, c := range crashes {
		if c.Complete() >= crashes[best].Complete() {
			best = i
		}
	}
	return best + 1
}

// fromCrash makes a target of a crash.
func fromCrash(c *crash.Crash) (*Dump, error) {
	if c.Refused != nil {
		return nil, refusal(c.Refused)
	}
	if c.Core != nil {
		return fromCore(c)
	}
	d := &Dump{
		Format: c.Format, System: c.System, Executable: c.Executable, BuildID: c.BuildID,
		Time: c.Time, Told: c.Told, Arm: c.Arm, Warnings: c.Warnings, Unplaced: c.Unplaced,
		profile: c.Profile,
	}
	if !c.ProfileKnown {
		d.profile = guessProfile(c)
	}
	for i := len(c.Memory) - 1; i >= 0; i-- { // of pieces that overlap the earlier one counts
		d.mem.AddBytes(c.Memory[i].Addr, c.Memory[i].Data)
	}
	for _, t := range c.Threads {
		d.threads = append(d.threads, thread{Thread: t.Thread, regs: t.Regs})
	}
	d.finish()
	return d, nil
}

// fromCore opens the ELF core that a crash was written as.
func fromCore(c *crash.Crash) (*Dump, error) {
	in := &input{r: &lossyReader{bytes.NewReader(c.Core), c.Lost}, size: int64(len(c.Core)), head: c.Core[:min(len(c.Core), headSize)]}
	d, err := openELF(in)
	if err != nil {
		return nil, err
	}
	if c.Reported != nil {
		d.blame(*c.Reported)
	}
	d.Format = c.Format
	d.Told, d.Time, d.Unplaced = c.Told, c.Time, c.Unplaced
	d.Warnings = append(c.Warnings, d.Warnings...)
	return d, nil
}

// errLost is the error for bytes that a log lost.
var errLost = errors.New("the bytes were lost on the way")

// lossyReader reads a file of which parts are missing.
type lossyReader struct {
	r    io.ReaderAt
	lost []crash.Span
}

// ReadAt implements [io.ReaderAt]; it stops before the first byte that is
// missing.
func (l *lossyReader) ReadAt(p []byte, off int64) (int, error) {
	end := off + int64(len(p))
	for _, s := range l.lost {
		if s.Offset < end && off < s.Offset+s.Size {
			end = max(off, s.Offset)
		}
	}
	if whole := off + int64(len(p)); end < whole {
		n, err := l.r.ReadAt(p[:end-off], off)
		return n, cmp.Or(err, errLost)
	}
	return l.r.ReadAt(p, off)
}

// guessProfile tells the profile by the status register of a thread, as
// [elfCore.decideProfile] does.
func guessProfile(c *crash.Crash) core.Profile {
	for _, t := range c.Threads {
		if v, ok := t.Regs.Get(core.PSR); ok {
			if p, ok := psrProfile(v); ok {
				return p
			}
		}
	}
	return core.ProfileM
}
