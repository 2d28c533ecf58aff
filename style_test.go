package pushmask_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
)

// The limits of CONTRIBUTING.md.
const (
	maxFileLines = 500
	maxFuncLines = 60
)

// sourceExt are the extensions of files that people write code in.
var sourceExt = []string{".go", ".ts", ".mts", ".js", ".mjs", ".cjs", ".c", ".cc", ".cpp", ".h", ".s", ".S", ".ld", ".py", ".sh", ".lua"}

func isSource(name string) bool {
	return slices.Contains(sourceExt, path.Ext(name)) || path.Base(name) == "Makefile" || name == ".ci/run"
}

// isTable reports whether a Go file holds data rather than logic: by its name,
// or because a program wrote it.
func isTable(f *goFile) bool {
	base := path.Base(f.path)
	return base == "tables.go" || strings.HasSuffix(base, "_table.go") || ast.IsGenerated(f.ast)
}

func checkPackageDocs(tr *tree) []string {
	documented := map[string]bool{}
	for _, f := range tr.goFiles {
		documented[f.pkg] = documented[f.pkg] || f.ast.Doc != nil
	}
	var bad []string
	for pkg, ok := range documented {
		if !ok {
			bad = append(bad, fmt.Sprintf("%s: no file has a package comment", pkg))
		}
	}
	slices.Sort(bad)
	return bad
}

func checkFileLength(tr *tree) []string {
	tables := map[string]bool{}
	for _, f := range tr.goFiles {
		tables[f.path] = isTable(f)
	}
	var bad []string
	for _, name := range tr.names() {
		if n := tr.lines(name); isSource(name) && !tables[name] && n > maxFileLines {
			bad = append(bad, fmt.Sprintf("%s: %d lines, the limit is %d", name, n, maxFileLines))
		}
	}
	return bad
}

func checkFuncLength(tr *tree) []string {
	var bad []string
	for _, f := range tr.goFiles {
		if f.test || isTable(f) {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			first, last := tr.fset.Position(fn.Pos()), tr.fset.Position(fn.End())
			if n := last.Line - first.Line + 1; n > maxFuncLines {
				bad = append(bad, fmt.Sprintf("%s:%d: %s has %d lines, the limit is %d",
					f.path, first.Line, fn.Name.Name, n, maxFuncLines))
			}
		}
	}
	return bad
}

func checkExportedDocs(tr *tree) []string {
	var bad []string
	for _, f := range tr.goFiles {
		if f.test || f.ast.Name.Name == "main" {
			continue
		}
		for _, id := range undocumented(f.ast) {
			bad = append(bad, fmt.Sprintf("%v: %s has no doc comment", tr.fset.Position(id.Pos()), id.Name))
		}
	}
	return bad
}

// undocumented lists the exported package-level names and methods of exported
// types that have no comment. A comment on a group of constants or variables
// covers its members.
func undocumented(f *ast.File) []*ast.Ident {
	var ids []*ast.Ident
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) {
				ids = append(ids, d.Name)
			}
		case *ast.GenDecl:
			ids = append(ids, undocumentedSpecs(d)...)
		}
	}
	return ids
}

func undocumentedSpecs(d *ast.GenDecl) []*ast.Ident {
	var ids []*ast.Ident
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if d.Doc == nil && s.Doc == nil && s.Name.IsExported() {
				ids = append(ids, s.Name)
			}
		case *ast.ValueSpec:
			if d.Doc != nil || s.Doc != nil || s.Comment != nil {
				continue
			}
			for _, id := range s.Names {
				if id.IsExported() {
					ids = append(ids, id)
				}
			}
		}
	}
	return ids
}

// exportedReceiver reports whether d is a function, or a method of an
// exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	for t := d.Recv.List[0].Type; ; {
		switch x := t.(type) {
		case *ast.Ident:
			return x.IsExported()
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		default:
			return false
		}
	}
}

// openWork matches the words that mark unfinished work; the group is what
// follows. The pattern is put together so that this file does not match it.
var openWork = regexp.MustCompile(`\b(?:TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b(\(#\d+\))?`)

func checkOpenWork(tr *tree) []string {
	var bad []string
	for _, name := range tr.names() {
		if !isSource(name) {
			continue
		}
		for i, line := range bytes.Split(tr.content[name], []byte("\n")) {
			if m := openWork.FindSubmatch(line); m != nil && m[1] == nil {
				bad = append(bad, fmt.Sprintf("%s:%d: %s without the number of an issue", name, i+1, m[0]))
			}
		}
	}
	return bad
}

// checkMachinePaths looks for the absolute path of the checkout in every
// file, built fixtures included: debug information recorded without a prefix
// map, or notes left behind, would show it.
func checkMachinePaths(tr *tree) []string {
	here := regexp.MustCompile(`(^|[^\w.\-/])` + regexp.QuoteMeta(tr.root) + `($|[^\w.\-])`)
	var bad []string
	for _, name := range tr.names() {
		if here.Match(tr.content[name]) {
			bad = append(bad, fmt.Sprintf("%s: holds the path of the checkout, %s", name, tr.root))
		}
	}
	return bad
}

// link matches the target of an inline Markdown link or image.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

func checkLinks(tr *tree) []string {
	var bad []string
	for _, name := range tr.names() {
		if path.Ext(name) != ".md" {
			continue
		}
		for _, m := range link.FindAllSubmatch(tr.content[name], -1) {
			target, _, _ := strings.Cut(string(m[1]), "#")
			if target == "" || strings.Contains(target, ":") {
				continue
			}
			if !tr.has(path.Join(path.Dir(name), target)) {
				bad = append(bad, fmt.Sprintf("%s: link to %s, which does not exist", name, target))
			}
		}
	}
	return bad
}

// has reports whether name is a file or a folder of the tree.
func (tr *tree) has(name string) bool {
	if _, ok := tr.content[name]; ok {
		return true
	}
	return slices.ContainsFunc(tr.names(), func(n string) bool { return strings.HasPrefix(n, name+"/") })
}
