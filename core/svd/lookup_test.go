package svd

import (
	"strings"
	"testing"

	"pushmask/core"
)

func TestAt(t *testing.T) {
	t.Parallel()
	dev := parseFile(t, "testdata/device.svd")
	cases := []struct {
		addr core.Addr
		want string // Symbol
	}{
		{0, ""},
		{0xffffffff, ""},
		{0x40020000, "GPIOA.MODER"},
		{0x40020003, "GPIOA.MODER+3"},
		{0x40020004, "GPIOA+0x4"},
		{0x400203ff, "GPIOA+0x3ff"},
		{0x40020400, "GPIOB.MODER"},
		{0x40020412, "GPIOB+0x12"},
		{0x40020800, ""},
		{0x40011004, "USART1.RDR"},
		{0x40011005, "USART1+0x5"},
		{0x40026060, "DMA.CH[1].ADDR.M4"},
		{0x4002619c, "DMA.COUNT+4"},
		{0x4002619f, "DMA.COUNT+7"},
		{0x400261a0, "DMA+0x1a0"},
		{0x50001002, "TIMER[1].CNT+2"},
		{0x50001004, ""}, // it has no address block
	}
	for _, c := range cases {
		if got := dev.Symbol(c.addr); got != c.want {
			t.Errorf("%v is %q, want %q", c.addr, got, c.want)
		}
		if p, _ := dev.At(c.addr); (p == nil) != (c.want == "") {
			t.Errorf("%v is in %v", c.addr, p)
		}
	}
}

