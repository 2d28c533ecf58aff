package svd

import (
	"strings"
	"testing"
)

// register returns a register of testdata/device.svd.
func register(t *testing.T, path string) *Register {
	t.Helper()
	it, ok := parseFile(t, "testdata/device.svd").Lookup(path)
	if !ok || it.Register == nil {
		t.Fatalf("no register %s", path)
	}
	return it.Register
}

func field(t *testing.T, r *Register, name string) *Field {
	t.Helper()
	for _, f := range r.Fields {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no field %s in %v", name, r)
	return nil
}

func TestDecode(t *testing.T) {
	t.Parallel()
	cases := []struct {
		register string
		value    uint64
		text     string
		want     string
	}{
		{"GPIOA.MODER", 0xc0000034, "0xc0000034", "MODER_A=0 (IN) MODER_B=1 (OUT) MODER_Z=3 (SPECIAL) LAST=3 (SPECIAL)"},
		{"DMA.CH[0].CTRL", 0xab01, "0x0000ab01", "EN=1 (RUNS) SIZE=0xab"},
		{"DMA.CH[0].CTRL", 0, "0x00000000", "EN=0 (STOPPED) SIZE=0x00"},
		{"GPIOA.ODR", 0x20, "0x00000020", "ODR5=1"},
		{"DMA.COUNT", 1, "0x0000000000000001", ""},
		{"USART1.BRR", 0x123456, "0x3456", ""},
	}
	for _, c := range cases {
		r := register(t, c.register)
		var got []string
		for _, v := range r.Decode(c.value) {
			got = append(got, v.Field.Name+"="+v.Text())
		}
		if s := strings.Join(got, " "); s != c.want || r.Text(c.value) != c.text {
			t.Errorf("%s: %s %s, want %s %s", c.register, r.Text(c.value), s, c.text, c.want)
		}
	}
}

// TestDecodeWriteOnly: the bits of a field that cannot be read say nothing.
func TestDecodeWriteOnly(t *testing.T) {
	t.Parallel()
	dev := parseText(t, device(peripheral(`<register><name>R</name><addressOffset>0</addressOffset><fields>
		<field><name>GO</name><bitRange>[0:0]</bitRange><access>write-only</access></field>
		<field><name>ON</name><bitRange>[1:1]</bitRange></field></fields></register>`)))
	got := dev.Peripherals[0].Registers[0].Decode(3)
	if got[0].Known || got[0].Value != 0 || got[0].Text() != "write-only" || !got[1].Known || got[1].Text() != "1" {
		t.Errorf("%+v", got)
	}
}

func TestValueOf(t *testing.T) {
	t.Parallel()
	moder, ctrl := register(t, "GPIOA.MODER"), register(t, "DMA.CH[0].CTRL")
	if v, ok := field(t, moder, "LAST").ValueOf("SPECIAL"); !ok || v != 2 {
		t.Errorf("SPECIAL is %d, %v", v, ok)
	}
	if v, ok := field(t, ctrl, "EN").ValueOf("START"); !ok || v != 1 {
		t.Errorf("START is %d, %v", v, ok)
	}
	for _, name := range []string{"", "RUNS", "STOPPED", "start"} {
		if v, ok := field(t, ctrl, "EN").ValueOf(name); ok {
			t.Errorf("%q is %d", name, v)
		}
	}
}
