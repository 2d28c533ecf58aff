package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"pushmask/core"
	"pushmask/core/dump"
	"pushmask/core/inspect"
	"pushmask/core/memmap"
	"pushmask/core/unwind"
	"pushmask/elfsym"
	"pushmask/elfsym/srcpath"
)

// Config says what to open and how.
type Config struct {
	Image     string // path of the firmware ELF; "" only where a dump alone is enough
	NoDebug   bool   // ignore DWARF, CFI and EHABI
	NoSymbols bool   // ignore symbols, and debug information with them
	Cwd       string // base of relative paths; "" is the process's
	// SourceMap maps recorded source paths to paths on this machine, applied
	// before the automatic suffix match in Workspace. The first rule that
	// matches is the one that counts.
	SourceMap []PathRule
	Workspace string // root for automatic source matching, "" for none
	SVD       string // path of the device's CMSIS-SVD description, "" for none; read when it is needed
	MaxFrames int    // cap of activations in a stack; 0 is the unwinder's default
	// Progress, when set, is told about steps that may take long.
	Progress func(step string)
}

// PathRule replaces a path prefix.
type PathRule struct{ From, To string }

// RulesFromMap makes rules of an unordered map from prefix to prefix: the rule
// with the longest prefix comes first, so that it wins.
func RulesFromMap(m map[string]string) []PathRule {
	rules := make([]PathRule, 0, len(m))
	for _, r := range srcpath.RulesFromMap(m) {
		rules = append(rules, PathRule(r))
	}
	return rules
}

// abs resolves a path against the configured working folder.
func (c *Config) abs(path string) string {
	if filepath.IsAbs(path) || c.Cwd == "" {
		return path
	}
	return filepath.Join(c.Cwd, path)
}

// imageOptions says how to open the image.
func (c *Config) imageOptions() elfsym.Options {
	return elfsym.Options{NoSymbols: c.NoSymbols, NoDebug: c.NoDebug || c.NoSymbols}
}

func (c *Config) progress(step string) {
	if c.Progress != nil {
		c.Progress(step)
	}
}

// sources finds source files the way the configuration says.
func (c *Config) sources() *srcpath.Resolver {
	rules := make([]srcpath.Rule, len(c.SourceMap))
	for i, r := range c.SourceMap {
		rules[i] = srcpath.Rule(r)
	}
	return srcpath.NewResolver(rules, c.Workspace, c.Cwd)
}

// Program is an opened image with everything that is shared by its dumps.
// It is safe for concurrent use.
type Program struct {
	cfg   Config
	path  string        // of the image, resolved
	image *elfsym.Image // nil without an image
	bias  core.Addr
	rom   *memmap.Map // of the image, nil without one
	code  *unwind.Program
	files *srcpath.Resolver
	lines lineCache
	vars  variables

	description *description // of the device, nil for none
}

// OpenProgram opens the image. The error is an [*OpenError].
func OpenProgram(ctx context.Context, cfg Config) (*Program, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &Program{cfg: cfg, files: cfg.sources(), description: newDescription(&cfg)}
	if cfg.Image != "" {
		cfg.progress("opening " + filepath.Base(cfg.Image))
		p.path = cfg.abs(cfg.Image)
		if info, err := os.Stat(p.path); err == nil && !info.Mode().IsRegular() {
			return nil, imageError(cfg.Image, p.path, dump.ErrNotRegular) // opening a pipe waits for its writer
		}
		img, err := elfsym.Open(p.path, cfg.imageOptions())
		if err != nil {
			return nil, imageError(cfg.Image, p.path, err)
		}
		p.image, p.rom = img, imageMemory(img)
	}
	p.code = unwind.FromImage(p.image)
	return p, nil
}

// variables are those of the program, which are opened when they are asked for.
type variables struct {
	once    sync.Once
	program *inspect.Program
}

// inspect returns the variables of the program.
func (p *Program) inspect() *inspect.Program {
	p.vars.once.Do(func() { p.vars.program = inspect.New(p.image, p.pointeeText) })
	return p.vars.program
}

// Close closes the image. Sessions of the program must be closed before.
func (p *Program) Close() error {
	if p.image == nil {
		return nil
	}
	return p.image.Close()
}

// Image returns the opened image, nil where the program has none.
func (p *Program) Image() *elfsym.Image { return p.image }

// Warnings lists the parts of the image that could not be read so far: parts
// are read when they are needed. The list only grows, and it has an end.
func (p *Program) Warnings() []string {
	if p.image == nil {
		return nil
	}
	var list []string
	for _, err := range p.image.Problems() {
		list = append(list, fmt.Sprintf("a part of the ELF cannot be read, names or lines may be missing: %v", err))
	}
	return list
}

// Bias returns how far, modulo 1<<32, the program ran from where its ELF is linked:
// 0 for all that is not position-independent.
func (p *Program) Bias() core.Addr { return p.bias }

// Path returns the resolved path of the image, "" where there is none.
func (p *Program) Path() string { return p.path }

// Unwind returns the unwinder's view of the program.
func (p *Program) Unwind() *unwind.Program { return p.code }

// profile returns the architecture profile of the image. A dump can only guess
// its own.
func (p *Program) profile(t core.Target) core.Profile {
	switch {
	case p.image == nil:
		return t.Profile()
	case p.image.MProfile():
		return core.ProfileM
	}
	return core.ProfileA
}

// lineCacheLimit bounds the number of addresses whose source positions a
// program remembers; each takes some hundred bytes.
const lineCacheLimit = 1 << 16

// lineCache remembers the source positions of addresses. It is safe for
// concurrent use: thousands of dumps of one image stop in the same places.
type lineCache struct {
	mu sync.RWMutex
	m  map[core.Addr][]elfsym.Location
}

// locate returns the chain of inlined calls at an address, innermost first.
func (p *Program) locate(pc core.Addr) []elfsym.Location {
	if p.image == nil {
		return nil
	}
	p.lines.mu.RLock()
	locs, ok := p.lines.m[pc]
	p.lines.mu.RUnlock()
	if ok {
		return locs
	}
	locs = p.image.Locate(uint32(pc))
	p.lines.mu.Lock()
	defer p.lines.mu.Unlock()
	if p.lines.m == nil {
		p.lines.m = make(map[core.Addr][]elfsym.Location)
	}
	if len(p.lines.m) < lineCacheLimit {
		p.lines.m[pc] = locs
	}
	return locs
}

// funcAt returns the function that contains an address.
func (p *Program) funcAt(a core.Addr) (elfsym.Func, bool) {
	if p.image == nil {
		return elfsym.Func{}, false
	}
	return p.image.FuncAt(uint32(a))
}
