package a32

import (
	"bufio"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/insn"
)

const objdumpName = "arm-none-eabi-objdump"

// sample is one word and what objdump says about it.
type sample struct {
	raw  uint32
	addr core.Addr
	text string // "" when objdump finds no instruction
}

// dump runs objdump once over all samples and fills in their text.
func dump(t *testing.T, samples []sample) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "code.bin")
	var image []byte
	for k := range samples {
		samples[k].addr = core.Addr(len(image))
		image = binary.LittleEndian.AppendUint32(image, samples[k].raw)
	}
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), objdumpName, "-D", "-z", "-b", "binary", "-m", "armv8-a",
		"-M", "reg-names-std", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read(t, bufio.NewScanner(out), samples)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// read parses "  addr:\thex \ttext" lines.
func read(t *testing.T, lines *bufio.Scanner, samples []sample) {
	t.Helper()
	at := 0
	for lines.Scan() && at < len(samples) {
		addr, rest, found := strings.Cut(strings.TrimLeft(lines.Text(), " "), ":\t")
		if !found {
			continue
		}
		a, err := strconv.ParseUint(addr, 16, 32)
		if err != nil || core.Addr(a) != samples[at].addr {
			continue
		}
		_, text, _ := strings.Cut(rest, "\t")
		body, comment, _ := strings.Cut(text, "@")
		if strings.Contains(comment, "<UNDEFINED>") {
			body = ""
		}
		samples[at].text = strings.TrimSpace(body)
		at++
	}
	if at != len(samples) {
		t.Fatalf("objdump listed %d of %d samples", at, len(samples))
	}
}

func decodeWord(raw uint32, addr core.Addr) insn.Inst {
	i, err := Decode(binary.LittleEndian.AppendUint32(nil, raw), addr)
	if err != nil {
		panic(err)
	}
	return i
}

// samples are random words and, for every pair of the bits 27 to 20 and 7 to
// 4, which tell nearly all forms apart, some with a condition and some without.
func samples(random, each int) []sample {
	var s []sample
	r := rand.New(rand.NewPCG(32, 15))
	for range random {
		s = append(s, sample{raw: r.Uint32()})
	}
	for op := range uint32(1 << 12) {
		for k := range each {
			w := r.Uint32()&0xf00fff0f | op>>4<<20 | op&15<<4
			switch k % 4 {
			case 0:
				w |= 0xf << 28
			case 1, 2:
				w = w&0x0fffffff | 0xe<<28
			}
			s = append(s, sample{raw: w})
		}
	}
	return s
}

// codeWords are the words of the executable segments of an A32 image, literal
// pools and T32 code among them.
func codeWords(t *testing.T, path string) []sample {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var s []sample
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Flags&elf.PF_X == 0 {
			continue
		}
		data, err := io.ReadAll(p.Open())
		if err != nil {
			t.Fatal(err)
		}
		for ; len(data) >= 4; data = data[4:] {
			s = append(s, sample{raw: binary.LittleEndian.Uint32(data)})
		}
	}
	return s
}

// TestObjdump compares definedness, flow, Defs and text with binutils.
func TestObjdump(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath(objdumpName); err != nil {
		t.Skip(err)
	}
	list := samples(60_000, 36)
	if testing.Short() {
		list = samples(20_000, 8)
	}
	list = append(list, codeWords(t, filepath.Join("..", "..", "testdata", "firmware", "a32", "fw.elf"))...)
	dump(t, list)
	allowed := map[string]int{}
	wrong := 0
	for _, s := range list {
		i := decodeWord(s.raw, s.addr)
		for _, m := range differences(&i, s.text) {
			if reason := allow(&i, s.text, m); reason != "" {
				allowed[reason]++
				continue
			}
			if wrong++; wrong <= 20 {
				t.Errorf("%08x %s: objdump %q: %s", s.raw, m.what, s.text, m.detail)
			}
		}
	}
	t.Logf("%d words, %d unexplained differences", len(list), wrong)
	for _, reason := range slices.Sorted(maps.Keys(allowed)) {
		t.Logf("%7d allowed: %s", allowed[reason], reason)
	}
}

// mismatch is one difference: in definedness, flow, defs or text.
type mismatch struct{ what, detail string }

func differences(i *insn.Inst, want string) []mismatch {
	got := Text(*i)
	if (want == "") != (i.Flow == insn.FlowUndef) {
		return []mismatch{{"definedness", got}}
	}
	if want == "" {
		return nil
	}
	var all []mismatch
	o := parseObjdump(i.Raw, want)
	if flow := o.flow(); flow != i.Flow {
		all = append(all, mismatch{"flow", fmt.Sprintf("%d, want %d", i.Flow, flow)})
	}
	if defs := o.defs(); defs != i.Defs {
		all = append(all, mismatch{"defs", fmt.Sprintf("%04x, want %04x", i.Defs, defs)})
	}
	if text := onePair(got); text != o.text {
		all = append(all, mismatch{"text", text})
	}
	return all
}

// onePair drops the second register of pairs, which UAL writes and objdump,
// for some encodings, does not.
func onePair(text string) string {
	mnemonic, operands, _ := strings.Cut(text, " ")
	if all := strings.Split(operands, ", "); strings.HasPrefix(mnemonic, "strexd") {
		return mnemonic + " " + strings.Join(slices.Delete(all, 2, 3), ", ")
	}
	if strings.HasPrefix(mnemonic, "ldrd") || strings.HasPrefix(mnemonic, "strd") || strings.HasPrefix(mnemonic, "ldrexd") {
		first, rest, _ := strings.Cut(operands, ", ")
		_, rest, _ = strings.Cut(rest, ", ")
		return mnemonic + " " + first + ", " + rest
	}
	return text
}

