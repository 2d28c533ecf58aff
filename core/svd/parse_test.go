package svd

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
)

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "   ", "\x7fELF\x01\x01", "<html><body/></html>", "{}", "<devic", "<!-- <device> -->"} {
		if dev, err := Parse(strings.NewReader(text)); !errors.Is(err, ErrNoDevice) || dev != nil {
			t.Errorf("%q: %v, %v", text, dev, err)
		}
	}
	failed := errors.New("disk on fire")
	if _, err := Parse(iotest.ErrReader(failed)); !errors.Is(err, failed) {
		t.Errorf("a reader that fails: %v", err)
	}
	if _, err := Parse(bytes.NewReader(make([]byte, maxBytes+1))); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a file that is too large: %v", err)
	}
}

// device wraps peripherals in a device element.
func device(peripherals string) string {
	return "<device><name>D</name><peripherals>" + peripherals + "</peripherals></device>"
}

// peripheral wraps registers in a peripheral P at 0x40000000.
func peripheral(registers string) string {
	return "<peripheral><name>P</name><baseAddress>0x40000000</baseAddress><registers>" + registers + "</registers></peripheral>"
}

// TestEncodings: the bytes decide, whatever the declaration says.
func TestEncodings(t *testing.T) {
	t.Parallel()
	const text = "<?xml version=\"1.0\" encoding=\"ascii\"?>\r\n<device><name>caf\u00e9</name></device>"
	wide := func(big bool) string {
		var b []byte
		for _, u := range append([]uint16{0xfeff}, utf16.Encode([]rune(text))...) {
			if big {
				u = u>>8 | u<<8
			}
			b = append(b, byte(u), byte(u>>8))
		}
		return string(b)
	}
	cases := []struct{ name, text, want string }{
		{"UTF-8", text, "caf\u00e9"},
		{"UTF-8 with a byte order mark", "\ufeff" + text, "caf\u00e9"},
		{"UTF-16 LE", wide(false), "caf\u00e9"},
		{"UTF-16 BE", wide(true), "caf\u00e9"},
		{"Latin-1", strings.Replace(text, "\u00e9", "\xe9", 1), "caf\u00e9"},
		{"control characters", strings.Replace(text, "\u00e9", "\x00\x1b\ufffe\uffffe", 1), "caf e"},
		{"sections and comments", strings.Replace(text, "caf", "<![CDATA[ca]]><!-- -->f", 1), "caf\u00e9"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dev := parseText(t, c.text)
			if dev.Name != c.want || len(dev.Problems) > 0 {
				t.Errorf("name %q, want %q; problems %v", dev.Name, c.want, dev.Problems)
			}
		})
	}
}

