package session

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pushmask/core"
)

// withSVD opens a program that has nothing but a device: a description made of
// peripherals.
func withSVD(t *testing.T, peripherals string) *Program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "device.svd")
	text := "<device><name>D</name><width>32</width><peripherals>" + peripherals + "</peripherals></device>"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := OpenProgram(t.Context(), Config{SVD: path})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ports are n peripherals of a register each, all of one group but the last.
func ports(n int) string {
	var b strings.Builder
	for i := range n {
		group := "GPIO"
		if i == n-1 {
			group = "WDG"
		}
		fmt.Fprintf(&b, `<peripheral><name>P%d</name><groupName>%s</groupName><baseAddress>%d</baseAddress>
			<addressBlock><offset>0</offset><size>16</size><usage>registers</usage></addressBlock>
			<registers><register><name>ODR</name><addressOffset>4</addressOffset></register></registers></peripheral>`, i, group, 0x40020000+1024*i)
	}
	return b.String()
}

// TestGroups lists the peripherals of a device with many by their groups.
func TestGroups(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{manyPeripherals: manyPeripherals, manyPeripherals + 1: 2} {
		s := openFake(t, withSVD(t, ports(n)), oneThread(core.ProfileM, 0, nil))
		rows, total, err := s.Peripherals(t.Context(), PeripheralItem{}, 0, 0)
		if err != nil || len(rows) != want || total != want {
			t.Fatalf("of %d peripherals %d are listed, %v", n, len(rows), err)
		}
		if want > 2 {
			continue
		}
		if rows[0].Name != "GPIO" || rows[0].Children != n-1 || rows[1].Name != fmt.Sprintf("P%d", n-1) {
			t.Errorf("listed %+v", rows)
		}
		inside, _, err := s.Peripherals(t.Context(), rows[0].Item, n-2, 5)
		if err != nil || len(inside) != 1 || inside[0].Name != fmt.Sprintf("P%d", n-2) {
			t.Errorf("the last of the group: %+v, %v", inside, err)
		}
	}
}

// TestDeviceNames names registers in causes and as values of registers.
func TestDeviceNames(t *testing.T) {
	t.Parallel()
	target := oneThread(core.ProfileM, 5, map[core.Reg]uint32{core.PSR: 0x01000000, core.PC: 0x1000, core.R2: 0x40020000})
	target.threads[0].Faulted = true
	target.mem.AddBytes(0x1000, []byte{0x53, 0x68}) // ldr r3, [r2, #4]
	target.mem.AddBytes(0xe000ed28, slices.Concat(le32(0x8200), le32(0), le32(0), le32(0), le32(0x40020004)))
	s := openFake(t, withSVD(t, ports(2)), target)
	c := s.Cause(t.Context(), 1)
	if !strings.Contains(c.Description, "read of address 0x40020004 (`P0.ODR`)") {
		t.Errorf("cause %q", c.Description)
	}
	if !slices.ContainsFunc(c.Notes, func(n string) bool { return strings.Contains(n, "no clock or power") }) {
		t.Errorf("notes %q", c.Notes)
	}
	if v, err := s.Evaluate(t.Context(), "$r2", nil); err != nil || !strings.Contains(v.Text, "<P0") {
		t.Errorf("r2 is %q, %v", v.Text, err)
	}
}

// busTarget is a live target that notes the accesses to its one device.
type busTarget struct {
	*fakeTarget
	regs map[core.Addr]byte
	log  []string
}

func (b *busTarget) ReadAccess(_ context.Context, a core.Addr, p []byte) error {
	for i := range p {
		p[i] = b.regs[a+core.Addr(i)]
	}
	b.log = append(b.log, fmt.Sprintf("read %v,%d", a, len(p)))
	return nil
}

func (b *busTarget) WriteAccess(_ context.Context, a core.Addr, p []byte) error {
	for i, v := range p {
		b.regs[a+core.Addr(i)] = v
	}
	b.log = append(b.log, fmt.Sprintf("write %v=%x", a, p))
	return nil
}

