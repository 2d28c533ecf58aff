package nuttx

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core/coretest"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// file is a core file as far as this package looks into one: a header, one
// segment of notes and one of memory.
func file() []byte {
	const notes, memory = 2 * (12 + 32 + 148), 9000
	b := make([]byte, elfHeader+2*programHeader)
	copy(b, "\x7fELF\x01\x01\x01")
	binary.LittleEndian.PutUint32(b[phoffOffset:], elfHeader)
	binary.LittleEndian.PutUint16(b[phnumOffset:], 2)
	start := uint32(len(b))
	for i, h := range [][3]uint32{{4, start, notes}, {1, start + notes, memory}} {
		p := b[elfHeader+i*programHeader:]
		binary.LittleEndian.PutUint32(p, h[0])
		binary.LittleEndian.PutUint32(p[4:], h[1])
		binary.LittleEndian.PutUint32(p[16:], h[2])
	}
	for i := range notes + memory {
		v := byte(i*7) ^ byte(i>>8)
		if i%512 > 300 {
			v = 0 // what packs well
		}
		b = append(b, v)
	}
	for i := range notes / (12 + 32 + 148) {
		n := b[int(start)+i*(12+32+148):]
		copy(n, []byte{32, 0, 0, 0, 148, 0, 0, 0, byte(3 - 2*i), 0, 0, 0})
	}
	return b
}

// pack is LZF as a simple writer does it: literals, and runs of zeros.
func pack(plain []byte) (out []byte) {
	for i := 0; i < len(plain); {
		run := 0
		for i+run < len(plain) && plain[i+run] == 0 && run < 200 {
			run++
		}
		if run > 10 {
			out = append(out, 0, 0) // one literal zero, then a copy of it
			n := run - 3
			if n < 7 {
				out = append(out, byte(n<<5), 0)
			} else {
				out = append(out, 7<<5, byte(n-7), 0)
			}
			i += run
			continue
		}
		n := min(32, len(plain)-i)
		if j := bytes.Index(plain[i:i+n], make([]byte, 11)); j > 0 {
			n = j
		}
		out = append(out, byte(n-1))
		out = append(out, plain[i:i+n]...)
		i += n
	}
	return out
}

// stream makes blocks of 1023 bytes, compressed where that is shorter.
func stream(plain []byte) (out []byte) {
	for len(plain) > 0 {
		n := min(1023, len(plain))
		packed := pack(plain[:n])
		if len(packed) < n {
			out = append(out, 'Z', 'V', 1)
			out = binary.BigEndian.AppendUint16(out, uint16(len(packed)))
			out = append(binary.BigEndian.AppendUint16(out, uint16(n)), packed...)
		} else {
			out = append(out, 'Z', 'V', 0)
			out = append(binary.BigEndian.AppendUint16(out, uint16(n)), plain[:n]...)
		}
		plain = plain[n:]
	}
	return out
}

func hexLines(b []byte) (lines []string) {
	for len(b) > 0 {
		n := min(64, len(b))
		lines = append(lines, strings.ToUpper(hex.EncodeToString(b[:n])))
		b = b[n:]
	}
	return lines
}

func base64Lines(b []byte) (lines []string) {
	s := base64.StdEncoding.EncodeToString(b)
	for len(s) > 0 {
		n := min(96, len(s))
		lines = append(lines, s[:n])
		s = s[n:]
	}
	return lines
}

func logOf(lines []string, lost int) *logtext.Log {
	var b strings.Builder
	b.WriteString("[    1.000000] [ EMERG] coredump_dump_syslog: Start coredump:\n")
	for i, l := range lines {
		if i != lost {
			fmt.Fprintf(&b, "[    1.%06d] [ EMERG] %s\n", i, l)
		}
		if i%7 == 0 {
			b.WriteString("[    1.500000] [ 5] other output\n")
		}
	}
	b.WriteString("[    2.000000] [ EMERG] coredump_dump_syslog: Finish coredump (Compression Enabled). hex formatted\n")
	return logtext.Parse([]byte(b.String()))
}

// compare reports how many bytes of the core arrived; each must be right.
func compare(c *crash.Crash, want []byte) (int, error) {
	arrived := 0
	for i, v := range c.Core {
		gone := false
		for _, s := range c.Lost {
			gone = gone || int64(i) >= s.Offset && int64(i) < s.Offset+s.Size
		}
		if gone {
			continue
		}
		if i >= len(want) || v != want[i] {
			return arrived, fmt.Errorf("byte %#x at %#x was not dumped", v, i)
		}
		arrived++
	}
	return arrived, nil
}

