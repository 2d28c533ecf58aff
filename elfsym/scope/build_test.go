package scope_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"

	"pushmask/elfsym"
)

// build is a program of testdata with the compiler and options that make it.
type build struct {
	name, compiler, source string
	flags                  []string
}

var (
	gccM4   = []string{"-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "-Wl,-e,start"}
	gccM0   = []string{"-mcpu=cortex-m0", "-mthumb", "-Wl,-e,start"}
	clangM4 = []string{"--target=arm-none-eabi", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-fuse-ld=lld-16", "-Wl,-e,start"}
	cxx     = []string{"-std=c++17", "-fno-exceptions"}
)

func flags(base []string, more ...string) []string {
	return append(base[:len(base):len(base)], more...)
}

// builds are the compilers, levels of optimisation and versions of DWARF that
// are compared.
var builds = []build{
	{"gcc C O0 v2", "arm-none-eabi-gcc", "values.c", flags(gccM4, "-O0", "-gdwarf-2", "-gstrict-dwarf")},
	{"gcc C O0 v5", "arm-none-eabi-gcc", "values.c", flags(gccM4, "-O0", "-gdwarf-5")},
	{"gcc C Og v3", "arm-none-eabi-gcc", "values.c", flags(gccM0, "-Og", "-gdwarf-3")},
	{"gcc C Og v4", "arm-none-eabi-gcc", "values.c", flags(gccM4, "-Og", "-gdwarf-4")},
	{"gcc C O2 v4", "arm-none-eabi-gcc", "values.c", flags(gccM4, "-O2", "-gdwarf-4")},
	{"gcc C O2 v5", "arm-none-eabi-gcc", "values.c", flags(gccM4, "-O2", "-gdwarf-5")},
	{"gcc C Os v5 64-bit", "arm-none-eabi-gcc", "values.c", flags(gccM0, "-Os", "-gdwarf-5", "-gdwarf64")},
	{"gcc C O2 types v4", "arm-none-eabi-gcc", "values.c", flags(gccM4, "-O2", "-gdwarf-4", "-fdebug-types-section")},
	{"gcc C O2 LTO v5", "arm-none-eabi-gcc", "values.c", flags(gccM4, "-O2", "-gdwarf-5", "-flto")},
	{"gcc C++ O0 v4", "arm-none-eabi-g++", "values.cc", flags(gccM4, append(cxx, "-O0", "-gdwarf-4")...)},
	{"gcc C++ Og v5", "arm-none-eabi-g++", "values.cc", flags(gccM4, append(cxx, "-Og", "-gdwarf-5")...)},
	{"gcc C++ O2 v5", "arm-none-eabi-g++", "values.cc", flags(gccM0, append(cxx, "-O2", "-gdwarf-5")...)},
	{"gcc C++ O2 types v5", "arm-none-eabi-g++", "values.cc", flags(gccM4, append(cxx, "-O2", "-gdwarf-5", "-fdebug-types-section")...)},
	{"clang C O0 v4", "clang-16", "values.c", flags(clangM4, "-O0", "-gdwarf-4")},
	{"clang C O1 v3", "clang-16", "values.c", flags(clangM4, "-O1", "-gdwarf-3")},
	{"clang C O2 v4", "clang-16", "values.c", flags(clangM4, "-O2", "-gdwarf-4")},
	{"clang C O2 v5", "clang-16", "values.c", flags(clangM4, "-O2", "-gdwarf-5")},
	{"clang C++ O0 v5", "clang-16", "values.cc", flags(clangM4, append(cxx, "-O0", "-gdwarf-5")...)},
	{"clang C++ O2 v4", "clang-16", "values.cc", flags(clangM4, append(cxx, "-O2", "-gdwarf-4")...)},
	{"clang C++ O2 types v5", "clang-16", "values.cc", flags(clangM4, append(cxx, "-O2", "-gdwarf-5", "-fdebug-types-section")...)},
}

// compile makes the program and returns its path; helpers of the compiler's that
// no library defines resolve to 0.
func (b build) compile(t testing.TB) string {
	t.Helper()
	compiler, err := exec.LookPath(b.compiler)
	if err != nil {
		t.Skipf("%s is not installed", b.compiler)
	}
	out := filepath.Join(t.TempDir(), "fw.elf")
	args := []string{"-ffreestanding", "-nostdlib", "-w", "-Wl,--unresolved-symbols=ignore-all", "-o", out, b.source}
	run(t, "testdata", compiler, append(args, b.flags...)...)
	return out
}

func run(t testing.TB, dir, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, &stderr)
	}
	return out
}

func open(t testing.TB, path string) *elfsym.Image {
	t.Helper()
	m, err := elfsym.Open(path, elfsym.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}
