package pushmask_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tree is the content of a checkout as the rules see it.
type tree struct {
	root    string // absolute path of the checkout
	fset    *token.FileSet
	goFiles []*goFile         // of this module, without testdata
	content map[string][]byte // every file by its slash-separated path
}

// goFile is a parsed Go source file.
type goFile struct {
	path string // slash-separated, relative to the root
	pkg  string // import path relative to the module, "." for the root
	test bool   // named _test.go
	ast  *ast.File
}

// notOurs are folders and kinds of file that hold nothing of the project:
// what .gitignore lists, and git's own.
var (
	notOurs    = []string{".git", "node_modules", "out", "build", "dist", "bin"}
	notOursExt = []string{".vsix", ".test", ".prof"}
)

// maxContent is the size above which a file is not looked into, in bytes.
const maxContent = 8 << 20

// load reads fsys, which holds the checkout that lies at root.
func load(fsys fs.FS, root string) (*tree, error) {
	tr := &tree{root: root, fset: token.NewFileSet(), content: map[string][]byte{}}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(notOurs, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if info, err := d.Info(); err != nil || !info.Mode().IsRegular() || info.Size() > maxContent || slices.Contains(notOursExt, path.Ext(name)) {
			return err
		}
		tr.content[name], err = fs.ReadFile(fsys, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	return tr, tr.parse()
}

// parse fills goFiles in the order of their paths.
func (tr *tree) parse() error {
	for _, name := range tr.names() {
		if path.Ext(name) != ".go" || tr.skipped(name) {
			continue
		}
		f, err := parser.ParseFile(tr.fset, name, tr.content[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("parse: %w", err)
		}
		tr.goFiles = append(tr.goFiles, &goFile{
			path: name,
			pkg:  path.Dir(name),
			test: strings.HasSuffix(name, "_test.go"),
			ast:  f,
		})
	}
	return nil
}

// skipped reports whether the go command leaves the file out of the module:
// below testdata, below a folder whose name starts with a dot or an
// underscore, or in a module of its own.
func (tr *tree) skipped(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		base := path.Base(dir)
		_, nested := tr.content[dir+"/go.mod"]
		if base == "testdata" || base[0] == '.' || base[0] == '_' || nested {
			return true
		}
	}
	return false
}

// names lists all files in order.
func (tr *tree) names() []string {
	var names []string
	for name := range tr.content {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// lines counts the lines of a file.
func (tr *tree) lines(name string) int { return bytes.Count(tr.content[name], []byte("\n")) }

// imports lists the import paths of the file.
func (f *goFile) imports() []string {
	var list []string
	for _, spec := range f.ast.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			list = append(list, p)
		}
	}
	return list
}

// loadRepository reads the checkout that the test runs in.
func loadRepository(t *testing.T) *tree {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	tr, err := load(os.DirFS(root), root)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}
