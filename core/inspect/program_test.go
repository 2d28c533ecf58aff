package inspect_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest"
	"pushmask/core/coretest/qemu"
	"pushmask/core/memmap"
	"pushmask/core/session"
)

var (
	all    = flag.Bool("all", false, "compare all builds of testdata/program with gdb")
	update = flag.Bool("update", false, "have gdb write testdata/semantics.txt again")
)

// build is a way to compile testdata/program.
type build struct {
	compiler string // "gcc" or "clang-16"
	source   string // in testdata/program
	options  string
	stops    int
	often    bool // also without -all
	isHard   bool // floating-point arguments in registers of the FPU
	isDouble bool // whose FPU has double precision
}

func (b build) name() string {
	name := b.compiler + strings.ReplaceAll(b.options, " ", "") + "-" + strings.TrimPrefix(filepath.Ext(b.source), ".")
	switch {
	case b.isDouble:
		name += "-double"
	case b.isHard:
		name += "-hard"
	}
	return name
}

// often are the builds that are compared without -all, with the version of DWARF.
var often = map[string]int{"gcc-O0program.c": 4, "gcc-O2program.c": 5, "gcc-Ogprogram.cpp": 5, "clang-16-O2program.c": 4}

func builds() []build {
	var list []build
	for _, compiler := range []string{"gcc", "clang-16", "clang-19"} {
		for _, level := range []string{"-O0", "-Og", "-O2", "-Os"} {
			for _, source := range []string{"program.c", "program.cpp"} {
				for dwarf := 4; dwarf <= 5; dwarf++ {
					list = append(list, build{
						compiler: compiler, source: source, options: fmt.Sprintf("%s -gdwarf-%d", level, dwarf), stops: 7,
						often: often[compiler+level+source] == dwarf,
					})
				}
			}
		}
	}
	return append(append(list, hardBuilds()...), kindBuilds()...)
}

// hardBuilds are those with floating-point registers.
func hardBuilds() []build {
	var list []build
	for _, compiler := range []string{"gcc", "clang-16", "clang-19"} {
		for _, level := range []string{"-O0", "-Og", "-O2"} {
			list = append(list, build{compiler: compiler, source: "floats.c", options: level + " -gdwarf-5", stops: 7, isHard: true, often: compiler == "gcc" && level == "-O2"})
			list = append(list, build{compiler: compiler, source: "program.c", options: level + " -gdwarf-4", stops: 7, isHard: true})
			list = append(list, build{compiler: compiler, source: "floats.c", options: level + " -gdwarf-4", stops: 7, isHard: true, isDouble: true})
		}
	}
	return list
}

// kindBuilds are those of the programs with types that are rare.
func kindBuilds() []build {
	var list []build
	for _, compiler := range []string{"gcc", "clang-16", "clang-19"} {
		for _, source := range []string{"kinds.c", "kinds.cpp"} {
			for dwarf := 2; dwarf <= 5; dwarf++ {
				list = append(list, build{
					compiler: compiler, source: source, options: fmt.Sprintf("-O1 -gdwarf-%d", dwarf), stops: 1, isHard: true,
					often: compiler == "gcc" && dwarf == 4 || compiler == "clang-16" && dwarf == 5,
				})
			}
		}
	}
	return list
}

// machineFlags choose the processor and how arguments are passed.
func (b build) machineFlags() []string {
	if b.isDouble {
		return strings.Fields("-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16 -DHARD_FLOAT")
	}
	if b.isHard {
		return strings.Fields("-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -DHARD_FLOAT")
	}
	return strings.Fields("-mcpu=cortex-m3 -mthumb")
}

// board is the machine of QEMU that runs it.
func (b build) board() string {
	if b.isDouble {
		return "mps2-an500"
	}
	if b.isHard {
		return "mps2-an386"
	}
	return "mps2-an385"
}

// compile returns the path of the program.
func (b build) compile(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	elf := filepath.Join(dir, "program.elf")
	object := func(compiler, source, options string) string {
		out := filepath.Join(dir, filepath.Base(source)+".o")
		args := append(append(b.machineFlags(), strings.Fields(options)...), "-g", "-c", source, "-o", out)
		tool(t, compiler, args...)
		return out
	}
	compiler, link := "arm-none-eabi-gcc", "arm-none-eabi-gcc"
	options := b.options + " -std=gnu11"
	isCPlusPlus := strings.HasSuffix(b.source, ".cpp")
	if isCPlusPlus {
		compiler, link = "arm-none-eabi-g++", "arm-none-eabi-g++"
		options = b.options + " -std=c++17 -fno-exceptions"
		if b.source == "kinds.cpp" { // char8_t
			options = strings.Replace(options, "17", "20", 1)
		}
	}
	if b.source == "kinds.c" && b.compiler == "gcc" {
		options += " -mfp16-format=ieee"
	}
	if b.compiler != "gcc" {
		const library = "/usr/include/newlib/c++/12.2.1" // Debian 12
		options += " --target=arm-none-eabi"
		compiler = b.compiler
		if b.source == "kinds.c" {
			options = strings.Replace(options, "gnu11", "gnu2x", 1) + " -ffixed-point"
		}
		if isCPlusPlus {
			compiler = strings.Replace(b.compiler, "clang", "clang++", 1)
			options += " -nostdinc++ -isystem " + library + " -isystem " + library + "/arm-none-eabi/thumb/v7-m/nofp"
		}
		options += " -isystem /usr/include/newlib"
	}
	program := object(compiler, b.source, options)
	startup := object("arm-none-eabi-gcc", "startup.c", "-O1")
	tool(t, link, append(b.machineFlags(), "-nostartfiles", "-T", "program.ld", startup, program,
		"-specs=nano.specs", "-specs=nosys.specs", "-o", elf)...)
	return elf
}