// allow says why a difference is right, "" when it is not known to be.
func allow(i *insn.Inst, want string, m mismatch) string {
	raw := i.Raw
	transfer, cp := raw>>26&3 == 3 && raw>>24&15 != 15, raw>>8&15
	switch {
	case m.what == "definedness" && want == "" && (raw >= 0xf2000000 && raw < 0xf4000000 || raw>>24 == 0xf4 && !bit(raw, 20)):
		return "Advanced SIMD is one class here; objdump knows the unallocated ones"
	case m.what == "definedness" && want == "" && transfer:
		return "floating point is one class here; objdump knows the unallocated ones"
	case raw&0x0e400090 == 0x90 && raw>>5&3 != 0 && raw>>8&15 != 0:
		return "should-be-zero bits of halfword accesses: UNPREDICTABLE is decoded; objdump does so elsewhere"
	case m.what == "definedness" && transfer && raw>>21&0x7f == 0x60:
		return "LDC and STC with P, U, W clear are UNDEFINED (A8.8.56); objdump writes them"
	case m.what == "definedness" && transfer && cp&14 == 10 && raw>>25&7 == 6:
		return "unallocated VFP transfers; objdump writes MCRR, MRRC, LDC"
	case m.what == "definedness" && raw&0x0d900000 == 0x01000000:
		return "TST, TEQ, CMP, CMN without S are the miscellaneous space (A5.2.12); objdump writes them"
	case m.what == "definedness" && raw&0x0f9000f0 == 0x01100090 || raw&0x0fb000f0 == 0x01100090:
		return "TST, TEQ, CMP, CMN without S are the miscellaneous space (A5.2.12); objdump writes them"
	case m.what == "defs" && raw == 0xe1a00000:
		return "MOV R0, R0 is written as NOP, and R0 is in Defs"
	case raw&0x0ff000f0 == 0x01000070 && raw>>28 != 14:
		return "HLT with a condition is UNPREDICTABLE; objdump writes TST"
	case raw&0x0ff000f0 == 0x01200070 && raw>>28 != 14:
		return "BKPT with a condition is UNPREDICTABLE; objdump writes MSR"
	case m.what == "definedness" && raw&0x0fe000f0 == 0x01a00090:
		return "unallocated synchronization primitives (A5.2.10); objdump writes LSL"
	case m.what == "definedness" && raw >= 0xf4000000 && raw < 0xf8000000:
		return "the preload space has unallocated words (A5.7); objdump writes them"
	}
	return allowText(i, want, m)
}

// allowText goes on with the differences of defined instructions.
func allowText(i *insn.Inst, want string, m mismatch) string {
	raw := i.Raw
	transfer, cp := raw>>26&3 == 3 && raw>>24&15 != 15, raw>>8&15
	switch {
	case m.what == "text" && strings.HasPrefix(m.detail, ".inst") && (raw>>25 == 0x79 || raw>>24 == 0xf4):
		return "Advanced SIMD has no text"
	case m.what == "text" && strings.HasPrefix(m.detail, ".inst") && transfer:
		return "floating point and SIMD that armasm does not know have no text"
	case transfer && (cp == 1 || cp == 2 || cp >= 4 && cp <= 6) && raw < never:
		return "objdump has FPA and Maverick names for coprocessors that ARMv8-A lacks"
	case m.what == "text" && transfer && (cp == 9 || cp == 15) && raw>>25&7 == 6:
		return "half-precision and M-profile names for LDC and STC"
	case m.what == "text" && strings.Contains(want, "overflow reg") || i.Words > 32 || i.Op == insn.OpVLoad && i.Words < 2 || i.Op == insn.OpVStore && i.Words < 2:
		return "register lists that are empty or go past the last register are UNPREDICTABLE"
	case strings.Contains(want, "invalid") || strings.Contains(want, "UNDEF"):
		return "objdump marks UNPREDICTABLE operands"
	case i.Defs>>core.PC&1 != 0 && rn(raw) == core.PC && raw&0x0e000090 == 0x90:
		return "PC written back is UNPREDICTABLE; objdump leaves the writeback out"
	case raw&0x0f900df0 == 0x01000040 && raw>>28 != 14:
		return "CRC32 with a condition is UNPREDICTABLE; objdump writes CMP"
	case m.what == "text" && raw&0x0f900ef0 == 0x01000200 || raw&0x0f900ef0 == 0x01000000:
		return "banked registers have no text"
	case m.what == "text" && strings.Contains(want, "asr #0"):
		return "the shift asr #0 of SSAT and USAT means 32 (A8.8.193)"
	case transfer && raw>>25&7 == 6 && raw&0xff == 0:
		return "objdump leaves out the writeback of LDC and STC with offset 0"
	case raw&0x0f100e10 == 0x0e100a10 && rd(raw) == core.PC:
		return "VMOV from a scalar to PC is UNPREDICTABLE"
	case m.what != "text" && raw >= 0xfc000000 && cp >= 8 && cp <= 13:
		return "unconditional coprocessors 8 to 13 are SIMD, not system registers"
	}
	return ""
}
