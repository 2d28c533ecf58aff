package thumb

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pushmask/core/insn"
)

// TestLLVM is the second opinion on the space of vectors, where objdump 2.40
// prints much that is UNDEFINED and misses much that is not: LLVM must find an
// instruction where this package does, and name it alike.
func TestLLVM(t *testing.T) {
	t.Parallel()
	requireLLVM(t)
	raws := vectorSamples(rand.New(rand.NewPCG(5, 6)), min(sampleCount(t)/3, 400_000))
	texts := listLLVM(t, raws, "thumbv8.1m.main", "+mve.fp,+fp64,+fullfp16,+fp-armv8d16,+lob,+pacbti,+8msecext,+dsp")
	reportLLVM(t, raws, texts, classifyVector)
}

// TestLLVMCoprocessor compares the generic coprocessor instructions, of which
// objdump 2.40 prints only some, with LLVM for Armv7-M.
func TestLLVMCoprocessor(t *testing.T) {
	t.Parallel()
	requireLLVM(t)
	r := rand.New(rand.NewPCG(11, 12))
	var raws []uint32
	for len(raws) < min(sampleCount(t)/15, 100_000) {
		raw := 0xec000000 | r.Uint32()&0x13ffffff
		if raw>>24&3 != 3 && (raw>>11&1 == 0 || raw>>9&7 == 6) {
			raws = append(raws, raw)
		}
	}
	reportLLVM(t, raws, listLLVM(t, raws, "thumbv7m", "+dsp"), classifyCoprocessor)
}

// TestLLVMCore asks LLVM for the instructions outside of the coprocessor
// space: what it finds, this package must find.
func TestLLVMCore(t *testing.T) {
	t.Parallel()
	requireLLVM(t)
	r := rand.New(rand.NewPCG(13, 14))
	var raws []uint32
	for len(raws) < min(sampleCount(t)/6, 400_000) {
		raw := 0xe8000000 | r.Uint32()&0x1fffffff
		if r.IntN(3) == 0 {
			raw = 0xf8000000 | raw&0x01ffffff
		}
		if wideHalfword(uint16(raw>>16)) && raw>>26&0b111011 != 0b111011 {
			raws = append(raws, raw)
		}
	}
	reportLLVM(t, raws, listLLVM(t, raws, "thumbv8.1m.main", "+mve.fp,+lob,+pacbti,+8msecext,+dsp"), classifyCore)
}

func requireLLVM(t *testing.T) {
	t.Helper()
	for _, name := range []string{"llvm-mc-16", "llvm-objdump-16"} {
		requireTool(t, name)
	}
}

func reportLLVM(t *testing.T, raws []uint32, texts []string, classify func(raw uint32, i insn.Inst, got, want string) string) {
	t.Helper()
	c := tally{}
	for k, raw := range raws {
		i := decodeRaw(raw, 4, 0)
		got := Text(i, insn.AL)
		class := classify(raw, i, got, texts[k])
		c[class]++
		if class == mismatch && c[class] <= 20 {
			t.Errorf("%08x: text %q, LLVM %q", raw, got, texts[k])
		}
	}
	report(t, c)
}

// vectorSamples draws encodings of coprocessors 14 and 15 and of the Advanced
// SIMD data-processing space, half of them with Q registers that exist.
func vectorSamples(r *rand.Rand, n int) []uint32 {
	raws := make([]uint32, n)
	for k := range raws {
		raw := 0xec000000 | r.Uint32()&0x13ffffff
		if raw>>24&3 != 3 {
			raw |= 0xe00
		}
		if r.IntN(2) == 0 {
			raw &^= 1<<22 | 1<<7 | 1<<5 | 1
		}
		if r.IntN(2) == 0 && raw>>25&1 != 0 {
			raw &^= 1<<16 | 1<<12
		}
		raws[k] = raw
	}
	return raws
}

// listLLVM assembles the encodings as data and returns LLVM's texts, "" for
// those it does not know.
func listLLVM(t *testing.T, raws []uint32, triple, features string) []string {
	t.Helper()
	dir := t.TempDir()
	source, object := filepath.Join(dir, "code.s"), filepath.Join(dir, "code.o")
	var b strings.Builder
	b.WriteString(".text\n.thumb\n")
	for _, raw := range raws {
		fmt.Fprintf(&b, ".inst.w 0x%08x\n.inst.n 0x%04x\n", raw, separator)
	}
	if err := os.WriteFile(source, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "llvm-mc-16", "--triple="+triple, "-filetype=obj", "-o", object, source).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), "llvm-objdump-16", "-d", "--triple="+triple, "--mattr="+features, object)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(raws))
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		addr, rest, found := strings.Cut(lines.Text(), ": ")
		at, err := strconv.ParseUint(strings.TrimSpace(addr), 16, 32)
		if !found || err != nil || at%6 != 0 {
			continue
		}
		_, text, _ := strings.Cut(rest, "\t")
		if text = strings.TrimSpace(text); text != "<unknown>" {
			texts[at/6] = strings.ReplaceAll(text, "\t", " ")
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return texts
}

func classifyCore(raw uint32, i insn.Inst, _, want string) string {
	undefined := i.Flow == insn.FlowUndef
	switch {
	case undefined == (want == ""):
		return "equal"
	case !undefined:
		return "UNPREDICTABLE or of another profile"
	case raw>>25 == 0b1110101 && raw>>15&1 != 0, raw>>24 == 0xfa && raw>>6&1 != 0:
		return "wrong should-be bits"
	}
	return mismatch
}

func classifyCoprocessor(_ uint32, i insn.Inst, got, want string) string {
	switch {
	case i.Flow == insn.FlowUndef && want == "":
		return "equal: none"
	case parseAsm(got).name == parseAsm(want).name:
		return "equal"
	}
	return mismatch
}

func classifyVector(raw uint32, i insn.Inst, got, want string) string {
	g, w := parseAsm(got), parseAsm(want)
	switch {
	case i.Flow == insn.FlowUndef && want == "":
		return "equal: none"
	case strings.HasPrefix(got, ".inst.w") && want == "":
		return "Advanced SIMD: not of the M profile"
	case want == "" && (coprocessorName(got, "") || coprocessorName(got, "2")):
		return "coprocessors 14 and 15: not of Armv8.1-M"
	case want == "" && unpredictable(raw, got):
		return "UNPREDICTABLE: SP, PC or Q register out of range"
	case sameName(g.name, w.name):
		return "equal"
	case g.name == "vorr" && w.name == "vmov", g.name == "vcmp" && w.name == "vpnot":
		return "alias"
	}
	return mismatch
}

// unpredictable reports vector instructions that LLVM rejects for a register:
// RdaHi or Rm 13 or 15, or Q registers past q7 in an interleaving transfer.
func unpredictable(raw uint32, got string) bool {
	switch {
	case strings.HasPrefix(got, "vld2"), strings.HasPrefix(got, "vst2"), strings.HasPrefix(got, "vld4"), strings.HasPrefix(got, "vst4"):
		return raw>>13&7 > 4
	case raw>>25 == 0b1110111 || raw>>25 == 0b1111111:
		return raw>>20&7 == 6 || raw&15 >= 12 && raw&0x60 != 0
	}
	return false
}

// sameName allows for a condition or a predicate that LLVM carries on from
// the line before.
func sameName(got, want string) bool {
	rest, found := strings.CutPrefix(want, strings.TrimSuffix(got, "l"))
	return found && len(rest) <= 2 || found && strings.HasPrefix(got, "vp")
}