// TestHostile: descriptions that would need more memory or time than there is
// are cut short, and say so.
func TestHostile(t *testing.T) {
	t.Parallel()
	reg := "<register><name>R%s</name><addressOffset>0</addressOffset><dim>0xffffffff</dim><dimIncrement>0</dimIncrement></register>"
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	cases := []struct{ name, text, want string }{
		{"endless array", device(peripheral(reg)), "the rest is left out"},
		{"arrays in arrays", device(peripheral(
			strings.Repeat("<cluster><name>C[%s]</name><addressOffset>0</addressOffset><dim>1000</dim><dimIncrement>4</dimIncrement>", 5) +
				reg + strings.Repeat("</cluster>", 5))), "the rest is left out"},
		{"deep clusters", device(peripheral(strings.Repeat("<cluster><name>C</name><addressOffset>0</addressOffset>", 5000))), "levels deep"},
		{"long names", device(peripheral("<register><name>" + strings.Repeat("n", 1<<20) + "</name></register>")), "passed over"},
		{"one element many times", device(peripheral("<register>" + strings.Repeat("<size>8</size>", 20000))), "a second size"},
		{"derived from all before", device(peripheral(many(3000, "<register><name>R%[1]d</name><addressOffset>%[1]d</addressOffset></register>")) +
			many(3000, "<peripheral derivedFrom=\"P\"><name>P%[1]d</name><baseAddress>%[1]d</baseAddress></peripheral>")), "the rest is left out"},
		{"a chain of derivation", device(many(10000, "<peripheral derivedFrom=\"P%[1]d9\"><name>P%[1]d</name><baseAddress>0</baseAddress></peripheral>") +
			"<peripheral derivedFrom=\"Q1\"><name>Q0</name></peripheral>" + many(40, "<peripheral derivedFrom=\"Q1%[1]d\"><name>Q%[1]d</name></peripheral>")), "which the file does not have"},
		{"clusters that contain each other", device(peripheral(
			"<cluster><name>A</name><addressOffset>0</addressOffset><cluster derivedFrom=\"P.B\"><name>X</name></cluster></cluster>" +
				"<cluster><name>B</name><addressOffset>0</addressOffset><cluster derivedFrom=\"P.A\"><name>Y</name></cluster></cluster>")), "inside of what it derives from"},
		{"entities", "<!DOCTYPE d [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>" +
			device("<peripheral><name>"+strings.Repeat("&b;", 1000)+"</name></peripheral>"), "name has 3000 bytes"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dev := parseText(t, c.text)
			if len(dev.registers) > maxElements/registerCost {
				t.Errorf("%d registers", len(dev.registers))
			}
			for _, p := range dev.Problems {
				if strings.Contains(p.String(), c.want) {
					return
				}
			}
			t.Errorf("no problem says %q: %d, first %v", c.want, len(dev.Problems), dev.Problems[:min(3, len(dev.Problems))])
		})
	}
}

// TestNodeLimit: of a file with too many elements the first ones are read.
func TestNodeLimit(t *testing.T) {
	t.Parallel()
	var p problems
	root := readNodes([]byte(device(strings.Repeat("<peripheral/>", 20))), 10, &p)
	if got := len(root.kid("peripherals").list); got != 7 { // device, name, peripherals
		t.Errorf("%d peripherals", got)
	}
	if len(p.list) != 1 || !strings.Contains(p.list[0].Text, "too many elements") {
		t.Errorf("problems: %v", p.list)
	}
}

// FuzzParse feeds damaged descriptions, and checks what Parse promises of what
// comes out.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"testdata/device.svd", "testdata/broken.svd"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(device(peripheral("<register derivedFrom=\"P.R\"><name>R</name><dim>0x10</dim><dimIndex>A-Z</dimIndex></register>"))))
	f.Add([]byte("<!DOCTYPE d [<!ENTITY a \"b\">]><device><name>&a;</name></device>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dev, err := Parse(bytes.NewReader(data))
		if err != nil {
			return
		}
		if len(dev.Problems) > maxProblems {
			t.Errorf("%d problems", len(dev.Problems))
		}
		for _, p := range dev.Peripherals {
			checkReads(t, dev, p)
			for _, r := range p.Registers {
				checkRegister(t, dev, r)
			}
		}
	})
}

// checkRegister checks what holds for every register.
func checkRegister(t *testing.T, dev *Device, r *Register) {
	t.Helper()
	if r.Size < 1 || r.Size > 64 || uint64(r.Addr)+uint64(r.Bytes()) > 1<<32 {
		t.Errorf("%v: %d bits at %v", r, r.Size, r.Addr)
	}
	if p, found := dev.At(r.Addr); p == nil || found == nil || found.Addr != r.Addr {
		t.Errorf("%v at %v: found %v", r, r.Addr, found)
	}
	if n := len(r.Decode(^uint64(0))); n != len(r.Fields) {
		t.Errorf("%v: %d values of %d fields", r, n, len(r.Fields))
	}
	for _, f := range r.Fields {
		if f.LSB < 0 || f.Width < 1 || f.LSB+f.Width > r.Size {
			t.Errorf("%v.%s: %d bits from %d on", r, f.Name, f.Width, f.LSB)
		}
		w, err := r.Put(f, f.Max(), Content{Value: ^uint64(0), Known: true})
		if err == nil && w.Value&f.Mask() != f.Mask() {
			t.Errorf("%v.%s: write %#x", r, f.Name, w.Value)
		}
	}
}
