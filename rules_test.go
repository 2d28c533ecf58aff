package pushmask_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// sound is a small tree that breaks no rule.
var sound = map[string]string{
	"core/core.go":            "// Package core is a sample.\npackage core\n\n// Addr is documented.\ntype Addr uint32\n",
	"core/unwind/walk.go":     "// Package unwind is a sample.\npackage unwind\n\nimport (\n\t\"fmt\"\n\t\"pushmask/core\"\n)\n",
	"core/unwind/x_test.go":   "package unwind\n\nimport (\n\t\"github.com/google/go-cmp/cmp\"\n\t\"pushmask/core/session\"\n)\n",
	"dap/dap.go":              "// Package dap is a sample.\npackage dap\n\nimport \"github.com/google/go-dap\"\n",
	"testdata/src/bad.go":     "package bad\n\nimport \"C\"\n",
	"tools/go.mod":            "module pushmask/tools\n",
	"tools/x/main.go":         "package main\n\nimport \"honnef.co/go/tools/x\"\n",
	"node_modules/a/index.js": "// TO" + "DO\n",
	"README.md":               "[core](core/core.go) [folder](core/unwind) [web](https://example.org) [here](#top)\n",
}

// TestRules breaks one rule at a time and expects that rule, and no other, to
// find it.
func TestRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		file string
		text string
		rule string // "" when the change is allowed
		want string // part of the violation
	}{
		{name: "nothing changed", file: "LICENSE", text: "Apache"},
		{
			name: "a lower layer imports a higher one", file: "core/unwind/up.go",
			text: "package unwind\n\nimport \"pushmask/core/session\"\n",
			rule: "imports follow the arrows", want: "pushmask/core/session: against the arrows",
		},
		{
			name: "the vocabulary imports a package of ours", file: "core/up.go",
			text: "package core\n\nimport \"pushmask/core/insn\"\n",
			rule: "imports follow the arrows", want: "against the arrows",
		},
		{
			name: "DAP types leave dap", file: "core/unwind/d.go",
			text: "package unwind\n\nimport \"github.com/google/go-dap\"\n",
			rule: "imports follow the arrows", want: "confined",
		},
		{
			name: "DAP types leave dap in a test", file: "core/unwind/d_test.go",
			text: "package unwind\n\nimport \"github.com/google/go-dap\"\n",
			rule: "imports follow the arrows", want: "confined",
		},
		{
			name: "go-cmp in the product", file: "dap/c.go",
			text: "package dap\n\nimport \"github.com/google/go-cmp/cmp\"\n",
			rule: "imports follow the arrows", want: "confined",
		},
		{
			name: "a test double in the product", file: "core/unwind/c.go",
			text: "package unwind\n\nimport \"pushmask/core/coretest\"\n",
			rule: "imports follow the arrows", want: "for tests",
		},
		{
			name: "cgo", file: "core/c.go", text: "package core\n\nimport \"C\"\n",
			rule: "imports follow the arrows", want: "cgo",
		},
		{
			name: "a package nobody placed", file: "core/util/u.go",
			text: "// Package util is a sample.\npackage util\n",
			rule: "imports follow the arrows", want: "no place",
		},
		{
			name: "no package comment", file: "lsp/l.go", text: "package lsp\n",
			rule: "packages have a doc comment", want: "lsp: no file",
		},
		{
			name: "an undocumented function", file: "core/f.go", text: "package core\n\nfunc Open() {}\n",
			rule: "exported identifiers have a doc comment", want: "core/f.go:3:6: Open",
		},
		{
			name: "an undocumented method", file: "core/m.go",
			text: "package core\n\ntype inner struct{}\n\nfunc (inner) Free() {}\n\nfunc (a *Addr) Bound() {}\n",
			rule: "exported identifiers have a doc comment", want: "Bound",
		},
		{
			name: "an undocumented constant", file: "core/k.go",
			text: "package core\n\nconst (\n\tA = 1 // one\n\tB = 2\n)\n",
			rule: "exported identifiers have a doc comment", want: "core/k.go:5:2: B",
		},
		{
			name: "a documented group", file: "core/g.go",
			text: "package core\n\n// The letters.\nconst (\n\tA = 1\n\tB = 2\n)\n",
		},
		{
			name: "a long file", file: "vscode-extension/src/a.ts", text: strings.Repeat("a()\n", maxFileLines+1),
			rule: "files are at most 500 lines long", want: "501 lines",
		},
		{
			name: "a long table", file: "core/t_table.go",
			text: "package core\n" + strings.Repeat("\n", maxFileLines),
		},
		{
			name: "a long function", file: "core/l.go",
			text: "package core\n\nfunc long() {\n" + strings.Repeat("\t_ = 0\n", maxFuncLines-1) + "}\n",
			rule: "functions are at most 60 lines long", want: "core/l.go:3: long has 61 lines",
		},
		{
			name: "unfinished work", file: "testdata/firmware/main.c", text: "int a;\n// FIX" + "ME: later\n",
			rule: "open work has an issue", want: "main.c:2",
		},
		{name: "unfinished work with its issue", file: "core/w.go", text: "package core\n\n// TO" + "DO(#12): faster.\n"},
		{
			name: "the checkout's path in a fixture", file: "testdata/fw.elf", text: "\x00/build/here/pushmask/fw.c\x00",
			rule: "no file names the folder of the checkout", want: "testdata/fw.elf",
		},
		{name: "a longer path of another machine", file: "testdata/log.txt", text: "/opt/build/here/pushmask/fw.c\n"},
		{
			name: "a dead link", file: "docs/a.md", text: "[gone](../core/gone.go#L1)\n",
			rule: "links in documents lead somewhere", want: "docs/a.md: link to ../core/gone.go",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fsys := fstest.MapFS{tt.file: {Data: []byte(tt.text)}}
			for name, text := range sound {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			tr, err := load(fsys, "/build/here/pushmask")
			if err != nil {
				t.Fatal(err)
			}
			var broken []string
			for _, r := range rules {
				found := r.check(tr)
				if len(found) == 0 {
					continue
				}
				broken = append(broken, r.name)
				if len(found) != 1 || !strings.Contains(found[0], tt.want) {
					t.Errorf("violations: %q\nwant one with %q", found, tt.want)
				}
			}
			var want []string
			if tt.rule != "" {
				want = []string{tt.rule}
			}
			if diff := cmp.Diff(want, broken); diff != "" {
				t.Errorf("broken rules (-want +got):\n%s", diff)
			}
		})
	}
}
