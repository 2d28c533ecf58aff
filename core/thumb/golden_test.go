package thumb

import (
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core/insn"
)

var update = flag.Bool("update", false, "rewrite the texts in testdata")

// TestGolden checks testdata/decode.txt, lines of "bytes| text" at address
// 0x1000 in memory order, against Text. It needs no toolchain.
func TestGolden(t *testing.T) {
	t.Parallel()
	path := filepath.Join("testdata", "decode.txt")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for line := range strings.Lines(string(want)) {
		code, _, found := strings.Cut(line, "|")
		if !found {
			got.WriteString(line)
			continue
		}
		b, err := hex.DecodeString(code)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		i, err := Decode(b, 0x1000)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		got.WriteString(code + "| " + Text(i, insn.AL) + "\n")
	}
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(string(want), got.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
