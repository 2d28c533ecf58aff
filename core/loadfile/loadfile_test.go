package loadfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

func firmware(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join("..", "..", "testdata", "firmware", name)
}

// TestELF loads initial values of variables where the start-up code copies them
// from.
func TestELF(t *testing.T) {
	t.Parallel()
	program, err := Read(firmware(t, "m3-O0/fw.elf"), nil)
	if err != nil {
		t.Fatal(err)
	}
	parts := program.Parts
	if program.Entry == nil || *program.Entry&1 == 0 {
		t.Error("the program has no entry in T32")
	}
	if len(parts) < 2 || parts[0].Addr != 0 {
		t.Fatalf("%d parts, the first at %v", len(parts), parts[0].Addr)
	}
	for _, p := range parts {
		if p.Addr >= 0x20000000 {
			t.Errorf("%d bytes are loaded at %v, which is RAM", len(p.Data), p.Addr)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	base := core.Addr(0x08000000)
	last := core.Addr(0xfffffffe)
	for _, test := range []struct {
		name, data string
		base       *core.Addr
		want       []Part
		wantErr    string
	}{
		{name: "Intel HEX", data: ":0400000001020304F2\n:00000001FF\n", want: []Part{{0, []byte{1, 2, 3, 4}}}},
		{name: "S-records", data: "S1070000010203 04EE\n", wantErr: "does not say where"},
		{name: "plain", data: "abc", base: &base, want: []Part{{base, []byte("abc")}}},
		{name: "plain without an address", data: "abc", wantErr: "no address was given"},
		{name: "too far", data: "abc", base: &last, wantErr: "outside of the 32-bit"},
		{name: "damaged", data: ":0400000001020304F2\n:0400040001020304FF\n:00000001FF\n", wantErr: "line 2"},
		{name: "short ELF", data: "\x7fELF\x01\x01", wantErr: "EOF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := parse([]byte(test.data), test.base)
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Fatalf("got %v, error %v; want one with %q", got, err, test.wantErr)
				}
				return
			}
			if diff := cmp.Diff(Program{Parts: test.want}, got); err != nil || diff != "" {
				t.Errorf("error %v, parts differ (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	if _, err := Read(filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want %v", err, os.ErrNotExist)
	}
	if _, err := Read(firmware(t, "build.sh"), nil); !errors.Is(err, ErrNoAddress) {
		t.Errorf("error %v, want %v", err, ErrNoAddress)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"m3-O0/fw.elf", "README.md"} {
		data, err := os.ReadFile(firmware(f, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(":0400000001020304F2\n:00000001FF\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		base := core.Addr(0x20000000)
		program, err := parse(data, &base)
		total := 0
		for _, p := range program.Parts {
			total += len(p.Data)
		}
		if err == nil && total > 64*len(data)+64 {
			t.Errorf("%d bytes of %d", total, len(data))
		}
	})
}
