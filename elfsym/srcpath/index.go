package srcpath

import (
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// Limits of the workspace index: a workspace may be somebody's home folder.
const (
	maxFiles = 200_000
	maxDepth = 24
	maxTime  = 3 * time.Second
)

// skipped are folders that hold no sources of the firmware but many files.
var skipped = map[string]bool{".git": true, ".hg": true, ".svn": true, "node_modules": true}

// index lists the files of a workspace by name.
type index struct {
	root   []string            // names of the workspace's own path
	byName map[string][]string // lower-case file name to slash-separated relative paths
}

// newIndex walks the workspace within the limits; what lies beyond them is
// not found. Symbolic links are not followed.
func newIndex(workspace string) *index {
	x := &index{root: elements(filepath.ToSlash(workspace)), byName: make(map[string][]string)}
	deadline := time.Now().Add(maxTime)
	files := 0
	// An unreadable folder is passed over, so the walk itself cannot fail.
	_ = filepath.WalkDir(workspace, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(workspace, path)
		if err != nil {
			return nil
		}
		rel = filepath.ToSlash(rel)
		switch {
		case e.IsDir() && (skipped[e.Name()] || strings.Count(rel, "/") >= maxDepth):
			return fs.SkipDir
		case e.IsDir():
			return nil
		}
		if files++; files > maxFiles || files%256 == 0 && time.Now().After(deadline) {
			return fs.SkipAll
		}
		key := strings.ToLower(e.Name())
		x.byName[key] = append(x.byName[key], rel)
		return nil
	})
	return x
}

// find returns the workspace file whose path has the longest common ending
// with recorded. A common file name alone proves nothing (every Rust crate
// has a mod.rs): at least a folder must agree as well, or the whole path
// within the workspace, or recorded must be a mere name. Of several equally
// long matches none is returned: the wrong file misleads more than no file.
func (x *index) find(recorded string) (rel string, ok bool) {
	names := elements(recorded)
	if len(names) == 0 {
		return "", false
	}
	fold := Windows(recorded)
	best, ties := 0, 0
	for _, candidate := range x.byName[strings.ToLower(names[len(names)-1])] {
		n := commonEnding(names, x.root, strings.Split(candidate, "/"), fold)
		if n == 0 || n < 2 && len(names) > 1 && strings.Contains(candidate, "/") {
			continue
		}
		switch {
		case n > best:
			rel, best, ties = candidate, n, 0
		case n == best:
			ties++
		}
	}
	return rel, best > 0 && ties == 0
}

// commonEnding counts the names, from the last on, that recorded shares with
// the path root/rel.
func commonEnding(recorded, root, rel []string, fold bool) int {
	n := 0
	for n < len(recorded) && n < len(rel)+len(root) {
		var name string
		if n < len(rel) {
			name = rel[len(rel)-1-n]
		} else {
			name = root[len(root)-1-(n-len(rel))]
		}
		if !sameName(name, recorded[len(recorded)-1-n], fold) {
			break
		}
		n++
	}
	return n
}