func TestWhole(t *testing.T) {
	t.Parallel()
	core := file()
	if !Is(stream(core)) {
		t.Fatal("not recognised")
	}
	device, err := Read(append(stream(core), strings.Repeat("\xff", 500)...))
	if err != nil {
		t.Fatal(err)
	}
	bare := func(lines []string) *logtext.Log {
		return logtext.Parse([]byte("nsh> coredump\n[CPU0] " + strings.Join(lines, "\n[CPU0] ") + "\n\nnsh> ls\n"))
	}
	for form, found := range map[string][]*crash.Crash{
		"device":        device,
		"bare hex":      FindLog(bare(hexLines(core))),
		"bare packed":   FindLog(bare(hexLines(stream(core)))),
		"bare base64":   FindLog(bare(base64Lines(stream(core)))),
		"hex":           FindLog(logOf(hexLines(core), -1)),
		"hex, packed":   FindLog(logOf(hexLines(stream(core)), -1)),
		"base64":        FindLog(logOf(base64Lines(core), -1)),
		"base64 packed": FindLog(logOf(base64Lines(stream(core)), -1)),
	} {
		if len(found) != 1 || !bytes.Equal(found[0].Core, core) || len(found[0].Lost) > 0 || len(found[0].Warnings) > 0 || found[0].Truncated {
			t.Errorf("%s: %d core files, first %+.200v", form, len(found), found)
		}
	}
}

// TestLostLines: with any one line missing every byte is right or known to be
// lost, and most of a compressed file is still there.
func TestLostLines(t *testing.T) {
	t.Parallel()
	core := file()
	for _, form := range []struct {
		name  string
		lines []string
		least int // bytes that must arrive on average
	}{
		{"hex", hexLines(core), 100},
		{"hex, packed", hexLines(stream(core)), len(core) * 7 / 10},
		{"base64", base64Lines(core), 100},
		{"base64 packed", base64Lines(stream(core)), len(core) * 7 / 10},
	} {
		total := 0
		for lost := 1; lost < len(form.lines)-1; lost++ {
			found := FindLog(logOf(form.lines, lost))
			if len(found) != 1 {
				t.Fatalf("%s, line %d lost: %d core files", form.name, lost, len(found))
			}
			if found[0].Refused != nil {
				continue
			}
			n, err := compare(found[0], core)
			if err != nil || len(found[0].Warnings) == 0 {
				t.Errorf("%s, line %d lost: %v, warnings %q", form.name, lost, err, found[0].Warnings)
			}
			total += n
		}
		if mean := total / (len(form.lines) - 2); mean < form.least {
			t.Errorf("%s: %d of %d bytes arrive on average", form.name, mean, len(core))
		}
	}
}

func TestTruncated(t *testing.T) {
	t.Parallel()
	core := file()
	packed := stream(core)
	for n := packHeader; n < len(packed); n += 3 {
		c, err := Read(packed[:n])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := compare(c[0], core); err != nil || !c[0].Truncated {
			t.Errorf("%d bytes: %v, truncated %v", n, err, c[0].Truncated)
		}
	}
	if found := FindLog(logtext.Parse([]byte("nsh: Start coredump:\nnothing here\n"))); len(found) != 0 {
		t.Errorf("%d core files in nothing", len(found))
	}
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		packed []byte
		plain  string // "" is an error of 4 bytes
	}{
		{"literals", []byte{3, 'a', 'b', 'c', 'd'}, "abcd"},
		{"copy that overlaps", []byte{0, 'a', 1 << 5, 0}, "aaaa"},
		{"long copy", append([]byte{0, 'x', 7 << 5, 3, 0}, 0, 'y'), "xxxxxxxxxxxxxy"},
		{"copy from before the start", []byte{0, 'a', 1 << 5, 9}, ""},
		{"literals that are not there", []byte{3, 'a'}, ""},
		{"length that is not there", []byte{0, 'a', 7 << 5}, ""},
		{"too much", []byte{4, 'a', 'b', 'c', 'd', 'e'}, ""},
		{"too little", []byte{0, 'a'}, ""},
	} {
		n := len(tt.plain)
		if n == 0 {
			n = 4
		}
		got, err := unpack(tt.packed, n)
		if (err != nil) != (tt.plain == "") || string(got) != tt.plain {
			t.Errorf("%s: %q, error %v", tt.name, got, err)
		}
	}
}

func TestShared(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(coretest.Shared(t, "dumps"), "recorded", "nuttx_mps2_an500_busfault")
	log, err := os.ReadFile(filepath.Join(dir, "uart.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(dir, "core.elf"))
	if err != nil {
		t.Fatal(err)
	}
	if found := FindLog(logtext.Parse(log)); len(found) != 1 || !bytes.Equal(found[0].Core, want) || len(found[0].Warnings) > 0 {
		t.Errorf("%d core files, not the decoded one", len(found))
	}
}

func FuzzRead(f *testing.F) {
	f.Add(stream(file()))
	f.Add([]byte("Start coredump:\n" + strings.Join(hexLines(stream(file())), "\n")))
	f.Add([]byte("Start coredump:\n" + strings.Join(base64Lines(file()), "\n")))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if Is(data) {
			Read(data)
		}
		FindLog(logtext.Parse(data))
	})
}
