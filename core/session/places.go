package session

import (
	"os"
	"path/filepath"
	"strings"

	"pushmask/core"
	"pushmask/elfsym/srcpath"
)

// Recorded returns the source files of the images, as recorded, that are the
// file at a path of this machine. Where no recorded path leads to it, they are
// those that exist nowhere and have the longest ending in common with path, of
// two elements at least or the one file of that name.
func (p *Program) Recorded(path string) []string {
	var exact, lost []string
	for _, src := range p.Sources() {
		switch {
		case samePath(src.Path, path):
			exact = append(exact, src.Recorded)
		case !src.Found && strings.EqualFold(base(src.Recorded), base(path)):
			lost = append(lost, src.Recorded)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return nearest(lost, path)
}

// nearest keeps the paths with the longest ending in common with path.
func nearest(list []string, path string) []string {
	var best []string
	most := 0
	for _, s := range list {
		switch n := commonEnd(s, path); {
		case n > most:
			best, most = []string{s}, n
		case n == most:
			best = append(best, s)
		}
	}
	if most < 2 && len(best) != 1 {
		return nil
	}
	return best
}

// elements splits a path of any system.
func elements(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
}

func base(path string) string {
	e := elements(path)
	if len(e) == 0 {
		return ""
	}
	return e[len(e)-1]
}

// commonEnd counts the elements at the end that two paths share.
func commonEnd(a, b string) int {
	x, y := elements(a), elements(b)
	n := 0
	for n < len(x) && n < len(y) && strings.EqualFold(x[len(x)-1-n], y[len(y)-1-n]) {
		n++
	}
	return n
}

// samePath reports whether two paths of this machine name one file: letter case
// and the kind of separator do not count in Windows paths, and links lead to
// the same file.
func samePath(a, b string) bool {
	if a == b {
		return true
	}
	if srcpath.Windows(a) && srcpath.Windows(b) {
		return strings.EqualFold(strings.Join(elements(srcpath.Clean(a)), "/"), strings.Join(elements(srcpath.Clean(b)), "/"))
	}
	if !strings.EqualFold(base(a), base(b)) {
		return false
	}
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// Resolve returns the path on this machine of a source file, as recorded where
// it is not found.
func (p *Program) Resolve(recorded string) string {
	path, _ := p.files.Resolve(recorded)
	return path
}

// FunctionName names the function at an address for people.
func (p *Program) FunctionName(a core.Addr) string {
	if fn, ok := p.funcAt(a); ok {
		return p.qualified(a, p.funcName(fn))
	}
	return p.qualified(a, unnamed(a))
}
