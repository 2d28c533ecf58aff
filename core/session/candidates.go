package session

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"pushmask/core"
)

// Bounds of the search for the ELF of a dump.
const (
	// maxSearched is how many files are looked at, and maxCandidates how many of
	// them, the smallest paths first, are compared with the dump.
	maxSearched   = 20000
	maxCandidates = 300
	// candidateFrames is how many frames of the crashed thread are unwound.
	candidateFrames = 16
)

// Candidate is an ELF that a dump may be of, with how well it fits.
type Candidate struct {
	Path string
	Fit  Fit
	// Why is the evidence, in words.
	Why string
	// Evidence counts what speaks for a Fit of the same kind: bytes of code that
	// are equal, then frames that its code proves.
	Evidence int
}

// Fit says how well an ELF fits a dump, worst first.
type Fit uint8

// The fits. FitNone is an ELF that the dump is surely not of, or that cannot be
// compared.
const (
	FitNone     Fit = iota
	FitDoubtful     // something speaks against it
	FitPossible     // nothing speaks against it, and nothing for it
	FitFrames       // its code proves frames of the stack
	FitCode         // its code is that of the dump
	FitBuildID      // its build id is that of the dump
)

var fitNames = [...]string{"no", "doubtful", "possible", "stack fits", "same code", "same build id"}

// String returns the fit in words.
func (f Fit) String() string { return fitNames[min(int(f), len(fitNames)-1)] }

// RankImages compares a dump with every ELF of a folder and the folders below
// it, and returns them, the one that fits best first. complete is false where
// there were too many files to look at all of them.
func RankImages(ctx context.Context, dir, path string, opt DumpOptions) (list []Candidate, complete bool, err error) {
	images, complete, err := findImages(ctx, dir)
	if err != nil {
		return nil, false, err
	}
	for _, image := range images {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		c, err := fitOf(ctx, image, path, opt)
		if err != nil {
			return nil, false, err
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Fit, a.Fit), cmp.Compare(b.Evidence, a.Evidence), cmp.Compare(a.Path, b.Path))
	})
	return list, complete, nil
}

// findImages lists the ELF files below a folder by their first bytes.
func findImages(ctx context.Context, dir string) (images []string, complete bool, err error) {
	seen := 0
	complete = true
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && path == dir:
			return err
		case err != nil:
			return nil // a folder that cannot be read has no candidates
		case d.IsDir() && path != dir && (d.Name() == ".git" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		if seen++; seen > maxSearched || len(images) == maxCandidates {
			complete = false
			return filepath.SkipAll
		}
		if isELF(path) {
			images = append(images, path)
		}
		return nil
	})
	if err != nil {
		return nil, false, fmt.Errorf("look for ELFs in %s: %w", dir, err)
	}
	return images, complete, nil
}

// isELF tells by magic and type: an executable or a shared object (gABI,
// chapter 4, "ELF Header").
func isELF(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [18]byte
	_, err = f.ReadAt(head[:], 0)
	return err == nil && bytes.HasPrefix(head[:], []byte("\x7fELF")) && (head[16] == 2 || head[16] == 3)
}

// fitOf compares a dump with one ELF. The error is that of the dump.
func fitOf(ctx context.Context, image, path string, opt DumpOptions) (Candidate, error) {
	c := Candidate{Path: image}
	p, err := OpenProgram(ctx, Config{Image: image})
	if err != nil {
		c.Why = "cannot be opened: " + err.Error()
		return c, ctx.Err()
	}
	defer p.Close()
	s, err := p.OpenDump(ctx, path, opt)
	if err != nil {
		return c, err
	}
	defer s.Close()
	c.Fit, c.Why, c.Evidence = s.fit(ctx)
	return c, nil
}

// fit tells how well the image fits the artefact.
func (s *Session) fit(ctx context.Context) (f Fit, why string, evidence int) {
	if s.mismatch.clear {
		return FitNone, s.mismatch.text, 0
	}
	frames, total := s.provenFrames(ctx)
	same := s.sameCode(ctx)
	id := s.program.images.Main().BuildID()
	switch {
	case len(id) > 0 && len(s.held.BuildID) > 0:
		return FitBuildID, fmt.Sprintf("the build id is %x in both", id), frames
	case s.mismatch.text != "":
		return FitDoubtful, s.mismatch.text, frames
	case same > 0:
		return FitCode, fmt.Sprintf("%d bytes of code and constants are equal, %s", same, framesText(frames, total)), same + frames
	case frames > 0:
		return FitFrames, framesText(frames, total), frames
	}
	return FitPossible, "nothing in the dump tells", 0
}

func framesText(proven, total int) string {
	return fmt.Sprintf("%d of the first %d frames are proven by the code", proven, total)
}

// provenFrames counts the callers of the crashed thread that the image's code
// proves.
func (s *Session) provenFrames(ctx context.Context) (proven, total int) {
	if len(s.threads) == 0 {
		return 0, 0
	}
	k, err := s.Stack(s.threads[0].ID)
	if err != nil {
		return 0, 0
	}
	frames, err := k.Frames(ctx, 0, candidateFrames)
	if err != nil {
		return 0, 0
	}
	for _, f := range frames {
		if f.Kind != KindFrame {
			continue
		}
		total++
		t := f.Core.Trust
		if t != core.TrustContext && t != core.TrustException && !t.Guess() {
			proven++
		}
	}
	return proven, total
}

// sameCode counts the bytes of code that artefact and image have in common.
func (s *Session) sameCode(ctx context.Context) int {
	same := 0
	for _, b := range sampled(s.commonBlocks(s.regions)) {
		if ctx.Err() != nil {
			break
		}
		_, n, bad := s.compareAt(b)
		same += n - bad
	}
	return same
}
