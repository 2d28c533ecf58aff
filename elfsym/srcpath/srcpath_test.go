package srcpath

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJoin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ dir, name, want string }{
		{"/build", "src/main.c", "/build/src/main.c"},
		{"/build/", "../src/./main.c", "/src/main.c"},
		{"/build", "/abs/main.c", "/abs/main.c"},
		{"/build", `C:\x\main.c`, `C:\x\main.c`},
		{"/build", `src\main.c`, "/build/src/main.c"},
		{`C:\proj`, "src/main.c", `C:\proj\src\main.c`},
		{`C:\proj\Debug`, `..\Core\Src\main.c`, `C:\proj\Core\Src\main.c`},
		{"C:/proj/build", "../src/main.c", "C:/proj/src/main.c"},
		{`\\host\share\fw`, "a.c", `\\host\share\fw\a.c`},
		{`\\host\share`, `..\..\a.c`, `\\host\share\a.c`},
		{"", "main.c", "main.c"},
		{"", `src\..\main.c`, "main.c"},
		{"", "", ""},
		{"fw", "start.c", "fw/start.c"},
		{"C:", "x.c", `C:\x.c`},
	} {
		if got := Join(tt.dir, tt.name); got != tt.want {
			t.Errorf("Join(%q, %q) = %q, want %q", tt.dir, tt.name, got, tt.want)
		}
	}
}

func TestRuleApply(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule     Rule
		recorded string
		want     string
		ok       bool
	}{
		{Rule{"/build", "/home/me"}, "/build/src/a.c", "/home/me/src/a.c", true},
		{Rule{"/build/", "/home/me/"}, "/build/src/a.c", "/home/me/src/a.c", true},
		{Rule{"/build", "/home/me"}, "/build2/a.c", "", false},
		{Rule{"/build", "/home/me"}, "/build/../other/a.c", "", false},
		{Rule{"/build/x/..", "/home/me"}, "/build/a.c", "/home/me/a.c", true},
		{Rule{"/build", "/home/me"}, "build/a.c", "", false},
		{Rule{"build", "/home/me"}, "./build/a.c", "/home/me/a.c", true},
		{Rule{"/", "/mnt"}, "/a/b.c", "/mnt/a/b.c", true},
		{Rule{"/a/b.c", "/c/d.c"}, "/a/b.c", "/c/d.c", true},
		{Rule{`C:\Work`, "/home/me"}, `c:\work\Src\Main.c`, "/home/me/Src/Main.c", true},
		{Rule{"c:/work", "/home/me"}, `C:\work\src\a.c`, "/home/me/src/a.c", true},
		{Rule{`C:\work`, "/home/me"}, `D:\work\a.c`, "", false},
		{Rule{`C:\build`, "/home/me"}, "/build/a.c", "", false},
		{Rule{"/build", `D:\fw`}, "/build/src/a.c", `D:\fw\src\a.c`, true},
		{Rule{`\\host\share`, "/x"}, `\\HOST\share\a.c`, "/x/a.c", true},
		{Rule{"/build", "/home/me"}, "/Build/a.c", "", false},
		{Rule{"", "/home/me"}, "src/a.c", "/home/me/src/a.c", true},
		{Rule{"", "/home/me"}, "/src/a.c", "", false},
		{Rule{"/build", ""}, "/build/src/a.c", "src/a.c", true},
	} {
		got, ok := tt.rule.Apply(tt.recorded)
		if got != tt.want || ok != tt.ok {
			t.Errorf("%+v.Apply(%q) = %q, %v; want %q, %v", tt.rule, tt.recorded, got, ok, tt.want, tt.ok)
		}
	}
}

