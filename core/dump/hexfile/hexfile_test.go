package hexfile

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/dump/crash"
)

// The writers of this test. They share nothing with the reader.

func intelLine(typ, offset int, data []byte) string {
	b := append([]byte{byte(len(data)), byte(offset >> 8), byte(offset), byte(typ)}, data...)
	sum := 0
	for _, v := range b {
		sum += int(v)
	}
	return fmt.Sprintf(":%X%02X\n", b, byte(-sum))
}

func writeIntel(addr int, data []byte) string {
	var s strings.Builder
	upper := -1
	for len(data) > 0 {
		if addr>>16 != upper {
			upper = addr >> 16
			s.WriteString(intelLine(4, 0, []byte{byte(upper >> 8), byte(upper)}))
		}
		n := min(16, len(data), 0x10000-addr&0xffff)
		s.WriteString(intelLine(0, addr&0xffff, data[:n]))
		addr, data = addr+n, data[n:]
	}
	return s.String() + intelLine(1, 0, nil)
}

func srecLine(typ, addrBytes, addr int, data []byte) string {
	b := []byte{byte(addrBytes + len(data) + 1)}
	for i := addrBytes - 1; i >= 0; i-- {
		b = append(b, byte(addr>>(8*i)))
	}
	b = append(b, data...)
	sum := 0
	for _, v := range b {
		sum += int(v)
	}
	return fmt.Sprintf("S%d%X%02X\r\n", typ, b, 255-sum&255)
}

func writeSRecords(typ, addr int, data []byte) string {
	s, count := srecLine(0, 2, 0, []byte("ram")), 0
	for len(data) > 0 {
		n := min(28, len(data))
		s += srecLine(typ, typ+1, addr, data[:n])
		addr, data, count = addr+n, data[n:], count+1
	}
	return s + srecLine(5, 2, count, nil) + srecLine(10-typ, typ+1, 0, nil)
}

func writeAddressed(addr int, data []byte) string {
	s := fmt.Sprintf("@%04X\n", addr)
	for len(data) > 0 {
		n := min(16, len(data))
		s += fmt.Sprintf("% X\n", data[:n])
		data = data[n:]
	}
	return s
}

