package elfsym_test

import (
	"bytes"
	"debug/elf"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"pushmask/elfsym"
)

// structNames are what layout.c declares, and what it does not.
var structNames = []string{"node", "anonymous_tag_t", "renamed_t", "bits", "packed", "outer", "user", "state", "mode_t_", "opaque", "truth", "none"}

// exerciseStructs asks for every layout and follows every path.
func exerciseStructs(b []byte) {
	m, err := elfsym.New(bytes.NewReader(b), "hostile.elf", elfsym.Options{})
	if err != nil {
		return
	}
	for _, name := range structNames {
		if s, ok := m.Struct(name); ok {
			for _, f := range s.Members {
				s.Member(f.Name)
				s.Member(f.Name + "." + f.Name)
			}
			s.Member("a.b.c")
		}
		m.Enum(name)
		m.Variables(name)
	}
}

// structSeeds builds layout.c with both compilers where they are installed.
func structSeeds(t testing.TB) [][]byte {
	t.Helper()
	var out [][]byte
	for i, args := range [][]string{
		{"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-gdwarf-4"},
		{"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-gdwarf-2", "-gstrict-dwarf"},
		{"clang-16", "--target=arm-none-eabi", "-mcpu=cortex-m4", "-gdwarf-5", "-fuse-ld=lld-16"},
	} {
		if _, err := exec.LookPath(args[0]); err != nil {
			continue
		}
		path := filepath.Join(t.TempDir(), string(rune('a'+i)))
		all := append(args[1:len(args):len(args)], "-mthumb", "-ffreestanding", "-nostdlib", "-o", path, "testdata/struct/layout.c")
		if b, err := exec.Command(args[0], all...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

func FuzzStruct(f *testing.F) {
	for _, b := range structSeeds(f) {
		f.Add(b)
	}
	f.Add(elfFile{sections: []elfSection{code(".text", 0x8000, 64)}}.bytes())
	f.Fuzz(func(t *testing.T, b []byte) { exerciseStructs(b) })
}

// TestStructMutations damages type information: no panic, and an end in time.
func TestStructMutations(t *testing.T) {
	t.Parallel()
	seeds := structSeeds(t)
	if len(seeds) == 0 {
		t.Skip("no compiler for ARM is installed: there is no type information to damage")
	}
	rounds := 500
	if testing.Short() {
		rounds = 50
	}
	r := rand.New(rand.NewPCG(3, 4))
	var slowest time.Duration
	for _, seed := range seeds {
		for range rounds {
			b := mutateDebug(t, r, seed)
			start := time.Now()
			exerciseStructs(b)
			slowest = max(slowest, time.Since(start))
		}
	}
	t.Logf("%d mutations, slowest %v", rounds*len(seeds), slowest)
	if slowest > 5*time.Second {
		t.Errorf("a mutation took %v", slowest)
	}
}

// mutateDebug changes one to eight bytes of .debug_info or .debug_abbrev.
func mutateDebug(t *testing.T, r *rand.Rand, seed []byte) []byte {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(seed))
	if err != nil {
		t.Fatal(err)
	}
	b := bytes.Clone(seed)
	for range 1 + r.IntN(8) {
		s := f.Section([]string{".debug_info", ".debug_abbrev"}[r.IntN(2)])
		b[s.Offset+uint64(r.IntN(int(s.Size)))] = byte(r.Uint32())
	}
	return b
}
