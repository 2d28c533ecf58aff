package main

import (
	"context"
	"slices"
	"strings"
	"sync"

	"pushmask/core/session"
)

// programs keeps firmware open for a command that is given dumps of many. It is
// safe for concurrent use.
type programs struct {
	config func(image string) session.Config

	mu   sync.Mutex
	open map[string]*program // by the names of the ELFs
	tick int                 // counts uses, for the age of programs
}

// program is a firmware that is open or being opened.
type program struct {
	once sync.Once
	p    *session.Program
	err  error
	refs int // users; guarded by programs.mu
	used int // tick of the last use
}

// maxPrograms bounds the firmware that is kept open while nobody uses it.
const maxPrograms = 8

// get opens the firmware at path, and the ELFs beside it, unless it is open.
// release must be called when it is not used any more.
func (s *programs) get(ctx context.Context, path string, more []string) (p *session.Program, release func(), err error) {
	s.mu.Lock()
	if s.open == nil {
		s.open = make(map[string]*program)
	}
	key := strings.Join(append([]string{path}, more...), "\x00")
	entry := s.open[key]
	if entry == nil {
		entry = new(program)
		s.open[key] = entry
	}
	s.tick++
	entry.refs, entry.used = entry.refs+1, s.tick
	s.mu.Unlock()

	entry.once.Do(func() {
		cfg := s.config(path)
		cfg.More = slices.Clone(cfg.More)
		for _, m := range more {
			cfg.More = append(cfg.More, session.ParseImageFile(m))
		}
		entry.p, entry.err = session.OpenProgram(ctx, cfg)
	})
	release = func() { s.release(key, entry) }
	if entry.err != nil {
		release()
		return nil, nil, entry.err
	}
	return entry.p, release, nil
}

// release gives a program back. One that could not be opened is forgotten, so
// that it is tried again; of too many idle ones the oldest is closed.
func (s *programs) release(key string, entry *program) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry.refs--
	if entry.err != nil {
		if s.open[key] == entry {
			delete(s.open, key)
		}
		return
	}
	idle, oldest := 0, ""
	for name, e := range s.open {
		if e.refs > 0 || e.p == nil {
			continue
		}
		idle++
		if oldest == "" || e.used < s.open[oldest].used {
			oldest = name
		}
	}
	if idle > maxPrograms {
		s.open[oldest].p.Close()
		delete(s.open, oldest)
	}
}

// close closes all of them.
func (s *programs) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.open {
		if e.p != nil {
			e.p.Close()
		}
	}
	s.open = nil
}
