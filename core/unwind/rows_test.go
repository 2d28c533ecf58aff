package unwind

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/a32"
	"pushmask/core/insn"
	"pushmask/core/thumb"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// bareText is code without an image: no symbols, nothing known of callees.
type bareText struct{ *extent }

func (t bareText) at(a core.Addr) []byte {
	if t.contains(a) {
		return t.data[a-t.lo:]
	}
	return nil
}

func (bareText) noReturn(codePtr) bool             { return false }
func (bareText) switchHelper(core.Addr) switchKind { return switchNone }
func (bareText) subroutine(core.Addr, *Func) bool  { return true }
func (bareText) isData(core.Addr) bool             { return false }
func (bareText) starts(core.Addr) bool             { return false }

// TestRows checks the row before every instruction of small functions: each
// file of testdata/rows is a listing (bytes, text) with the rows that hold.
// "-" marks bytes that no control flow reaches.
func TestRows(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/rows/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no listings: %v", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := annotate(t, string(raw))
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(raw), got); d != "" {
				t.Errorf("rows differ (-want +got):\n%s", d)
			}
		})
	}
}

// annotate reads the bytes of a listing, analyses them and lists them again.
func annotate(t *testing.T, listing string) string {
	t.Helper()
	code := bareText{&extent{lo: 0x1000}}
	th, head := true, ""
	for line := range strings.Lines(listing) {
		if strings.HasPrefix(line, "#") {
			head += line
			th = th && !strings.HasPrefix(line, "# a32")
			continue
		}
		code.data = append(code.data, codeBytes(t, line, th)...)
	}
	end := code.lo + core.Addr(len(code.data))
	p := analyse(Func{Entry: code.lo, End: end, Thumb: th}, code, code)
	var b bytes.Buffer
	b.WriteString(head)
	var it thumb.ITState
	for pc := code.lo; pc < end; {
		i, err := fetch(code, pc, th)
		if err != nil {
			t.Fatalf("decode at %v: %v", pc, err)
		}
		text := thumb.Text(i, it.Cond())
		if !th {
			text = a32.Text(i)
		}
		it = it.Next(i)
		fmt.Fprintf(&b, "%-9s  %-32s | %s\n", encoding(&i), text, rowsText(p, pc))
		pc = i.Next()
	}
	return b.String()
}

func rowsText(p *Plan, pc core.Addr) string {
	rows := p.Rows(pc)
	if len(rows) == 0 {
		return "-"
	}
	texts := make([]string, len(rows))
	for i, r := range rows {
		texts[i] = r.String() + floatsText(&r.floats)
	}
	return strings.Join(texts, "  or  ")
}

// floatsText lists the FP registers of the caller that are saved or lost; those
// that hold their value still are left out.
func floatsText(f *floats) string {
	var b strings.Builder
	for k := range 16 {
		q := firstHigh + core.Reg(k)
		n := slices.IndexFunc(f.saved, func(s SavedRule) bool { return s.Reg == q })
		switch {
		case n >= 0:
			fmt.Fprintf(&b, " %v=%v", q, f.saved[n].Loc)
		case f.kept>>k&1 == 0:
			fmt.Fprintf(&b, " %v=lost", q)
		}
	}
	return b.String()
}

// codeBytes decodes the first column of a listing line: halfwords in T32, a
// word in A32, as objdump prints them.
func codeBytes(t *testing.T, line string, th bool) []byte {
	t.Helper()
	var out []byte
	width := 4
	if !th {
		width = 8
	}
	for f := range strings.FieldsSeq(line) {
		if len(f) != width {
			break
		}
		b, err := hex.DecodeString(f)
		if err != nil {
			break
		}
		if th {
			out = binary.LittleEndian.AppendUint16(out, binary.BigEndian.Uint16(b))
		} else {
			out = binary.LittleEndian.AppendUint32(out, binary.BigEndian.Uint32(b))
		}
	}
	return out
}

func encoding(i *insn.Inst) string {
	switch {
	case !i.Thumb:
		return fmt.Sprintf("%08x", i.Raw)
	case i.Size == 2:
		return fmt.Sprintf("%04x", i.Raw)
	}
	return fmt.Sprintf("%04x %04x", i.Raw>>16, i.Raw&0xffff)
}