// TestAtOverlaps: a register that starts at the address wins over one around
// it, and the block that starts last over one around it.
func TestAtOverlaps(t *testing.T) {
	t.Parallel()
	block := func(name, base, size, more string) string {
		return "<peripheral><name>" + name + "</name><baseAddress>" + base + "</baseAddress><addressBlock><offset>0</offset><size>" +
			size + "</size></addressBlock>" + more + "</peripheral>"
	}
	dev := parseText(t, device(
		block("ALL", "0", "0x100000000", "")+
			block("OUTER", "0x1000", "0x1000", "<registers><register><name>W</name><addressOffset>8</addressOffset></register>"+
				"<register><name>H</name><addressOffset>10</addressOffset><size>16</size></register></registers>")+
			block("INNER", "0x1100", "0x10", "")+
			block("SAME", "0x1100", "0x20", "")))
	for addr, want := range map[core.Addr]string{
		0x1008: "OUTER.W", 0x1009: "OUTER.W+1", 0x100a: "OUTER.H", 0x100b: "OUTER.W+3",
		0x10ff: "OUTER+0xff", 0x1100: "INNER+0x0", 0x1110: "SAME+0x10", 0x1120: "OUTER+0x120",
		0x2000: "ALL+0x2000", 0: "ALL+0x0", 0xfffffffe: "ALL+0xfffffffe",
	} {
		if got := dev.Symbol(addr); got != want {
			t.Errorf("%v is %q, want %q", addr, got, want)
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	dev := parseFile(t, "testdata/device.svd")
	cases := []struct {
		path, register, field string // what is found; "" for none
	}{
		{"GPIOA", "", ""},
		{"GPIOA.ODR", "GPIOA.ODR", ""},
		{"GPIOA.ODR.ODR5", "GPIOA.ODR", "ODR5"},
		{"gpioa.odr.odr5", "GPIOA.ODR", "ODR5"},
		{"GPIOA.GPIO_ODR.ODR5", "GPIOA.ODR", "ODR5"},
		{"GPIOB.MODE.MODER_Z", "GPIOB.MODER", "MODER_Z"},
		{"DMA.CH[1].CTRL.EN", "DMA.CH[1].CTRL", "EN"},
		{"DMA.BUF[UART]", "DMA.BUF[1]", ""},
		{"DMA.BUF[1]", "DMA.BUF[1]", ""},
		{"TIMER[1].CNT", "TIMER[1].CNT", ""},
		{"DMA.BUF1", "DMA.BUF[1]", ""},
		{"DMA.CH1.CTRL.EN", "DMA.CH[1].CTRL", "EN"},
	}
	for _, c := range cases {
		if _, ok := dev.Find(c.path); ok == (c.path == strings.ToLower(c.path)) {
			t.Errorf("%s: found exactly: %v", c.path, ok)
		}
		it, ok := dev.Lookup(c.path)
		if !ok || it.Peripheral == nil {
			t.Errorf("%s is not found", c.path)
			continue
		}
		register, field := "", ""
		if it.Register != nil {
			register = it.Register.String()
		}
		if it.Field != nil {
			field = it.Field.Name
		}
		if register != c.register || field != c.field {
			t.Errorf("%s: found %q and %q", c.path, register, field)
		}
	}
	for _, path := range []string{"", ".", "GPIO", "GPIOA.", "GPIOA.XDR", "GPIOA.ODR.ODR6", "GPIOA.ODR.ODR5.X", "DMA.CTRL", "IGNORED"} {
		if it, ok := dev.Lookup(path); ok {
			t.Errorf("%q: found %+v", path, it)
		}
	}
}

// TestDerivedPaths: what derivedFrom may name, beside names of the same scope.
func TestDerivedPaths(t *testing.T) {
	t.Parallel()
	const registers = `
		<register><dim>2</dim><dimIncrement>4</dimIncrement><name>R%s</name><addressOffset>0</addressOffset><size>8</size>
			<fields><field><name>F</name><bitRange>[3:1]</bitRange><enumeratedValues><name>E</name>
				<enumeratedValue><name>ONE</name><value>1</value></enumeratedValue></enumeratedValues></field></fields></register>
		<cluster><name>C</name><addressOffset>0x10</addressOffset>
			<register derivedFrom="R%s"><name>INSIDE</name><addressOffset>0</addressOffset></register>
			<register derivedFrom="P.R1"><name>ELEMENT</name><addressOffset>4</addressOffset></register>
			<register><name>FIELDS</name><addressOffset>8</addressOffset><fields>
				<field derivedFrom="P.R0.F"><name>G</name></field>
				<field><name>H</name><lsb>8</lsb><msb>9</msb><enumeratedValues derivedFrom="R%s.F.E"/></field>
				<field><name>I</name><lsb>10</lsb><msb>11</msb><enumeratedValues derivedFrom="E"/></field>
			</fields></register></cluster>`
	other := `<peripheral derivedFrom="P"><name>Q</name><baseAddress>0x40001000</baseAddress><registers>
		<register derivedFrom="C.INSIDE"><name>FAR</name><addressOffset>0x80</addressOffset></register>
		<cluster derivedFrom="P.C"><name>D</name><addressOffset>0x90</addressOffset></cluster></registers></peripheral>`
	dev := parseText(t, device(peripheral(registers)+other))
	if len(dev.Problems) > 0 {
		t.Errorf("problems: %v", dev.Problems)
	}
	for _, name := range []string{"P.C.INSIDE.F", "P.C.ELEMENT.F", "P.C.FIELDS.G", "P.C.FIELDS.H", "P.C.FIELDS.I", "Q.R1.F", "Q.FAR.F", "Q.C.FIELDS.G", "Q.D.FIELDS.I"} {
		it, ok := dev.Lookup(name)
		switch {
		case !ok:
			t.Errorf("%s is not there", name)
		case len(it.Field.Enums) != 1 || it.Field.Enums[0].Find(1).Name != "ONE":
			t.Errorf("%s has the values %v", name, it.Field.Enums)
		case it.Register.Name != "FIELDS" && it.Register.Size != 8:
			t.Errorf("%s has %d bits", it.Register, it.Register.Size)
		}
	}
}

// TestCutIndex cuts the names of elements of arrays.
func TestCutIndex(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"CCR[2]": {"CCR", "2"}, "CH[A]": {"CH", "A"}, "X[0][1]": {"X[0]", "1"}, "CCR2": {"CCR2", ""}, "[1]": {"[1]", ""}, "A[]": {"A[]", ""},
		"]": {"]", ""}, "": {"", ""},
	} {
		array, index, ok := CutIndex(name)
		if got := [2]string{array, index}; got != want || ok != (index != "") {
			t.Errorf("%q: %q, %v", name, got, ok)
		}
	}
}
