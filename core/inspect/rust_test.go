package inspect_test

import (
	"cmp"
	"compress/gzip"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pushmask/core/inspect"
	"pushmask/core/session"
)

// gunzipped returns the path of a compressed ELF of testdata without its
// compression.
func gunzipped(t testing.TB, path string) string {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(path), ".gz"))
	if err := os.WriteFile(out, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return out
}

var (
	letComment  = regexp.MustCompile(`let (?:mut )?(\w+)\b.*//= (.*)$`)
	exprComment = regexp.MustCompile(`//~ (.*) == (.*)$`)
)

// commented returns the expectations in the comments of a source in Rust.
func commented(t testing.TB, path string) []expectation {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []expectation
	for line := range strings.Lines(string(source)) {
		line = strings.TrimRight(line, "\n")
		if m := letComment.FindStringSubmatch(line); m != nil {
			list = append(list, expectation{m[1], m[2]})
		}
		if m := exprComment.FindStringSubmatch(line); m != nil {
			list = append(list, expectation{m[1], m[2]})
		}
	}
	return list
}

// rustBuilds are the programs that testdata/rust/build.sh built with several
// versions of rustc.
func rustBuilds(t testing.TB) []string {
	t.Helper()
	list, err := filepath.Glob("testdata/rust/*.elf.gz")
	if err != nil || len(list) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	return list
}

// TestRust shows types of core and alloc as the program that was built with
// several versions of rustc says, damaged ones as that, and reads no devices.
func TestRust(t *testing.T) {
	t.Parallel()
	list := commented(t, "testdata/rust/views.rs")
	for _, path := range rustBuilds(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			elf := gunzipped(t, path)
			h := runToStop(t, elf)
			s := openAt(t, elf, h)
			f := frameOf(t, s, 1)
			check(t, s, f, list)
			checkDamaged(t, s, h, "rust", f)
			lookAtDamaged(t, s, h, list, f)
			lookAtDevices(t, s, h, list, f)
		})
	}
}

// TestHostedRust shows types of std in the core of a process for Linux. RUSTC is
// the compiler, rustc without it.
func TestHostedRust(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	elf := filepath.Join(dir, "hosted")
	compiler := cmp.Or(os.Getenv("RUSTC"), "rustc")
	for _, name := range []string{compiler, "arm-linux-gnueabihf-gcc", "qemu-arm"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	const target = "armv7-unknown-linux-gnueabihf"
	library, err := exec.Command(compiler, "--print", "target-libdir", "--target", target).Output()
	if err != nil {
		t.Skipf("%s does not run: %v", compiler, err)
	}
	if std, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(library)), "libstd-*.rlib")); len(std) == 0 {
		t.Skipf("rustc has no standard library for %s", target)
	}
	build := exec.Command(compiler, "--target", target, "-C", "linker=arm-linux-gnueabihf-gcc",
		"-C", "relocation-model=static", "-g", "testdata/rust/hosted.rs", "-o", elf)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	run := exec.Command("sh", "-c", "ulimit -c unlimited; exec qemu-arm -L /usr/arm-linux-gnueabihf ./hosted")
	run.Dir = dir
	out, err := run.CombinedOutput()
	cores, _ := filepath.Glob(filepath.Join(dir, "*.core"))
	if len(cores) != 1 {
		t.Fatalf("no core: %v\n%s", err, out)
	}
	s, err := openProgram(t, elf).OpenDump(context.Background(), cores[0], session.DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f := functionFrame(t, s, "hosted::main")
	check(t, s, f, commented(t, "testdata/rust/hosted.rs"))
	checkMany(t, s, f)
}

// functionFrame returns the youngest frame of a function.
func functionFrame(t *testing.T, s *session.Session, function string) *session.Frame {
	t.Helper()
	k, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := k.Frames(context.Background(), 0, 50)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range frames {
		if names = append(names, frames[i].Function); frames[i].Function == function {
			return &frames[i]
		}
	}
	t.Fatalf("no frame of %s: %q", function, names)
	return nil
}

// checkMany looks at all elements of a hash table.
func checkMany(t *testing.T, s *session.Session, f *session.Frame) {
	t.Helper()
	v, err := s.Evaluate(context.Background(), "many", f)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, c := range v.Value.Indexed(0, 0) {
		_, key, _ := strings.Cut(c.Name, "] ")
		got[key] = inspect.Leaves(c.Value)[0].Value
	}
	for i := range 300 {
		if got[strconv.Itoa(i)] != strconv.Itoa(i*3) {
			t.Errorf("many[%d] is %q", i, got[strconv.Itoa(i)])
		}
	}
	if len(got) != 300 {
		t.Errorf("%d elements, want 300", len(got))
	}
}
