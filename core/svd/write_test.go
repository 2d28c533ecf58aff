package svd

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// effects is a register with a field of four bits for each effect of a write.
func effects(t *testing.T) *Register {
	t.Helper()
	var b strings.Builder
	for i, e := range []string{"modify", "oneToClear", "oneToSet", "oneToToggle", "zeroToClear", "zeroToSet", "zeroToToggle", "clear", "set"} {
		fmt.Fprintf(&b, "<field><name>%s</name><bitOffset>%d</bitOffset><bitWidth>4</bitWidth><modifiedWriteValues>%s</modifiedWriteValues></field>", e, 4*i, e)
	}
	return only(t, "<size>64</size><fields>"+b.String()+"</fields>")
}

// only returns the one register of a device, made of what is inside of its
// element.
func only(t *testing.T, inside string) *Register {
	t.Helper()
	dev := parseText(t, device(peripheral("<register><name>R</name><addressOffset>0</addressOffset>"+inside+"</register>")))
	if len(dev.Problems) > 0 {
		t.Fatal(dev.Problems)
	}
	return dev.Peripherals[0].Registers[0]
}

// TestSet: for every effect and value there either is a write that, by the
// words of the schema, makes the field that value and keeps all others, or the
// value is out of reach.
func TestSet(t *testing.T) {
	t.Parallel()
	r := effects(t)
	keeps := r.Fields[:7] // the last two change at any write
	for _, f := range r.Fields {
		for have := range uint64(16) {
			for want := range uint64(16) {
				now := uint64(0xabc_0000_0000_0000) | 0x555555555
				now = now&^f.Mask() | have<<f.LSB
				w, err := r.Set(f, want, Content{now, true})
				if reachable(f, have, want) != (err == nil) || err != nil && !errors.Is(err, ErrNoWay) {
					t.Fatalf("%s from %d to %d: %v", f.Name, have, want, err)
				}
				if err != nil {
					continue
				}
				after := written(r, now, w.Value)
				if got := after >> f.LSB & 15; got != want {
					t.Errorf("%s from %d to %d: write %#x makes it %d", f.Name, have, want, w.Value, got)
				}
				for _, o := range keeps {
					if o != f && (after^now)&o.Mask() != 0 {
						t.Errorf("%s from %d to %d: write %#x changes %s", f.Name, have, want, w.Value, o.Name)
					}
				}
				if (after^now)>>36 != 0 {
					t.Errorf("%s from %d to %d: write %#x changes bits of no field", f.Name, have, want, w.Value)
				}
			}
		}
	}
}

// written is what a register holds after a write, by the definitions of
// modifiedWriteValues.
func written(r *Register, now, w uint64) uint64 {
	after := w
	for _, f := range r.Fields {
		m := f.Mask()
		v := map[WriteEffect]uint64{
			WriteModifies: w, OneToClear: now &^ w, OneToSet: now | w, OneToToggle: now ^ w,
			ZeroToClear: now & w, ZeroToSet: now | ^w, ZeroToToggle: now ^ ^w, WriteClears: 0, WriteSets: ^uint64(0),
		}[f.WriteEffect]
		after = after&^m | v&m
	}
	return after
}

// reachable reports whether any write makes want of have.
func reachable(f *Field, have, want uint64) bool {
	switch f.WriteEffect {
	case OneToClear, ZeroToClear:
		return want&^have == 0
	case OneToSet, ZeroToSet:
		return have&^want == 0
	case WriteClears:
		return want == 0
	case WriteSets:
		return want == 15
	}
	return true
}

func TestPut(t *testing.T) {
	t.Parallel()
	known := func(v uint64) Content { return Content{v, true} }
	status := register(t, "USART1.SR")
	cases := []struct {
		name  string
		r     *Register
		field string
		v     uint64
		now   Content
		want  uint64
		err   error
	}{
		{"others keep, flags are not acknowledged", status, "MODE", 5, known(0xffff_f0ff), 0xffff_f5f7, nil},
		{"a flag is cleared by one", status, "ORE", 1, known(0x108), 0x148, nil},
		{"a flag is cleared by zero", status, "TC", 0, known(0x148), 0x100, nil},
		{"read-only", status, "RXNE", 1, known(0), 0, ErrNotWritable},
		{"too wide", status, "ORE", 2, known(0), 0, ErrValue},
		{"below the range", status, "MODE", 0, known(0), 0, ErrValue},
		{"above the range", status, "MODE", 10, known(0), 0, ErrValue},
		{"not read before", status, "MODE", 5, Content{}, 0, ErrUnknown},
		{"the register read-only", register(t, "GPIOA.IDR"), "IDR0", 1, known(0), 0, ErrNotWritable},
		{"write-only, nothing to know", only(t, `<access>write-only</access><resetValue>0x80</resetValue>
			<fields><field><name>GO</name><bitRange>[0:0]</bitRange></field><field><name>KEY</name><bitRange>[7:4]</bitRange></field></fields>`),
			"GO", 1, Content{}, 0x81, nil},
		{"all fields write-only", only(t, `<fields><field><name>GO</name><bitRange>[0:0]</bitRange><access>write-only</access></field></fields>`),
			"GO", 1, Content{}, 1, nil},
		{"a whole register", only(t, `<size>8</size><fields><field><name>ALL</name><bitRange>[7:0]</bitRange></field></fields>`),
			"ALL", 0x5a, Content{}, 0x5a, nil},
		{"a named value", only(t, named), "F", 1, known(0), 1, nil},
		{"a value without a name", only(t, named), "F", 2, known(0), 0, ErrValue},
		{"as it was read", only(t, asRead), "F", 2, known(2), 2, nil},
		{"not as it was read", only(t, asRead), "F", 3, known(2), 0, ErrValue},
		{"as an unknown value was read", only(t, asRead), "F", 3, Content{}, 0, ErrUnknown},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, err := c.r.Put(field(t, c.r, c.field), c.v, c.now)
			if !errors.Is(err, c.err) || w.Value != c.want {
				t.Errorf("write %#x, %v; want %#x, %v", w.Value, err, c.want, c.err)
			}
		})
	}
}