// device has a register of each kind that matters for a write.
const device = `<peripheral><name>P</name><baseAddress>0x40000000</baseAddress><registers>
	<register><name>WIDE</name><size>64</size><addressOffset>0</addressOffset></register>
	<register><name>CR</name><size>16</size><addressOffset>8</addressOffset><fields>
		<field><name>ON</name><bitRange>[0:0]</bitRange></field>
		<field><name>MODE</name><bitRange>[7:4]</bitRange><enumeratedValues>
			<enumeratedValue><name>SLOW</name><value>1</value></enumeratedValue>
			<enumeratedValue><name>FAST</name><value>2</value></enumeratedValue></enumeratedValues></field></fields></register>
	<register><name>SR</name><addressOffset>12</addressOffset><fields>
		<field><name>OVR</name><bitRange>[3:3]</bitRange><modifiedWriteValues>oneToClear</modifiedWriteValues>
			<enumeratedValues><usage>write</usage><enumeratedValue><name>Clear</name><value>1</value></enumeratedValue></enumeratedValues>
			<enumeratedValues><usage>read</usage><enumeratedValue><name>None</name><value>0</value></enumeratedValue></enumeratedValues></field>
		<field><name>EN</name><bitRange>[0:0]</bitRange></field></fields></register>
	<register><name>KEY</name><addressOffset>16</addressOffset><access>write-only</access></register>
	<register><name>ID</name><addressOffset>20</addressOffset><access>read-only</access></register>
	</registers></peripheral>`

// TestSetPeripheral writes registers and fields, and checks each access.
func TestSetPeripheral(t *testing.T) {
	t.Parallel()
	program := withSVD(t, device)
	for _, tt := range []struct {
		path, value string
		want        string // the accesses, or a part of the error
	}{
		{"WIDE", "0x100000002", "read 0x40000000,4; read 0x40000004,4; write 0x40000000=02000000; write 0x40000004=01000000"},
		{"CR.MODE", "FAST", "read 0x40000008,2; write 0x40000008=21ff"},
		{"CR.MODE", "1 (SLOW)", "read 0x40000008,2; write 0x40000008=11ff"},
		{"CR.MODE", "LOUD", `"LOUD" is neither a number nor one of the names SLOW, FAST`},
		{"CR.ON", "yes", `"yes" is no number, and the values of ON have no names`},
		{"CR", "x", `"x" is no number`},
		{"CR", "0x10000", "the register has 16 bits"},
		{"SR.OVR", "Clear", "read 0x4000000c,4; write 0x4000000c=09000000"},
		{"SR.OVR", "None", "read 0x4000000c,4; write 0x4000000c=09000000"},
		{"SR.EN", "0", "read 0x4000000c,4; write 0x4000000c=00000000"},
		{"KEY", "0xaaaa", "write 0x40000010=aaaa0000"},
		{"ID", "1", "not writable"},
	} {
		bus := &busTarget{fakeTarget: oneThread(core.ProfileM, 0, nil), regs: map[core.Addr]byte{0x40000008: 0x01, 0x40000009: 0xff, 0x4000000c: 9}}
		s := openFake(t, program, bus)
		item, ok := s.PeripheralPart(PeripheralItem{}, "P")
		for name := range strings.SplitSeq(tt.path, ".") {
			if item, ok = s.PeripheralPart(item, name); !ok {
				t.Fatalf("there is no %s in %s", name, tt.path)
			}
		}
		_, err := s.SetPeripheral(t.Context(), item, tt.value)
		got := strings.Join(bus.log, "; ")
		if err != nil {
			got = err.Error()
		}
		if err == nil && got != tt.want || err != nil && !strings.Contains(got, tt.want) {
			t.Errorf("%s = %s: %s, want %s", tt.path, tt.value, got, tt.want)
		}
	}
}

// TestPeripheralOfDump refuses to change a dump.
func TestPeripheralOfDump(t *testing.T) {
	t.Parallel()
	target := oneThread(core.ProfileM, 0, nil)
	target.mem.AddBytes(0x40000008, binary.LittleEndian.AppendUint16(nil, 0x21))
	s := openFake(t, withSVD(t, device), target)
	p, _ := s.PeripheralPart(PeripheralItem{}, "P")
	cr, _ := s.PeripheralPart(p, "CR")
	mode, _ := s.PeripheralPart(cr, "MODE")
	row, err := s.Peripheral(t.Context(), mode)
	if err != nil || row.Value != "2 (FAST)" || row.Type != "bits 7..4, read-write" {
		t.Errorf("MODE is %+v, %v", row, err)
	}
	if _, err := s.SetPeripheral(t.Context(), mode, "1"); err != ErrNotLive {
		t.Errorf("got %v", err)
	}
}

