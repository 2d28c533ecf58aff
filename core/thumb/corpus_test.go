package thumb

import (
	"bufio"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/insn"
)

// corpusRoots hold the toolchain's own libraries, built for every profile.
var corpusRoots = []string{"/usr/lib/gcc/arm-none-eabi", "/usr/lib/arm-none-eabi"}

// TestCorpus decodes the Thumb code of the toolchain's libgcc for some cores
// (of every library when PUSHMASK_DECODE_N is set) in address order with its IT blocks
// and compares the texts with objdump's.
func TestCorpus(t *testing.T) {
	t.Parallel()
	requireTool(t, objdumpName)
	var archives []string
	for _, root := range corpusRoots {
		_ = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err == nil && strings.Contains(path, "/thumb/") && wanted(path) {
				archives = append(archives, path)
			}
			return nil
		})
	}
	if len(archives) == 0 {
		t.Skip("the toolchain's libraries are not installed")
	}
	c := tally{}
	for _, path := range archives {
		corpusFile(t, path, c)
	}
	t.Logf("%d archives", len(archives))
	report(t, c)
}

func wanted(path string) bool {
	if os.Getenv("PUSHMASK_DECODE_N") != "" {
		return strings.HasSuffix(path, ".a")
	}
	if filepath.Base(path) != "libgcc.a" {
		return false
	}
	for _, core := range []string{"/v6-m/", "/v7-m/", "/v7e-m+dp/hard/", "/v8-m.base/", "/v8-m.main+fp/hard/", "/v8.1-m.main+mve/hard/"} {
		if strings.Contains(path, core) {
			return true
		}
	}
	return false
}

func corpusFile(t *testing.T, path string, c tally) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), objdumpName, "-d", "-M", "reg-names-std", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var state ITState
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		s, ok := corpusLine(lines.Text())
		if !ok {
			state = 0
			continue
		}
		cond := state.Cond()
		i := decodeRaw(s.raw, s.size, s.addr)
		state = state.Next(i)
		class, why := compareCorpus(&s, i, cond)
		c[class]++
		if class == mismatch && c[class] <= 20 {
			t.Errorf("%s: %08x: %s", filepath.Base(path), s.raw, why)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// corpusLine parses a line of objdump -d that holds a Thumb instruction, whose
// halfwords objdump sets apart.
func corpusLine(line string) (sample, bool) {
	addr, rest, found := strings.Cut(strings.TrimLeft(line, " "), ":\t")
	code, text, _ := strings.Cut(rest, "\t")
	if !found || strings.HasPrefix(text, ".") || strings.Contains(text, "<UNDEFINED>") {
		return sample{}, false
	}
	a, err := strconv.ParseUint(addr, 16, 32)
	b, err2 := hex.DecodeString(strings.ReplaceAll(code, " ", ""))
	if err != nil || err2 != nil || len(b) != 2 && (len(b) != 4 || code[4] != ' ') || strings.TrimSpace(text) == "" {
		return sample{}, false
	}
	s := sample{addr: core.Addr(a), size: uint8(len(b)), got: uint8(len(b))}
	for _, x := range b {
		s.raw = s.raw<<8 | uint32(x)
	}
	text, _, _ = strings.Cut(text, "@")
	text, _, _ = strings.Cut(text, "<")
	s.text = strings.TrimSpace(text)
	return s, true
}

// unrelocated are branches with the addend -4, whose target objdump takes from
// the relocation.
var unrelocated = map[uint32]bool{0xf7fffffe: true, 0xf7ffeffe: true, 0xf7ffbffe: true, 0xe7fe: true}

// compareCorpus compares texts; objdump lists branch targets of an object
// file without 0x.
func compareCorpus(s *sample, i insn.Inst, cond insn.Cond) (class, why string) {
	got := Text(i, cond)
	if i.Flow == insn.FlowBranch || i.Flow == insn.FlowCall {
		got = strings.Replace(got, "0x", "", 1)
	}
	want := normalise(s.text)
	if name, _, _ := strings.Cut(got, " "); unrelocated[s.raw] && strings.HasPrefix(want, name+" ") {
		return "branch to be relocated", ""
	}
	if got != want {
		if class = allowed(s.raw, got, want); class == "" {
			return mismatch, "text " + strconv.Quote(got) + ", objdump " + strconv.Quote(want)
		}
		return class, ""
	}
	return "equal", ""
}