// TestPutAll writes registers as a whole.
func TestPutAll(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		r    *Register
		v    uint64
		now  Content
		err  error
	}{
		{"plain", only(t, "<size>8</size>"), 0xff, Content{}, nil},
		{"too wide", only(t, "<size>8</size>"), 0x100, Content{}, ErrValue},
		{"read-only", only(t, "<access>read-only</access>"), 1, Content{}, ErrNotWritable},
		{"all fields read-only", only(t, `<fields><field><name>F</name><bitRange>[7:0]</bitRange><access>read-only</access></field></fields>`), 1, Content{}, ErrNotWritable},
		{"a named value", only(t, named), 1, Content{}, nil},
		{"a value without a name", only(t, named), 2, Content{}, ErrValue},
		{"as it was read", only(t, asRead), 2, Content{2, true}, nil},
		{"not as it was read", only(t, asRead), 3, Content{2, true}, ErrValue},
		{"not read", only(t, asRead), 3, Content{}, ErrUnknown},
		{"out of range", only(t, `<writeConstraint><range><minimum>2</minimum><maximum>3</maximum></range></writeConstraint>`), 1, Content{}, ErrValue},
		{"not read, no fields", only(t, `<writeConstraint><writeAsRead>true</writeAsRead></writeConstraint>`), 1, Content{}, ErrUnknown},
	} {
		w, err := c.r.PutAll(c.v, c.now)
		if !errors.Is(err, c.err) || err == nil && w.Value != c.v {
			t.Errorf("%s: write %#x, %v; want %v", c.name, w.Value, err, c.err)
		}
	}
}

const (
	named = `<size>8</size><writeConstraint><useEnumeratedValues>true</useEnumeratedValues></writeConstraint>
		<fields><field><name>F</name><bitRange>[7:0]</bitRange><enumeratedValues><enumeratedValue><name>A</name><value>1</value></enumeratedValue></enumeratedValues></field></fields>`
	asRead = `<size>8</size><fields><field><name>F</name><bitRange>[7:0]</bitRange><writeConstraint><writeAsRead>true</writeAsRead></writeConstraint></field></fields>`
)

// TestTouched: fields that a write changes although it should not are named.
func TestTouched(t *testing.T) {
	t.Parallel()
	r := only(t, `<resetValue>0x30</resetValue><fields>
		<field><name>F</name><bitRange>[0:0]</bitRange></field>
		<field><name>CLEARS</name><bitRange>[1:1]</bitRange><modifiedWriteValues>clear</modifiedWriteValues></field>
		<field><name>ONCE</name><bitRange>[2:2]</bitRange><access>read-writeOnce</access></field>
		<field><name>STATUS</name><bitRange>[3:3]</bitRange><access>read-only</access></field>
		<field><name>KEY</name><bitRange>[5:4]</bitRange><access>write-only</access></field>
		<field><name>ACK</name><bitRange>[6:6]</bitRange><access>write-only</access><modifiedWriteValues>oneToClear</modifiedWriteValues></field>
		</fields>`)
	w, err := r.Put(field(t, r, "F"), 1, Content{0x4c, true})
	if err != nil || w.Value != 0x3d {
		t.Fatalf("write %#x, %v", w.Value, err)
	}
	var names []string
	for _, f := range w.Touched {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "CLEARS ONCE KEY" {
		t.Errorf("touched: %s", got)
	}
}

// TestUnknownEffect: what a write does to a field is not made up.
func TestUnknownEffect(t *testing.T) {
	t.Parallel()
	dev := parseText(t, device(peripheral(`<register><name>R</name><addressOffset>0</addressOffset><fields>
		<field><name>ODD</name><bitRange>[0:0]</bitRange><modifiedWriteValues>sometimes</modifiedWriteValues></field>
		<field><name>F</name><bitRange>[1:1]</bitRange></field></fields></register>`)))
	r := dev.Peripherals[0].Registers[0]
	if _, err := r.Set(r.Fields[0], 1, Content{0, true}); !errors.Is(err, ErrNoWay) {
		t.Errorf("set a field of unknown effect: %v", err)
	}
	if w, err := r.Set(r.Fields[1], 1, Content{1, true}); err != nil || w.Value != 3 || len(w.Touched) != 1 || len(dev.Problems) != 1 {
		t.Errorf("set the other field: %+v, %v; problems %v", w, err, dev.Problems)
	}
}

func TestWriteErrorText(t *testing.T) {
	t.Parallel()
	r := register(t, "GPIOA.IDR")
	_, err := r.Set(field(t, r, "IDR1"), 1, Content{})
	if err == nil || err.Error() != "write 0x1 to GPIOA.IDR.IDR1: not writable" {
		t.Errorf("%v", err)
	}
	if got := (&WriteError{Register: r, Value: 2, Err: ErrUnknown}).Error(); got != "write 0x2 to GPIOA.IDR: value of the other fields is not known" {
		t.Error(got)
	}
}
