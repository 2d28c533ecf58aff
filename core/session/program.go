package session

import (
	"context"
	"path/filepath"
	"sync"

	"pushmask/core"
	"pushmask/core/inspect"
	"pushmask/core/memmap"
	"pushmask/core/unwind"
	"pushmask/elfsym"
	"pushmask/elfsym/srcpath"
)

// Config says what to open and how.
type Config struct {
	Image     string      // path of the firmware ELF; "" only where a dump alone is enough
	Bias      core.Addr   // how far the image runs from where it is linked, as in [ImageFile]
	More      []ImageFile // other ELFs of the same memory: a boot loader, the secure image, symbols of a ROM
	NoDebug   bool        // ignore DWARF, CFI and EHABI
	NoSymbols bool        // ignore symbols, and debug information with them
	Cwd       string      // base of relative paths; "" is the process's
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

// imageOptions says how to open an image.
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

// Program is opened images with everything that is shared by their dumps. It is
// safe for concurrent use.
type Program struct {
	cfg      Config
	elfs     []ImageFile // with resolved paths
	images   *elfsym.Set // nil without an image
	rom      *memmap.Map // of the images, nil without one
	code     *unwind.Program
	files    *srcpath.Resolver
	lines    lineCache
	vars     variables
	variants variants

	description *description // of the device, nil for none
}

// OpenProgram opens the images. The error is an [*OpenError].
func OpenProgram(ctx context.Context, cfg Config) (*Program, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &Program{cfg: cfg, files: cfg.sources(), description: newDescription(&cfg)}
	if err := p.load(ctx, cfg.imageFiles()); err != nil {
		return nil, err
	}
	return p, nil
}

// variables are those of the program, which are opened when they are asked for.
type variables struct {
	once    sync.Once
	program *inspect.Program
}

// Unwind returns the unwinder's view of the program.
func (p *Program) Unwind() *unwind.Program { return p.code }

// profile returns the architecture profile of the main image. A dump can only guess
// its own.
func (p *Program) profile(t core.Target) core.Profile {
	switch {
	case p.images.Empty():
		return t.Profile()
	case p.images.MProfile():
		return core.ProfileM
	}
	return core.ProfileA
}

// lineCacheLimit bounds the number of addresses whose source positions a
// program remembers; each takes some hundred bytes.
const lineCacheLimit = 1 << 16

// lineCache remembers the source positions of addresses. It is safe for
// concurrent use: thousands of dumps of one program stop in the same places.
type lineCache struct {
	mu sync.RWMutex
	m  map[core.Addr][]elfsym.Location
}

// locate returns the chain of inlined calls at an address, innermost first.
func (p *Program) locate(pc core.Addr) []elfsym.Location {
	p.lines.mu.RLock()
	locs, ok := p.lines.m[pc]
	p.lines.mu.RUnlock()
	if ok {
		return locs
	}
	locs = p.images.Locate(uint32(pc))
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
	return p.images.FuncAt(uint32(a))
}
