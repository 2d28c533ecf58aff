package svd

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkParse parses a description of 5 MB with the elements that vendor
// files have most.
func BenchmarkParse(b *testing.B) {
	text := largeDescription(5 << 20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		dev, err := Parse(strings.NewReader(text))
		if err != nil || len(dev.Problems) > 0 {
			b.Fatal(err, dev.Problems)
		}
	}
}

// BenchmarkAt looks up the register at an address.
func BenchmarkAt(b *testing.B) {
	dev, err := Parse(strings.NewReader(largeDescription(1 << 20)))
	if err != nil {
		b.Fatal(err)
	}
	r := dev.registers[len(dev.registers)/2]
	for b.Loop() {
		if _, got := dev.At(r.Addr); got != r {
			b.Fatal(got)
		}
	}
}

// largeDescription writes a description of at least size bytes.
func largeDescription(size int) string {
	var b strings.Builder
	b.WriteString("<device><name>LARGE</name><width>32</width><size>32</size><peripherals>\n")
	for p := 0; b.Len() < size; p++ {
		fmt.Fprintf(&b, `    <peripheral>
      <name>UNIT%d</name>
      <description>Unit number %d of many</description>
      <baseAddress>%#x</baseAddress>
      <addressBlock>
        <offset>0x0</offset>
        <size>0x1000</size>
        <usage>registers</usage>
      </addressBlock>
      <registers>
`, p, p, 0x40000000+p*0x1000)
		for r := range 24 {
			fmt.Fprintf(&b, `        <register>
          <name>REG%d</name>
          <displayName>REG%d</displayName>
          <description>Register %d controls something</description>
          <addressOffset>%#x</addressOffset>
          <access>read-write</access>
          <resetValue>0x00000000</resetValue>
          <fields>
`, r, r, r, r*4)
			for f := range 8 {
				fmt.Fprintf(&b, `            <field>
              <name>FIELD%d</name>
              <description>What the bits from %d on do</description>
              <bitOffset>%d</bitOffset>
              <bitWidth>4</bitWidth>
              <access>read-write</access>
              <enumeratedValues>
                <enumeratedValue>
                  <name>OFF</name>
                  <description>It is off</description>
                  <value>0</value>
                </enumeratedValue>
              </enumeratedValues>
            </field>
`, f, f*4, f*4)
			}
			b.WriteString("          </fields>\n        </register>\n")
		}
		b.WriteString("      </registers>\n    </peripheral>\n")
	}
	b.WriteString("</peripherals></device>\n")
	return b.String()
}