// arrays is a peripheral with an array of clusters that have arrays of registers, a
// list, and an array of one.
const arrays = `<peripheral><name>DMA</name><baseAddress>0x40000000</baseAddress><registers>
	<cluster><dim>2</dim><dimIncrement>0x20</dimIncrement><name>CH[%s]</name><addressOffset>0</addressOffset>
		<register><dim>3</dim><dimIncrement>4</dimIncrement><name>BUF[%s]</name><addressOffset>0</addressOffset></register>
		<register><dim>2</dim><dimIncrement>4</dimIncrement><dimIndex>A,B</dimIndex><name>CTRL%s</name><addressOffset>0x10</addressOffset></register>
	</cluster>
	<register><dim>2</dim><dimIncrement>8</dimIncrement><name>SRC[%s]</name><addressOffset>0x100</addressOffset></register>
	<register><dim>2</dim><dimIncrement>8</dimIncrement><name>DST[%s]</name><addressOffset>0x104</addressOffset></register>
	<register><dim>1</dim><dimIncrement>4</dimIncrement><name>ONE[%s]</name><addressOffset>0x110</addressOffset></register>
	</registers></peripheral>`

// TestPeripheralArrays lists arrays as rows that open, and lists flat.
func TestPeripheralArrays(t *testing.T) {
	t.Parallel()
	s := openFake(t, withSVD(t, arrays), oneThread(core.ProfileM, 0, nil))
	var list func(of PeripheralItem, indent string) string
	list = func(of PeripheralItem, indent string) string {
		rows, _, err := s.Peripherals(t.Context(), of, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, r := range rows {
			fmt.Fprintf(&b, "%s%s: %s\n%s", indent, r.Name, r.Type, list(r.Item, indent+"  "))
			if again, err := s.Peripheral(t.Context(), r.Item); err != nil || again.Children != r.Children || again.IsArray != r.IsArray {
				t.Errorf("%s by itself: %+v, %v", r.Name, again, err)
			}
			if part, ok := s.PeripheralPart(of, r.Name); !ok || part != r.Item {
				t.Errorf("%s is not found by its name", r.Name)
			}
		}
		return b.String()
	}
	channel := func(n string) string {
		return "    [" + n + "]: cluster\n      BUF[0..2]: 3 registers, read-write\n        [0]: 32 bits, read-write\n" +
			"        [1]: 32 bits, read-write\n        [2]: 32 bits, read-write\n      CTRLA: 32 bits, read-write\n      CTRLB: 32 bits, read-write\n"
	}
	pair := "    [0]: 32 bits, read-write\n    [1]: 32 bits, read-write\n"
	want := "DMA: peripheral\n  CH[0..1]: 2 clusters\n" + channel("0") + channel("1") + "  SRC[0..1]: 2 registers, read-write\n" + pair +
		"  DST[0..1]: 2 registers, read-write\n" + pair + "  ONE[0]: 32 bits, read-write\n"
	if got := list(PeripheralItem{}, ""); got != want {
		t.Errorf("listed\n%s", got)
	}
	dma, _ := s.PeripheralPart(PeripheralItem{}, "DMA")
	for _, path := range []string{"CH[0..1] [1] BUF[0..2] [2]", "CH[1] BUF[2]", "CH[0..1] CH[1] BUF[0..2] BUF[2]"} {
		item, ok := dma, true
		for name := range strings.SplitSeq(path, " ") {
			if item, ok = s.PeripheralPart(item, name); !ok {
				t.Fatalf("no %s in %s", name, path)
			}
		}
		if addr, size, name, ok := item.Register(); !ok || addr != 0x40000028 || size != 4 || name != "DMA.CH[1].BUF[2]" {
			t.Errorf("%s: %v, %d, %s, %v", path, addr, size, name, ok)
		}
	}
}
