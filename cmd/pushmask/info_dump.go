package main

import (
	"context"
	"fmt"
	"io"

	"pushmask/core"
	"pushmask/core/session"
)

func describeDump(ctx context.Context, w io.Writer, s *session.Session, path string) error {
	fmt.Fprintf(w, "%s: %s\n", path, s.Format())
	f := newFields(w)
	f.put("profile", "%s", profileName(s.Profile() == core.ProfileM))
	for _, fact := range s.Facts() {
		f.put(fact.Name, "%s", fact.Text)
	}
	if k := s.Kernel(); k != "" {
		f.put("kernel", "%s, its threads are in memory", k)
	}
	describeCrashes(f, s)
	for _, t := range s.Threads() {
		text, err := threadText(ctx, s, t)
		if err != nil {
			return err
		}
		f.put("thread", "%s", text)
	}
	for _, r := range s.Regions() {
		f.put("memory", "%v  %d bytes", r.Addr, r.Size)
	}
	for _, u := range s.Unplaced() {
		f.put("unplaced", "%s", u)
	}
	for _, w := range s.Warnings() {
		f.put("warning", "%s", w)
	}
	return f.Flush()
}

// describeCrashes lists the crashes of a file and what was said of the one that
// was opened.
func describeCrashes(f fields, s *session.Session) {
	crashes, selected := s.Crashes()
	if len(crashes) == 1 {
		crashes = nil // what is to be said of it is said below
	}
	for _, c := range crashes {
		mark := " "
		if c.Number == selected {
			mark = "*"
		}
		f.put("crash", "%s %d  %s", mark, c.Number, session.CrashText(&c))
	}
	cause, calls := s.Told()
	for _, line := range cause {
		f.put("told", "%s", line)
	}
	for i, call := range calls {
		f.put("told", "#%d  %s", i, call)
	}
}

// rank prints the ELFs of a folder by how well they fit a dump.
func (o *infoOptions) rank(ctx context.Context, e *env, args []string) error {
	if len(args) != 1 {
		return usagef("--candidates needs one dump")
	}
	path, opt := o.open(args[0])
	list, complete, err := session.RankImages(ctx, o.candidates, path, opt)
	if err != nil {
		return err
	}
	if !complete {
		e.warn("%s holds more files than are looked at: give a folder with fewer", o.candidates)
	}
	f := newFields(e.stdout)
	for _, c := range list {
		fmt.Fprintf(f, "%v\t%s\t%s\n", c.Fit, c.Path, c.Why)
	}
	if err := f.Flush(); err != nil {
		return err
	}
	if len(list) == 0 || list[0].Fit == session.FitNone {
		return fmt.Errorf("none of the %d ELFs in %s is that of %s", len(list), o.candidates, args[0])
	}
	return nil
}
