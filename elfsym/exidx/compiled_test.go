package exidx_test

import (
	"path/filepath"
	"testing"
)

// compilations are firmware to compile for comparison, each with a compiler
// and code generator of its own.
var compilations = []struct {
	name, compiler, source string
	flags                  []string
}{
	{"gcc v6-M C++", "arm-none-eabi-g++", "throw.cc", []string{"-mcpu=cortex-m0", "-mthumb", "-Os", "-fexceptions", "--specs=nosys.specs"}},
	{"gcc v7E-M C++", "arm-none-eabi-g++", "throw.cc", []string{"-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "-O2", "-fexceptions", "--specs=nosys.specs"}},
	{"gcc A32 C++", "arm-none-eabi-g++", "throw.cc", []string{"-marm", "-O2", "-fexceptions", "--specs=nosys.specs"}},
	{"gcc v7E-M C", "arm-none-eabi-gcc", "frames.c", []string{"-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv5-d16", "-O2", "-funwind-tables", "-nostdlib"}},
	{"clang v8.1-M PAC C", "clang-16", "frames.c", []string{"--target=arm-none-eabi", "-march=armv8.1-m.main+pacbti+fp.dp", "-mbranch-protection=standard", "-mthumb", "-mfloat-abi=hard", "-O2", "-funwind-tables", "-nostdlib", "-fuse-ld=lld-16"}},
	{"gcc A32 frame pointer", "arm-none-eabi-gcc", "frames.c", []string{"-march=armv7-a+vfpv4", "-marm", "-mfloat-abi=hard", "-O0", "-mapcs-frame", "-funwind-tables", "-nostdlib"}},
	{"clang v7E-M C", "clang-16", "frames.c", []string{"--target=arm-none-eabi", "-mcpu=cortex-m7", "-mfloat-abi=hard", "-O2", "-funwind-tables", "-nostdlib", "-fuse-ld=lld-16"}},
	{"clang v6-M C", "clang-16", "frames.c", []string{"--target=arm-none-eabi", "-mcpu=cortex-m0", "-O0", "-funwind-tables", "-nostdlib", "-fuse-ld=lld-16"}},
	{"clang A32 C", "clang-16", "frames.c", []string{"--target=arm-none-eabi", "-march=armv7-a", "-mfloat-abi=hard", "-Os", "-funwind-tables", "-nostdlib", "-fuse-ld=lld-16"}},
}

// TestCompiled compares with readelf what compilers make now; frames.c alone
// is linked without libraries, undefined helpers of the compiler's resolve to 0.
func TestCompiled(t *testing.T) {
	t.Parallel()
	for _, c := range compilations {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "fw.elf")
			args := append([]string{"-g", "-o", out, filepath.Join("testdata", c.source), "-Wl,--unresolved-symbols=ignore-all"}, c.flags...)
			run(t, toolchain(t, c.compiler), args...)
			entries, ops := compareReadelf(t, out)
			t.Logf("%d entries, %d instructions", entries, ops)
			if ops == 0 {
				t.Error("nothing compared")
			}
		})
	}
}
