package thumb

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/insn"
)

// TestObjdump16 compares all 65,536 halfwords with objdump; of those that
// start a 32-bit encoding, the length.
func TestObjdump16(t *testing.T) {
	t.Parallel()
	requireTool(t, objdumpName)
	var samples []sample
	for h := range uint32(1 << 16) {
		if wideHalfword(uint16(h)) {
			samples = append(samples, sample{raw: h << 16, size: 4})
			continue
		}
		samples = append(samples, sample{raw: h, size: 2})
	}
	dump(t, "armv8.1-m.main", samples)
	c := compareAll(t, samples[:0xe800])
	for _, s := range samples[0xe800:] {
		if got := decodeRaw(s.raw, s.size, s.addr).Size; got != s.got {
			t.Errorf("%04x: length %d, objdump %d", s.raw>>16, got, s.got)
		}
		c["first halfword: length"]++
	}
	report(t, c)
}

// TestObjdump32 compares 32-bit encodings with objdump: a third from the rows
// of the tables with random fields, a third from every first halfword with
// random second halfwords, a third at random. PUSHMASK_DECODE_N sets how many.
func TestObjdump32(t *testing.T) {
	t.Parallel()
	requireTool(t, objdumpName)
	const chunk = 500_000
	total := sampleCount(t)
	r := rand.New(rand.NewPCG(1, uint64(total)))
	sum := tally{}
	for done := 0; done < total; done += chunk {
		samples := wideSamples(r, min(chunk, total-done))
		dump(t, "armv8.1-m.main", samples)
		sum.add(compareAll(t, samples))
	}
	report(t, sum)
}

// TestObjdumpIT compares the texts of instructions inside an IT block.
func TestObjdumpIT(t *testing.T) {
	t.Parallel()
	requireTool(t, objdumpName)
	const itNE = 0xbf18
	var samples []sample
	add := func(s sample) {
		samples = append(samples, sample{raw: itNE, size: 2, bare: true}, s)
	}
	for h := range uint32(0xe800) {
		if h>>8 != 0xbf || h&15 == 0 { // an IT block in an IT block is UNPREDICTABLE
			add(sample{raw: h, size: 2})
		}
	}
	for _, s := range wideSamples(rand.New(rand.NewPCG(7, 8)), sampleCount(t)/4) {
		if s.raw>>25 < 0b1110110 || s.raw>>28 == 0b1111 && s.raw>>26&3 != 3 { // vectors take no condition
			add(s)
		}
	}
	dump(t, "armv8.1-m.main", samples)
	c := tally{}
	for k := 1; k < len(samples); k += 2 {
		class, why := compareOne(&samples[k], insn.NE)
		c[class]++
		if class == mismatch && c[class] <= 20 {
			t.Errorf("it ne; %08x: %s", samples[k].raw, why)
		}
	}
	report(t, c)
}

func requireTool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
}

func sampleCount(t *testing.T) int {
	t.Helper()
	v := os.Getenv("PUSHMASK_DECODE_N")
	if v == "" {
		return 200_000
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		t.Fatalf("PUSHMASK_DECODE_N=%q is no count", v)
	}
	return n
}

// wideSamples draws n 32-bit encodings.
func wideSamples(r *rand.Rand, n int) []sample {
	var rows []*form
	for _, table := range tables {
		for i := range table {
			if f := compile(&table[i]); f.size == 4 {
				rows = append(rows, f)
			}
		}
	}
	samples := make([]sample, 0, n)
	for k := 0; len(samples) < n; k++ {
		var raw uint32
		switch k % 3 {
		case 0:
			f := rows[k/3%len(rows)]
			raw = f.value | r.Uint32()&^f.mask
		case 1:
			raw = uint32(0xe800+k/3%0x1800)<<16 | r.Uint32()&0xffff
		case 2:
			raw = r.Uint32()
		}
		if wideHalfword(uint16(raw>>16)) && !crashesObjdump(raw) {
			samples = append(samples, sample{raw: raw, size: 4})
		}
	}
	return samples
}

// crashesObjdump reports encodings on which print_insn_mve of binutils 2.40
// fails an assertion, which ends objdump.
func crashesObjdump(raw uint32) bool { return raw&0xefbf0fd1 == 0xee390e01 }

// tally counts results by class: equal, one of the allowed differences, or
// mismatch.
type tally map[string]int

func (c tally) add(d tally) {
	for k, n := range d {
		c[k] += n
	}
}

const mismatch = "MISMATCH"

func report(t *testing.T, c tally) {
	t.Helper()
	total := 0
	for _, n := range c {
		total += n
	}
	t.Logf("compared %d", total)
	for _, k := range slices.Sorted(maps.Keys(c)) {
		t.Logf("%9d %s%s", c[k], k, reason(k))
	}
	if c[mismatch] != 0 {
		t.Errorf("%d mismatches", c[mismatch])
	}
}

func compareAll(t *testing.T, samples []sample) tally {
	t.Helper()
	c := tally{}
	for k := range samples {
		class, why := compareOne(&samples[k], insn.AL)
		c[class]++
		if class == mismatch && c[class] <= 40 {
			t.Errorf("%08x: %s", samples[k].raw, why)
		}
	}
	return c
}

// compareOne compares length, text, control flow and written registers.
func compareOne(s *sample, cond insn.Cond) (class, why string) {
	i := decodeRaw(s.raw, s.size, s.addr)
	want := normalise(s.text)
	got := Text(i, cond)
	if i.Flow == insn.FlowUndef {
		got = ""
	}
	if i.Size != s.got {
		return mismatch, fmt.Sprintf("length %d, objdump %d (%s)", i.Size, s.got, want)
	}
	class = "equal"
	if got != want {
		if cond != insn.AL {
			got, want = unconditional(got, cond), unconditional(want, cond)
			if got == want && conditionDiffers(got) {
				return conditionClass, ""
			}
		}
		if class = allowed(s.raw, got, want); class == "" {
			return mismatch, fmt.Sprintf("text %q, objdump %q", got, want)
		}
		if !strings.HasPrefix(class, "text: ") {
			return class, ""
		}
	}
	if cond != insn.AL {
		return class, ""
	}
	a := parseAsm(want)
	if f := a.flow(); f != i.Flow {
		return mismatch, fmt.Sprintf("%s: flow %d, objdump's text says %d", want, i.Flow, f)
	}
	if w := a.written(); w != i.Defs&^(1<<core.PC) && w != i.Defs && !(customSpace(s.raw) && w&^i.Defs == 0) {
		return mismatch, fmt.Sprintf("%s: writes %04x, objdump's text says %04x", want, i.Defs, w)
	}
	return class, ""
}

// unconditional takes the condition out of a mnemonic.
func unconditional(text string, cond insn.Cond) string {
	mnemonic, rest, found := strings.Cut(text, " ")
	mnemonic = strings.Replace(mnemonic, condName(cond), "", 1)
	if found {
		return mnemonic + " " + rest
	}
	return mnemonic
}
