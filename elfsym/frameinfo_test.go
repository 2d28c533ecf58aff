package elfsym_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/elfsym"
	"pushmask/elfsym/exidx"
	"pushmask/internal/cursor"
)

const cppFirmware = "../testdata/firmware/cpp/fw.elf"

// frameTables lists what the tables of an image say: the number of FDEs, and each
// entry of the exception index with its instructions.
func frameTables(t *testing.T, m *elfsym.Image) (fdes int, entries []string) {
	t.Helper()
	table, err := m.CFI()
	if err != nil {
		t.Fatal(err)
	}
	index, err := m.EXIDX()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range index.Entries() {
		u, err := e.Unwind()
		if err != nil {
			t.Error(err)
		}
		s := fmt.Sprintf("%#x", e.Start)
		if u.CantUnwind {
			s += " cantunwind"
		}
		for _, op := range u.Ops {
			s += "; " + op.String()
		}
		entries = append(entries, s)
	}
	return len(table.FDEs()), entries
}

// exceptionIndex is the index of the C++ fixture, as readelf -u lists it.
var exceptionIndex = []string{
	"0xc4 cantunwind",
	"0x128; pop {r3}; pop {r4, r5, r6, r7, r8, r9, r14}",
	"0x170; vsp = vsp + 28; pop {r4, r5, r14}; finish",
	"0x1a0; pop {r3}; pop {r14}; finish",
	"0x1d4 cantunwind",
}

func TestFrameTables(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(cppFirmware)
	if err != nil {
		t.Fatal(err)
	}
	noSections := bytes.Clone(b)
	binary.LittleEndian.PutUint32(noSections[32:], 0) // e_shoff
	clear(noSections[48:52])                          // e_shnum, e_shstrndx
	for _, tt := range []struct {
		name string
		file []byte
		opt  elfsym.Options
		fdes int
		want []string
	}{
		{"all of it", b, elfsym.Options{}, 11, exceptionIndex},
		{"without symbols", b, elfsym.Options{NoSymbols: true}, 11, exceptionIndex},
		{"without section headers", noSections, elfsym.Options{}, 0, exceptionIndex},
		{"not allowed", b, elfsym.Options{NoDebug: true}, 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := elfsym.New(bytes.NewReader(tt.file), "fw.elf", tt.opt)
			if err != nil {
				t.Fatal(err)
			}
			fdes, entries := frameTables(t, m)
			if diff := cmp.Diff(tt.want, entries); diff != "" {
				t.Errorf("exception index (-want +got):\n%s", diff)
			}
			if fdes != tt.fdes {
				t.Errorf("%d FDEs, want %d", fdes, tt.fdes)
			}
			if table, _ := m.CFI(); (table == nil) != (tt.fdes == 0) {
				t.Errorf("table of %d FDEs is %v", tt.fdes, table)
			}
		})
	}
}

// TestCompressedFrames opens the same program with its sections compressed in
// each way.
func TestCompressedFrames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"dwarf5", "zlib", "zlib-gnu", "zstd"} {
		m := open(t, "testdata/locate/inline."+name+".elf", elfsym.Options{})
		table, err := m.CFI()
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for _, f := range table.FDEs() {
			list, err := f.Rows()
			if err != nil {
				t.Error(err)
			}
			for _, r := range list {
				rows = append(rows, r.String())
			}
		}
		if len(table.FDEs()) == 0 || !strings.Contains(strings.Join(rows, "\n"), "lr=c-4") {
			t.Errorf("%s: rows %q", name, rows)
		}
	}
}

func TestDamagedFrameTables(t *testing.T) {
	t.Parallel()
	text := code(".text", 0x8000, 64)
	for _, tt := range []struct {
		name    string
		section elfSection
		want    string
	}{
		{"CFI", elfSection{name: ".debug_frame", data: []byte{0xff, 0, 0, 0, 1}}, "parse call frame information: .debug_frame: offset"},
		{"index", elfSection{name: ".ARM.exidx", typ: 0x70000001, flags: elf.SHF_ALLOC, addr: 0x9000, data: []byte{0, 0x70, 0xff, 0x7f, 1, 0, 0, 0, 1}}, "parse .ARM.exidx: malformed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := elfsym.New(bytes.NewReader(elfFile{sections: []elfSection{text, tt.section}}.bytes()), "fw.elf", elfsym.Options{})
			if err != nil {
				t.Fatal(err)
			}
			table, cfiErr := m.CFI()
			index, indexErr := m.EXIDX()
			err = errors.Join(cfiErr, indexErr)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if _, ok := errors.AsType[*cursor.Error](err); !ok && !errors.Is(err, exidx.ErrMalformed) {
				t.Errorf("error %v has no type", err)
			}
			if table == nil && len(index.Entries()) != 1 {
				t.Error("what is whole is missing")
			}
			if again, _ := m.CFI(); again != table || len(m.Problems()) != 1 {
				t.Errorf("problems after a second look: %v", m.Problems())
			}
		})
	}
}
