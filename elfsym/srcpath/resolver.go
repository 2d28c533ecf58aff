package srcpath

import (
	"os"
	"path/filepath"
	"sync"
)

// Resolver finds source files on this machine. It is safe for concurrent use
// and remembers its answers.
type Resolver struct {
	rules          []Rule
	workspace, cwd string
	index          func() *index

	mu    sync.Mutex
	known map[string]answer
}

type answer struct {
	path  string
	found bool
}

// NewResolver returns a resolver that tries rules in order; make them of an
// unordered map with [RulesFromMap]. workspace is the folder to search and
// cwd the folder that relative paths start from; either may be "".
func NewResolver(rules []Rule, workspace, cwd string) *Resolver {
	return &Resolver{
		rules: rules, workspace: workspace, cwd: cwd,
		index: sync.OnceValue(func() *index { return newIndex(workspace) }),
		known: make(map[string]answer),
	}
}

// Resolve returns the file of this machine for a path recorded in the program
// and whether it exists. It takes the first that exists of
//
//  1. what the first rule that matches makes of it,
//  2. the recorded path itself, from cwd and from the workspace if relative,
//  3. the workspace file whose path has the longest common ending with it.
//
// When none exists, path is what the rule made of the recorded path, or the
// recorded path.
func (r *Resolver) Resolve(recorded string) (path string, found bool) {
	if recorded == "" {
		return "", false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	a, ok := r.known[recorded]
	if !ok {
		a = r.resolve(recorded)
		r.known[recorded] = a
	}
	return a.path, a.found
}

func (r *Resolver) resolve(recorded string) answer {
	fallback := recorded
	for _, rule := range r.rules {
		mapped, ok := rule.Apply(recorded)
		if !ok {
			continue
		}
		fallback = mapped
		if p, ok := r.existing(mapped); ok {
			return answer{p, true}
		}
		break
	}
	if p, ok := r.existing(recorded); ok {
		return answer{p, true}
	}
	if r.workspace != "" {
		if rel, ok := r.index().find(recorded); ok {
			return answer{filepath.Join(r.workspace, filepath.FromSlash(rel)), true}
		}
	}
	return answer{fallback, false}
}

// existing returns the host's path for p if there is such a file.
func (r *Resolver) existing(p string) (string, bool) {
	if Absolute(p) {
		return p, isFile(p)
	}
	for _, dir := range []string{r.cwd, r.workspace} {
		if dir == "" {
			continue
		}
		if full := filepath.Join(dir, filepath.FromSlash(p)); isFile(full) {
			return full, true
		}
	}
	return "", false
}

func isFile(p string) bool {
	fi, err := os.Stat(p)
	return err == nil && fi.Mode().IsRegular()
}
