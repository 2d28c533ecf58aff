package cfi_test

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/elfsym/cfi"
)

// compilations are firmware to compile for comparison, each with a compiler
// and code generator of its own. frames.s has every kind of rule, in both
// sections and in the versions of the format.
var compilations = []struct {
	name, compiler, source string
	flags                  []string
}{
	{"gcc v6-M C++", "arm-none-eabi-g++", "../exidx/testdata/throw.cc", []string{"-mcpu=cortex-m0", "-mthumb", "-Os", "-fexceptions", "--specs=nosys.specs"}},
	{"gcc v7E-M C++", "arm-none-eabi-g++", "../exidx/testdata/throw.cc", []string{"-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "-O2", "-fexceptions", "--specs=nosys.specs"}},
	{"gcc A32 frame pointer", "arm-none-eabi-gcc", "../exidx/testdata/frames.c", []string{"-march=armv7-a+vfpv4", "-marm", "-mfloat-abi=hard", "-O0", "-mapcs-frame", "-nostdlib"}},
	{"gcc v7E-M", "arm-none-eabi-gcc", "../exidx/testdata/frames.c", []string{"-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv5-d16", "-O2", "-nostdlib"}},
	{"clang v8.1-M PAC", "clang-16", "../exidx/testdata/frames.c", []string{"--target=arm-none-eabi", "-march=armv8.1-m.main+pacbti+fp.dp", "-mbranch-protection=standard", "-mthumb", "-mfloat-abi=hard", "-O2", "-nostdlib", "-fuse-ld=lld-16"}},
	{"clang v6-M", "clang-16", "../exidx/testdata/frames.c", []string{"--target=arm-none-eabi", "-mcpu=cortex-m0", "-O0", "-nostdlib", "-fuse-ld=lld-16"}},
	{"clang A32", "clang-16", "../exidx/testdata/frames.c", []string{"--target=arm-none-eabi", "-march=armv7-a", "-mfloat-abi=hard", "-Os", "-nostdlib", "-fuse-ld=lld-16"}},
	{"rules version 1", "arm-none-eabi-gcc", "testdata/frames.s", []string{"-mcpu=cortex-m4", "-nostdlib", "-Wa,--gdwarf-cie-version=1"}},
	{"rules version 3", "arm-none-eabi-gcc", "testdata/frames.s", []string{"-mcpu=cortex-m4", "-nostdlib", "-Wa,--gdwarf-cie-version=3"}},
}

// TestCompiled compares with readelf what compilers make now.
func TestCompiled(t *testing.T) {
	t.Parallel()
	for _, c := range compilations {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "fw.elf")
			compile(t, out, c.compiler, c.source, c.flags...)
			entries, rows := compareReadelf(t, out)
			t.Logf("%d entries, %d rows", entries, rows)
			if rows == 0 {
				t.Error("nothing compared")
			}
		})
	}
}

// compile links a program; helpers of the compiler's that no library defines
// resolve to 0.
func compile(t *testing.T, out, compiler, source string, flags ...string) {
	t.Helper()
	args := append([]string{"-g", "-o", out, source, "-Wl,--unresolved-symbols=ignore-all"}, flags...)
	run(t, toolchain(t, compiler), args...)
}

// TestAssemblerVersion4 is about CIEs of version 4 by the GNU assembler, which
// state addresses of 8 bytes. readelf 2.40 believes that and reads nonsense,
// so the rows are compared with those of version 1.
func TestAssemblerVersion4(t *testing.T) {
	t.Parallel()
	rows := map[string][]string{}
	for _, version := range []string{"1", "4"} {
		out := filepath.Join(t.TempDir(), "fw.elf")
		compile(t, out, "arm-none-eabi-gcc", "testdata/frames.s", "-mcpu=cortex-m4", "-nostdlib", "-Wa,--gdwarf-cie-version="+version)
		table, err := cfi.Parse(sections(t, out)[:1]...)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range table.FDEs() {
			if got := strconv.Itoa(int(f.CIE.Version)); got != version {
				t.Errorf("version %s, want %s", got, version)
			}
			list, err := f.Rows()
			if err != nil {
				t.Error(err)
			}
			for _, r := range list {
				rows[version] = append(rows[version], r.String())
			}
		}
	}
	if diff := cmp.Diff(rows["1"], rows["4"]); diff != "" || len(rows["1"]) == 0 {
		t.Errorf("%d rows differ between the versions 1 and 4:\n%s", len(rows["1"]), diff)
	}
}
