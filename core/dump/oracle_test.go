package dump

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest"
)

// oracleSample is a stopped machine of the recordings in shared/cases/oracle.
type oracleSample struct {
	Regs [17]uint32
	Mem  []oracleMemory
}

// oracleMemory is [address, hex bytes].
type oracleMemory struct {
	addr uint32
	data []byte
}

func (m *oracleMemory) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &[]any{&m.addr, &text}); err != nil {
		return err
	}
	var err error
	m.data, err = hex.DecodeString(text)
	return err
}

// TestSharedOracle writes every tenth sample as a core and opens it:
// registers, memory and above all the profile, which only the status register
// tells.
func TestSharedOracle(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(coretest.Shared(t, "cases", "oracle"), "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			want := core.ProfileM
			if strings.Contains(path, "a32") {
				want = core.ProfileA
			}
			n := 0
			for s := range oracleSamples(t, path) {
				checkSample(t, s, want)
				n++
			}
			if n < 100 {
				t.Errorf("only %d samples", n)
			}
		})
	}
}

func checkSample(t *testing.T, s oracleSample, want core.Profile) {
	t.Helper()
	file := coretest.ELFCore{Segments: []coretest.ELFSegment{
		coretest.NoteSegment(coretest.PRStatus{Signal: 11, PID: 1, Regs: s.Regs}.Note()),
	}}
	for _, m := range s.Mem {
		file.Segments = append(file.Segments, coretest.ELFSegment{Addr: m.addr, Data: m.data})
	}
	d := mustOpen(t, file.Bytes())
	if d.Profile() != want {
		t.Errorf("psr %#x: profile %v, want %v", s.Regs[16], d.Profile(), want)
	}
	regs, err := d.Registers(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range s.Regs {
		if got, ok := regs.Get(core.Reg(i)); !ok || got != v {
			t.Errorf("%v = %#x, want %#x", core.Reg(i), got, v)
		}
	}
	for _, m := range s.Mem {
		got := make([]byte, len(m.data))
		if _, err := d.Memory().ReadAt(core.Addr(m.addr), got); err != nil || string(got) != string(m.data) {
			t.Errorf("memory at %#x differs: %v", m.addr, err)
		}
	}
}

// oracleSamples yields every tenth sample of a recording.
func oracleSamples(t *testing.T, path string) func(func(oracleSample) bool) {
	return func(yield func(oracleSample) bool) {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(z)
		lines.Buffer(nil, 16<<20)
		lines.Scan() // names the ELF
		for i := 0; lines.Scan(); i++ {
			if i%10 != 0 {
				continue
			}
			var s oracleSample
			if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
				t.Fatal(err)
			}
			if !yield(s) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
}
