package thumb

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/insn"
)

const objdumpName = "arm-none-eabi-objdump"

// separator is NOP: it stands after every sample so that IT and VPT blocks
// of one sample do not reach the next.
const separator = 0xbf00

// sample is one encoding and what objdump says about it.
type sample struct {
	raw  uint32
	size uint8
	addr core.Addr
	text string // "" when objdump finds no instruction
	got  uint8  // length by objdump
	bare bool   // no separator follows
}

// dump runs objdump once over all samples and fills in text and got.
func dump(t *testing.T, machine string, samples []sample) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "code.bin")
	var image []byte
	for k := range samples {
		s := &samples[k]
		s.addr = core.Addr(len(image))
		if s.size == 4 {
			image = binary.LittleEndian.AppendUint16(image, uint16(s.raw>>16))
		}
		image = binary.LittleEndian.AppendUint16(image, uint16(s.raw))
		for range separators(*s) {
			image = binary.LittleEndian.AppendUint16(image, separator)
		}
	}
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), objdumpName, "-D", "-z", "-b", "binary", "-m", machine,
		"-M", "force-thumb,reg-names-std", path)
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

// separators is the number of NOPs after a sample: an IT block covers four.
func separators(s sample) int {
	if s.bare {
		return 0
	}
	if s.size == 2 && s.raw>>8 == 0xbf && s.raw&15 != 0 || s.size == 4 && s.raw&0xef810f10 == 0xee010f00 {
		return 5
	}
	return 1
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
		hex, text, _ := strings.Cut(rest, "\t")
		s := &samples[at]
		s.got = uint8(len(strings.ReplaceAll(hex, " ", "")) / 2)
		if body, comment, found := strings.Cut(text, "@"); found {
			text = body
			if strings.Contains(comment, "<UNDEFINED>") {
				text = ""
			}
		}
		s.text = strings.TrimSpace(text)
		at++
	}
	if at != len(samples) {
		t.Fatalf("objdump listed %d of %d samples", at, len(samples))
	}
}

func decodeRaw(raw uint32, size uint8, addr core.Addr) insn.Inst {
	var b [4]byte
	n := 2
	if size == 4 {
		binary.LittleEndian.PutUint16(b[:], uint16(raw>>16))
		binary.LittleEndian.PutUint16(b[2:], uint16(raw))
		n = 4
	} else {
		binary.LittleEndian.PutUint16(b[:], uint16(raw))
	}
	i, err := Decode(b[:n], addr)
	if err != nil {
		panic(err)
	}
	return i
}

// normalise rewrites objdump's text where this package deliberately writes
// UAL as the Arm ARM has it.
func normalise(text string) string {
	text = strings.ReplaceAll(text, "<und>", "nv") // firstcond 15
	mnemonic, operands, _ := strings.Cut(text, "\t")
	switch base := mnemonic; {
	case base == "undefined", strings.HasPrefix(base, "undefined "):
		return ""
	case strings.HasPrefix(base, "svc"):
		operands = "#" + operands
	case strings.HasPrefix(base, "bkpt"), base == "hlt":
		v, _ := strconv.ParseUint(operands, 0, 16)
		operands = fmt.Sprintf("#%d", v)
	}
	return strings.TrimSpace(mnemonic + " " + operands)
}
