package session

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest"
)

// oracleStride is the distance of the samples that the test looks at; the
// unwinder's own test looks at all of them.
const oracleStride = 5

// oracleSample is a stopped machine with its true stack: PC of frame 0, then
// the return address of each call and the interrupted PC of each exception.
type oracleSample struct {
	Regs   [17]uint32           `json:"regs"` // r0-r12, sp, lr, pc, psr
	Mem    [][2]json.RawMessage `json:"mem"`  // address, hexadecimal bytes
	Frames []uint32             `json:"frames"`
}

// oracleLimits are the least share of exact and the greatest of wrong stacks,
// in percent.
type oracleLimits struct{ exact, wrong float64 }

// TestOracle unwinds recordings of single-stepped programs through the whole
// session, with all that the ELF has and with symbols only. The limits are
// shares in percent: at least so many stacks must be exact, at most so many may
// be wrong.
//
// In A32 the recorder takes no call of newlib's qsort ("mov lr, pc; bx r7") for
// one, and leaves qsort out of 61 of 2370 stacks; ours have it, and count as
// wrong here.
func TestOracle(t *testing.T) {
	t.Parallel()
	dir := coretest.Shared(t, "cases", "oracle")
	recordings := map[string]oracleLimits{
		"shapes-a32-O2": {97.2, 2.8},
		"shapes-m0-O0":  {100, 0},
		"shapes-m3-O0":  {100, 0},
		"shapes-m3-O2":  {100, 0},
		"shapes-m3-Os":  {100, 0},
		"shapes-m4-O2":  {100, 0},
	}
	for name, limits := range recordings {
		for mode, cfg := range map[string]Config{"whole": {}, "symbols": {NoDebug: true}} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				t.Parallel()
				cfg.Image = filepath.Join(dir, name+".elf")
				scoreRecording(t, cfg, filepath.Join(dir, name+".jsonl.gz"), limits)
			})
		}
	}
}

func scoreRecording(t *testing.T, cfg Config, path string, limits oracleLimits) {
	p, err := OpenProgram(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var exact, short, wrong int
	for _, sample := range readRecording(t, path) {
		got := sample.unwind(t, p)
		switch {
		case slices.Equal(got, sample.Frames):
			exact++
		case len(got) < len(sample.Frames) && slices.Equal(got, sample.Frames[:len(got)]):
			short++
		default:
			wrong++
		}
	}
	total := exact + short + wrong
	t.Logf("%d samples: %d exact, %d short, %d wrong", total, exact, short, wrong)
	if total < 100 {
		t.Errorf("only %d samples", total)
	}
	if share := 100 * float64(exact) / float64(total); share < limits.exact {
		t.Errorf("%.2f %% exact, want %.2f %%", share, limits.exact)
	}
	if share := 100 * float64(wrong) / float64(total); share > limits.wrong {
		t.Errorf("%.2f %% wrong, want at most %.2f %%", share, limits.wrong)
	}
}

// readRecording returns every oracleStride-th sample of a recording.
func readRecording(t *testing.T, path string) []oracleSample {
	t.Helper()
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
	lines.Buffer(nil, 1<<20)
	lines.Scan() // names the ELF
	var samples []oracleSample
	for n := 0; lines.Scan(); n++ {
		if n%oracleStride != 0 {
			continue
		}
		var s oracleSample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		samples = append(samples, s)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return samples
}

// target is the stopped machine.
func (o *oracleSample) target(t *testing.T) *fakeTarget {
	t.Helper()
	target := oneThread(core.ProfileM, 0, nil)
	var regs core.Regs
	for r, v := range o.Regs {
		regs.Set(core.Reg(r), v)
	}
	target.regs[1] = regs
	for _, m := range o.Mem {
		var addr uint32
		var text string
		if err := json.Unmarshal(m[0], &addr); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(m[1], &text); err != nil {
			t.Fatal(err)
		}
		b, err := hex.DecodeString(strings.TrimSpace(text))
		if err != nil {
			t.Fatal(err)
		}
		target.mem.AddBytes(core.Addr(addr), b)
	}
	return target
}

// unwind returns the PCs of the stack that a session shows.
func (o *oracleSample) unwind(t *testing.T, p *Program) []uint32 {
	t.Helper()
	k, err := openFake(t, p, o.target(t)).Stack(1)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := k.Frames(context.Background(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var pcs []uint32
	for _, f := range frames {
		if f.Kind == KindFrame {
			pcs = append(pcs, uint32(f.Core.PC))
		}
	}
	return pcs
}