func pattern(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// read returns what a file gives as text: pieces, warnings, whether it is cut.
func read(t testing.TB, file string) string {
	t.Helper()
	if !Is([]byte(file)[:min(len(file), 4096)]) {
		return "not claimed"
	}
	crashes, err := Read([]byte(file))
	if err != nil || len(crashes) != 1 || len(crashes[0].Threads) != 0 {
		t.Fatalf("%d crashes, error %v", len(crashes), err)
	}
	c := crashes[0]
	s := c.Format
	for _, p := range c.Memory {
		s += fmt.Sprintf("\n%v %s", p.Addr, hex.EncodeToString(p.Data))
	}
	for _, w := range c.Warnings {
		s += "\nwarning " + w
	}
	return s
}

func piece(a core.Addr, b []byte) string { return fmt.Sprintf("\n%v %x", a, b) }

func TestWhole(t *testing.T) {
	t.Parallel()
	ram := pattern(75)
	tests := []struct{ name, file, want string }{
		{"intel", writeIntel(0x2000ffe8, ram), "Intel HEX" + piece(0x2000ffe8, ram)},
		{"intel, lower case and blank lines", "\n" + strings.ReplaceAll(strings.ToLower(writeIntel(0x100, ram)), "\n", "\r\n\r\n"), "Intel HEX" + piece(0x100, ram)},
		{"intel, byte order mark", "\ufeff" + writeIntel(0x100, ram), "Intel HEX" + piece(0x100, ram)},
		{"intel, segments wrap", intelLine(2, 0, []byte{0x12, 0x34}) + intelLine(0, 0xfffe, []byte{1, 2, 3, 4}) + intelLine(3, 0, make([]byte, 4)) + intelLine(1, 0, nil),
			"Intel HEX\n0x00012340 0304\n0x0002233e 0102"},
		{"intel, two files", writeIntel(0x20000000, ram) + writeIntel(0x100, ram[:3]), "Intel HEX" + piece(0x100, ram[:3]) + piece(0x20000000, ram)},
		{"intel, start address", intelLine(5, 0, make([]byte, 4)) + writeIntel(0x100, ram), "Intel HEX" + piece(0x100, ram)},
		{"S1", writeSRecords(1, 0x1000, ram), "S-records" + piece(0x1000, ram)},
		{"S2", writeSRecords(2, 0x123456, ram), "S-records" + piece(0x123456, ram)},
		{"S3", writeSRecords(3, 0x20000000, ram), "S-records" + piece(0x20000000, ram)},
		{"TI-TXT", writeAddressed(0x20000000, ram) + writeAddressed(0x8000, ram[:4]) + "q\n",
			"TI-TXT or Verilog memory" + piece(0x8000, ram[:4]) + piece(0x20000000, ram)},
		{"Verilog", writeAddressed(0x20000000, ram), "TI-TXT or Verilog memory" + piece(0x20000000, ram)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, read(t, tt.file)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDamaged(t *testing.T) {
	t.Parallel()
	d := func(off int, b ...byte) string { return intelLine(0, off, b) }
	upper := intelLine(4, 0, []byte{0x20, 0})
	end := intelLine(1, 0, nil)
	long := make([]byte, 16)
	tests := []struct{ name, file, want string }{
		{"checksum", upper + d(0, 1) + strings.Replace(d(1, long...), "00", "01", 2) + d(17, 3) + end,
			"Intel HEX\n0x20000000 01\n0x20000011 03\nwarning line 3 is left out: its checksum is wrong"},
		{"short line may have been an address", upper + d(0, 1) + ":0200000420\n" + d(0, 2) + upper + d(5, 3) + end,
			"Intel HEX\n0x20000000 01\n0x20000005 03\nwarning line 3 is left out: its length is not the one it states" +
				"\nwarning 1 bytes are left out: the record with the upper half of their address is missing"},
		{"address lost", upper + d(0xfffc, 1) + d(0, 2) + end,
			"Intel HEX\n0x2000fffc 01\nwarning line 3: the addresses fall, and no record says why: one is missing" +
				"\nwarning 1 bytes are left out: the record with the upper half of their address is missing"},
		{"no end", upper + d(0, 1), "Intel HEX\n0x20000000 01\nwarning the record that ends the file is missing: the file may be cut"},
		{"no memory", end, "Intel HEX\nwarning no line of the file carries memory"},
		{"first line damaged", ":zz\n" + upper + d(0, 1) + end,
			"Intel HEX\n0x20000000 01\nwarning line 1 is left out: it has other characters than hexadecimal digits, or an odd number of them"},
		{"twice", upper + d(0, 1, 2) + d(1, 2, 3) + end, "Intel HEX\n0x20000000 0102\n0x20000001 0203\nwarning the file has the memory at 0x20000001 more than once"},
		{"unknown type", upper + d(0, 1) + intelLine(9, 0, long) + end,
			"Intel HEX\n0x20000000 01\nwarning line 3 is left out: no record of its type has this length"},
		{"top", intelLine(4, 0, []byte{0xff, 0xff}) + d(0xfffe, 1, 2, 3, 4) + end,
			"Intel HEX\n0xfffffffe 0102\nwarning data at 0xfffffffe passes the top of the address space: the rest is left out"},
		{"S-record count", srecLine(3, 4, 16, []byte{1}) + srecLine(5, 2, 2, nil) + srecLine(7, 4, 0, nil),
			"S-records\n0x00000010 01\nwarning the file has 1 data records and says that it has 2"},
		{"S-record checksum", srecLine(3, 4, 16, []byte{1}) + "S30600000020FF00\n" + srecLine(7, 4, 0, nil),
			"S-records\n0x00000010 01\nwarning line 2 is left out: its checksum is wrong"},
		{"S-record of another type", srecLine(3, 4, 16, []byte{1}) + srecLine(7, 4, 32, []byte{1}) + srecLine(7, 4, 0, nil),
			"S-records\n0x00000010 01\nwarning line 2 is left out: records of its type carry no data"},
		{"S-record cut", srecLine(3, 4, 16, []byte{1}), "S-records\n0x00000010 01\nwarning the record that ends the file is missing: the file may be cut"},
		{"TI-TXT, an address is lost", writeAddressed(0x100, long) + "01 02\n03 04\n@0200\n05\nq\n",
			"TI-TXT or Verilog memory\n0x00000100 000000000000000000000000000000000102\n0x00000200 05" +
				"\nwarning line 4: a line with an address is missing before it\nwarning 2 bytes are left out: their address is not known"},
		{"TI-TXT, a damaged line", "@100\n01 02\n0x 03\n04 05\nq\n",
			"TI-TXT or Verilog memory\n0x00000100 0102\nwarning line 3 is left out: it has other characters than pairs of hexadecimal digits\nwarning 2 bytes are left out: their address is not known"},
		{"a sentence", "Some text\n", "not claimed"},
		{"an address of something else", "@12\nhello\n", "not claimed"},
		{"nothing", "", "not claimed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, read(t, tt.file)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// files are whole files of 300 bytes at 0x2000ff80.
func files() map[string]string {
	ram := pattern(300)
	return map[string]string{
		"intel":   writeIntel(0x2000ff80, ram),
		"srec":    writeSRecords(3, 0x2000ff80, ram),
		"addr":    writeAddressed(0x2000ff80, ram) + "q\n",
		"verilog": writeAddressed(0x2000ff80, ram),
	}
}

// checkTrue fails where memory holds a byte that the file never had there.
func checkTrue(t *testing.T, what string, crashes []*crash.Crash) {
	t.Helper()
	ram := pattern(300)
	for _, c := range crashes {
		for _, p := range c.Memory {
			for i, v := range p.Data {
				at := int(p.Addr) + i - 0x2000ff80
				if at < 0 || at >= len(ram) || ram[at] != v {
					t.Fatalf("%s: %#x at %v is not of the file", what, v, p.Addr+core.Addr(i))
				}
			}
		}
	}
}

// TestLostLines drops every line once. The line with the first address of an
// Intel HEX file is the exception: without it the addresses are those of a file
// that begins at 0. TI-TXT has nothing that tells of a lost line of data.
func TestLostLines(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"intel", "srec"} {
		whole := strings.SplitAfter(files()[name], "\n")
		for i := range whole {
			if name == "intel" && i == 0 {
				continue
			}
			file := strings.Join(append(append([]string(nil), whole[:i]...), whole[i+1:]...), "")
			crashes, err := Read([]byte(file))
			if err != nil {
				t.Fatal(err)
			}
			checkTrue(t, fmt.Sprintf("%s without line %d", name, i+1), crashes)
		}
	}
}

// TestDamagedDigits changes every character once: the checksum of the line
// tells, or nothing is claimed.
func TestDamagedDigits(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"intel", "srec"} {
		whole := []byte(files()[name])
		for i := range whole {
			was := whole[i]
			if was == '\n' || was == '\r' {
				continue
			}
			for _, c := range []byte{'0', '7', 'F', 'x'} {
				whole[i] = c
				crashes, err := Read(whole)
				if err != nil {
					t.Fatal(err)
				}
				checkTrue(t, fmt.Sprintf("%s, character %d as %c", name, i, c), crashes)
			}
			whole[i] = was
		}
	}
}

func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	for name, file := range files() {
		for n := range len(file) {
			crashes, err := Read([]byte(file[:n]))
			if err != nil {
				t.Fatal(err)
			}
			checkTrue(t, fmt.Sprintf("%s cut to %d", name, n), crashes)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, file := range files() {
		f.Add([]byte(file))
	}
	f.Add([]byte(":0200000420\n:00000001FF\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		crashes, err := Read(b)
		if err != nil || Is(b) != (len(crashes) == 1) {
			t.Fatalf("%d crashes, error %v", len(crashes), err)
		}
	})
}
