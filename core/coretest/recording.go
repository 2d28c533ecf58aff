package coretest

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pushmask/core"
)

// Sample is one stopped machine of a recording, with its true stack.
type Sample struct {
	Step  int
	Regs  core.Regs
	Stack []Chunk
	// Control holds registers of the core's system control space.
	Control []Chunk
	Frames  []core.Addr // PC, then the return addresses, the entry function's last
	// Callers has the registers of each of Frames but the first as its code had
	// them at the call or the interruption, as far as they are known. A recording
	// has none.
	Callers []core.Regs
}

// Chunk is a range of recorded memory.
type Chunk struct {
	Addr core.Addr
	Data []byte
}

// ReadAt implements core.Memory for the recorded memory alone.
func (s *Sample) ReadAt(a core.Addr, p []byte) (int, error) {
	for _, c := range slices.Concat(s.Stack, s.Control) {
		if a >= c.Addr && uint64(a) < uint64(c.Addr)+uint64(len(c.Data)) {
			n := copy(p, c.Data[a-c.Addr:])
			if n < len(p) {
				return n, &core.ReadError{Addr: a + core.Addr(n), Len: uint32(len(p) - n)}
			}
			return n, nil
		}
	}
	return 0, &core.ReadError{Addr: a, Len: uint32(len(p))}
}

// ReadRecording reads a recording (one JSON line per sample, the first line
// names the ELF) and returns the path of its ELF and the samples.
func ReadRecording(t testing.TB, path string) (elf string, samples []Sample) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if elf == "" {
			var head struct{ Elf string }
			if err := json.Unmarshal(lines.Bytes(), &head); err != nil {
				t.Fatal(err)
			}
			elf = filepath.Join(filepath.Dir(path), filepath.Base(head.Elf))
			continue
		}
		samples = append(samples, parseSample(t, lines.Bytes()))
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return elf, samples
}

func parseSample(t testing.TB, line []byte) Sample {
	t.Helper()
	var raw struct {
		N      int
		Regs   []uint32
		Mem    [][2]any
		Frames []uint32
	}
	if err := json.Unmarshal(line, &raw); err != nil {
		t.Fatal(err)
	}
	s := Sample{Step: raw.N}
	for i, v := range raw.Regs {
		s.Regs.Set(core.Reg(i), v)
	}
	for _, m := range raw.Mem {
		data, err := hex.DecodeString(m[1].(string))
		if err != nil {
			t.Fatal(err)
		}
		s.Stack = append(s.Stack, Chunk{core.Addr(m[0].(float64)), data})
	}
	for _, f := range raw.Frames {
		s.Frames = append(s.Frames, core.Addr(f))
	}
	return s
}

// Verdict grades frames against the truth.
type Verdict uint8

// The verdicts: the whole list is equal; a true prefix; anything else, a
// frame past the entry function included.
const (
	Exact Verdict = iota
	Short
	Wrong
)

// Judge grades got against the true stack.
func (s *Sample) Judge(got []core.Addr) Verdict {
	for i, a := range got {
		if i >= len(s.Frames) || a != s.Frames[i] {
			return Wrong
		}
	}
	if len(got) < len(s.Frames) {
		return Short
	}
	return Exact
}