func TestRulesFromMapLongestFirst(t *testing.T) {
	t.Parallel()
	got := RulesFromMap(map[string]string{"/a": "1", "/a/b/c": "2", "/a/b": "3", "/z": "4"})
	want := []Rule{{"/a/b/c", "2"}, {"/a/b", "3"}, {"/a", "1"}, {"/z", "4"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// workspace makes a folder "fw" with the given files.
func workspace(t *testing.T, files ...string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "fw")
	for _, f := range files {
		p := filepath.Join(root, filepath.FromSlash(f))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestResolve(t *testing.T) {
	t.Parallel()
	root := workspace(t, "main.c", "src/app.c", "src/hal/uart.c", "lib/hal/uart.c", "lib/net/mod.rs",
		"node_modules/x/only.c", ".git/x/only.c", "boot/src/app.c", "Core/Src/It.c")
	for _, tt := range []struct {
		name, recorded, want string
		rules                []Rule
	}{
		{name: "rule", recorded: "/ci/a/app.c", want: "src/app.c", rules: []Rule{{"/ci/a", root + "/src"}}},
		{name: "first rule wins", recorded: "/ci/a/app.c", want: "src/app.c",
			rules: []Rule{{"/ci/a", root + "/src"}, {"/ci", root + "/boot"}}},
		{name: "rule to a missing file, then suffix", recorded: "/ci/src/hal/uart.c", want: "src/hal/uart.c",
			rules: []Rule{{"/ci", "/nowhere"}}},
		{name: "itself", recorded: filepath.Join(root, "main.c"), want: "main.c"},
		{name: "relative to workspace", recorded: "src/hal/uart.c", want: "src/hal/uart.c"},
		{name: "longest suffix", recorded: "/ci/lib/hal/uart.c", want: "lib/hal/uart.c"},
		{name: "suffix through the workspace's name", recorded: "/ci/fw/src/app.c", want: "src/app.c"},
		{name: "windows, other case", recorded: `D:\Jobs\Core\src\IT.c`, want: "Core/Src/It.c"},
		{name: "file in the root of another place", recorded: "/build/main.c", want: "main.c"},
		{name: "ambiguous", recorded: "/ci/hal/uart.c"},
		{name: "name alone", recorded: "/rustc/1234/library/core/src/fmt/mod.rs"},
		{name: "skipped folders", recorded: "/ci/x/only.c"},
		{name: "posix paths have case", recorded: "/ci/core/src/it.c"},
		{name: "empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, found := NewResolver(tt.rules, root, "").Resolve(tt.recorded)
			if tt.want == "" {
				if found {
					t.Errorf("Resolve(%q) = %q, want none", tt.recorded, got)
				}
				if got != tt.recorded {
					t.Errorf("Resolve(%q) = %q, want it unchanged", tt.recorded, got)
				}
				return
			}
			if want := filepath.Join(root, filepath.FromSlash(tt.want)); got != want || !found {
				t.Errorf("Resolve(%q) = %q, %v; want %q", tt.recorded, got, found, want)
			}
		})
	}
}

func TestResolveRelativeToCwd(t *testing.T) {
	t.Parallel()
	root := workspace(t, "build/gen/table.c")
	got, found := NewResolver(nil, "", filepath.Join(root, "build")).Resolve("gen/table.c")
	if want := filepath.Join(root, "build", "gen", "table.c"); got != want || !found {
		t.Errorf("got %q, %v; want %q", got, found, want)
	}
}

// TestResolveMissing shows the mapped path to the user, who wrote the rule.
func TestResolveMissing(t *testing.T) {
	t.Parallel()
	got, found := NewResolver([]Rule{{"/ci", "/nowhere"}}, "", "").Resolve("/ci/a.c")
	if got != "/nowhere/a.c" || found {
		t.Errorf("got %q, %v; want /nowhere/a.c, false", got, found)
	}
}

func FuzzPaths(f *testing.F) {
	for _, s := range []string{"/a/b.c", `C:\a\..\b.c`, `\\h\s\x`, "a//b", "..", `\\`, "c:", `/a\b`, `0\/`} {
		f.Add(s, s, "/to")
	}
	f.Fuzz(func(t *testing.T, a, b, to string) {
		if once := Clean(a); Clean(once) != once {
			t.Errorf("Clean(%q) = %q, and again %q", a, once, Clean(once))
		}
		if got, ok := (Rule{a, to}).Apply(a); a != "" && !ok {
			t.Errorf("a path does not match itself: %q gave %q", a, got)
		}
		Join(a, b)
		x := &index{root: elements(to), byName: map[string][]string{"b.c": {"a/b.c", "b.c"}}}
		if rel, ok := x.find(b); ok && rel != "a/b.c" && rel != "b.c" {
			t.Errorf("find(%q) = %q", b, rel)
		}
	})
}