func tool(t testing.TB, name string, args ...string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = "testdata/program"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
}

// stopped is a machine as testdata/values.py saved it.
type stopped struct {
	memory memmap.Map
	regs   core.Regs
}

func readStopped(t testing.TB, path string) *stopped {
	t.Helper()
	s := &stopped{}
	files, err := filepath.Glob(path + ".*.ram")
	if err != nil || len(files) == 0 {
		t.Fatalf("no memory of %s: %v", path, err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var at uint32
		if _, err := fmt.Sscanf(strings.TrimPrefix(f, path), ".%x.ram", &at); err != nil {
			t.Fatal(err)
		}
		s.memory.AddBytes(core.Addr(at), data)
	}
	text, err := os.ReadFile(path + ".regs")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var name string
		var value uint32
		if _, err := fmt.Sscan(line, &name, &value); err != nil {
			t.Fatal(err)
		}
		if r, ok := core.LookupReg(name); ok {
			s.regs.Set(r, value)
		}
	}
	return s
}

func (s *stopped) Memory() core.Memory   { return &s.memory }
func (s *stopped) Profile() core.Profile { return core.ProfileM }

func (s *stopped) Threads(context.Context) ([]core.Thread, error) {
	return []core.Thread{{ID: 1, Crashed: true}}, nil
}

func (s *stopped) Registers(context.Context, core.ThreadID) (core.Regs, error) { return s.regs, nil }

// openProgram opens an ELF.
func openProgram(t testing.TB, elf string) *session.Program {
	t.Helper()
	p, err := session.OpenProgram(context.Background(), session.Config{Image: elf})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// openStopped opens a saved stop of a program.
func openStopped(t testing.TB, p *session.Program, path string) *session.Session {
	t.Helper()
	s, err := p.OpenTarget(context.Background(), readStopped(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBuildsAgainstGDB compares the variables of testdata/program at several
// stops with gdb, for all compilers and levels of optimisation.
func TestBuildsAgainstGDB(t *testing.T) {
	t.Parallel()
	sum := newAgreement()
	list := builds()
	if !*all {
		list = slices.DeleteFunc(list, func(b build) bool { return !b.often })
		for i := range list {
			list[i].stops = min(list[i].stops, 3)
		}
	}
	for _, b := range list {
		t.Run(b.name(), func(t *testing.T) {
			elf := b.compile(t)
			p := openProgram(t, elf)
			dir := t.TempDir()
			run := gdbRun{elf: elf, target: qemu.StartTest(t, qemu.Config{Machine: b.board(), ELF: elf}).Address, stops: b.stops, dir: dir, floats: "s"}
			if b.compiler != "gcc" {
				run.floats = "d"
			}
			run.globals = globalsOf(t, p)
			frames, leaves := run.do(t)
			for stop := range b.stops {
				s := openStopped(t, p, filepath.Join(dir, fmt.Sprint(stop)))
				sum.compare(t, fmt.Sprintf("%s/%d", b.name(), stop), s, run.globals, frames[stop], leaves[stop])
				if b.source == "program.cpp" && stop == 0 {
					checkViews(t, s)
				}
			}
		})
	}
	sum.report(t)
}

// TestRustAgainstGDB compares the statics and the variables of programs in Rust.
func TestRustAgainstGDB(t *testing.T) {
	t.Parallel()
	dir := coretest.Shared(t, "dumps", "probe-rs")
	dumps, err := filepath.Glob(filepath.Join(dir, "*.coredump"))
	if err != nil || len(dumps) == 0 {
		t.Skip("no dumps of programs in Rust")
	}
	if !*all {
		dumps = dumps[:2]
	}
	sum := newAgreement()
	for _, d := range dumps {
		t.Run(filepath.Base(d), func(t *testing.T) {
			elf := strings.TrimSuffix(d, ".coredump") + ".elf"
			p := openProgram(t, elf)
			s, err := p.OpenDump(context.Background(), d, session.DumpOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			converted := filepath.Join(t.TempDir(), "core")
			var out bytes.Buffer
			if err := s.WriteCore(context.Background(), &out, true); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(converted, out.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			run := gdbRun{elf: elf, core: converted, globals: globalsOf(t, p), rust: true}
			frames, leaves := run.do(t)
			sum.compare(t, filepath.Base(d), s, run.globals, frames[0], leaves[0])
		})
	}
	sum.report(t)
}
