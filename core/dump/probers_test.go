package dump

import (
	"bufio"
	"bytes"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/coretest"
	"pushmask/core/exc"
)

// probersRegs returns r0 to r15 = 0x100+n, then xPSR and the given others.
func probersRegs(more ...coretest.ProbeRSRegister) []coretest.ProbeRSRegister {
	out := []coretest.ProbeRSRegister{{ID: 16, Value: 0x61000003}}
	for i := range uint16(16) {
		out = append(out, coretest.ProbeRSRegister{ID: i, Value: 0x100 + uint64(i)})
	}
	return append(out, more...)
}

type probersCase struct {
	name string
	dump coretest.ProbeRS
	cut  int
}

func (c probersCase) bytes() []byte {
	b := c.dump.Bytes()
	return b[:len(b)-c.cut]
}

func probersCases() []probersCase {
	type reg = coretest.ProbeRSRegister
	ram := []coretest.ProbeRSRange{{Start: 0x20000000, Content: []byte{0, 0x7f, 0x80, 0xff}}}
	and := func(regs []reg, more ...reg) []reg { return slices.Concat(regs, more) }
	stack := []reg{{ID: 17, Value: 0x20000f00}, {ID: 18, Value: 0x20001f00}, {ID: 20, Value: 0x02010480}}
	m7 := func(regs []reg, data ...coretest.ProbeRSRange) coretest.ProbeRS {
		return coretest.ProbeRS{Registers: regs, Data: data, ISA: "Thumb2", CoreType: "armv7m"}
	}
	with := func(d coretest.ProbeRS, change func(*coretest.ProbeRS)) coretest.ProbeRS {
		change(&d)
		return d
	}
	secure := slices.Concat(probersRegs(stack...), []reg{
		{ID: 26, Value: 0x20000f00}, {ID: 24, Value: 0x28000f00}, {ID: 27, Value: 0x20001f00}, {ID: 25, Value: 0x28001f00},
		{ID: 28, Value: 0x20000000}, {ID: 29, Value: 0x20001000}, {ID: 30, Value: 0x28000000}, {ID: 31, Value: 0x28001000},
	})
	armv8m := func(d *coretest.ProbeRS) { d.CoreType = "armv8m" }
	return []probersCase{
		{"v7m", m7(probersRegs(and(stack, reg{ID: 33, Value: 0x10}, reg{ID: 64, Value: 1}, reg{ID: 95, Value: 2})...), ram...), 0},
		{"v6m_has_no_basepri", with(m7(probersRegs(stack...), ram...), func(d *coretest.ProbeRS) { d.CoreType = "armv6m" }), 0},
		{"v8m_without_security", with(m7(probersRegs(and(stack, reg{ID: 30, Value: 0x20000000}, reg{ID: 31, Value: 0})...), ram...), armv8m), 0},
		{"v8m_secure", with(m7(secure, ram...), armv8m), 0},
		{"v8m_non_secure", with(m7(and(secure, reg{ID: 17, Value: 0x28000f00}), ram...), armv8m), 0},
		{"v8m_banks_alike", with(m7(and(secure, reg{ID: 24, Value: 0x20000f00}), ram...), armv8m), 0},
		{"v8m_extra_of_the_secure_bank", with(m7(slices.Concat(probersRegs(reg{ID: 17, Value: 0x20000f00}), secure[20:], []reg{{ID: 34, Value: 0x03000001}, {ID: 35, Value: 0x02000000}}), ram...), armv8m), 0},
		{"v8m_stacks_that_could_not_be_read", with(m7(and(secure, reg{ID: 25, Value: 0xffffffff}, reg{ID: 27, Value: 0xffffffff}, reg{ID: 29, Value: 0xffffffff}, reg{ID: 13, Value: 0xffffffff}, reg{ID: 14, Value: 0xffffffff}), ram...), armv8m), 0},
		{"u128_is_no_register_of_arm", m7(probersRegs(reg{ID: 64, Bin: make([]byte, 16)}, reg{ID: 17, Value: 0x20000f00}), ram...), 0},
		{"ranges_of_rubbish", m7(probersRegs(), append(ram,
			coretest.ProbeRSRange{Start: 0xfffffff9, Content: []byte{1}}, coretest.ProbeRSRange{Start: 0xfffffff9, Content: []byte{2, 3}},
			coretest.ProbeRSRange{Start: 0x20000002, Content: []byte{9, 9, 9}}, coretest.ProbeRSRange{Start: 0x30000010, End: 0x30000000, Content: []byte{7}},
			coretest.ProbeRSRange{Start: 0x40000000, End: 0x40000000})...), 0},
		{"v7r_thumb", coretest.ProbeRS{Registers: probersRegs(reg{ID: 48, Value: 5, Wide: true}, reg{ID: 18, Value: 7 << 32, Wide: true}), Data: ram, ISA: "Thumb2", CoreType: "armv7r"}, 0},
		{"v7a", coretest.ProbeRS{Registers: probersRegs(reg{ID: 17, Value: 0x1_0000_0002, Wide: true}, reg{ID: 32, Value: 3 << 32, Wide: true}, reg{ID: 49, Value: 9}), Data: ram, ISA: "A32", CoreType: "armv7a"}, 0},
		{"compact", with(m7(probersRegs(stack...), ram...), func(d *coretest.ProbeRS) { d.Compact = true }), 0},
		{"binary", with(m7(probersRegs(stack...), ram...), func(d *coretest.ProbeRS) { d.Binary = true }), 0},
		{"no_memory", m7(probersRegs()), 0},
		{"no_registers", m7(nil, ram...), 0},
		{"range_longer_than_content", m7(probersRegs(), coretest.ProbeRSRange{Start: 0x20000000, End: 0x20000010, Content: []byte{1, 2}}), 0},
		{"range_above_32_bits", m7(probersRegs(), append(ram, coretest.ProbeRSRange{Start: 1 << 32, Content: []byte{1}})...), 0},
		{"range_past_the_top", m7(probersRegs(), coretest.ProbeRSRange{Start: 0xfffffffe, Content: []byte{1, 2, 3, 4}}), 0},
		{"no_core_type", m7(probersRegs(stack...), ram...), 60},
		{"no_core_type_wide_registers", coretest.ProbeRS{Registers: probersRegs(reg{ID: 17, Value: 1, Wide: true}), Data: ram, ISA: "A32", CoreType: "armv7a"}, 50},
		{"truncated_in_memory", m7(probersRegs(), ram...), 116},
	}
}

func TestProbeRSGoldens(t *testing.T) {
	t.Parallel()
	for _, c := range probersCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			checkGolden(t, filepath.Join("testdata", "probers", c.name+".txt"), describe(t, mustOpen(t, c.bytes())))
		})
	}
}

func TestProbeRSFirstRangeWins(t *testing.T) {
	t.Parallel()
	d := mustOpen(t, coretest.ProbeRS{ISA: "Thumb2", CoreType: "armv7m", Data: []coretest.ProbeRSRange{
		{Start: 0x102, Content: []byte("AB")}, {Start: 0x100, Content: []byte("uvwxyz")},
	}}.Bytes())
	b := make([]byte, 6)
	if _, err := d.Memory().ReadAt(0x100, b); err != nil || string(b) != "uvAByz" {
		t.Errorf("read %q, %v", b, err)
	}
}

func TestProbeRSRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		isa, core string
		ok        bool
	}{
		{"RV32C", "riscv", false}, {"Xtensa", "xtensa", false}, {"A64", "armv8a", false},
		{"A32", "armv8a", true}, {"Thumb2", "armv7r", true}, {"Thumb2", "armv7em", true}, {"Thumb2", "armv9z", false},
	} {
		d, err := openBytes(coretest.ProbeRS{Registers: probersRegs(), ISA: c.isa, CoreType: c.core}.Bytes())
		if c.ok != (d != nil) || !c.ok && !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s running %s: %v", c.core, c.isa, err)
		}
	}
}

// TestProbeRSNotClaimed: other MessagePack and text that begins alike is left
// to other readers.
func TestProbeRSNotClaimed(t *testing.T) {
	t.Parallel()
	for _, b := range []string{"\x87", "\x87\xa4name\x01", "\x97\x01", "\x97\x81\x01\x81\xa3U33", "\x81\xa1", "a text", "\xc1"} {
		if d, err := openBytes([]byte(b)); d != nil || !errors.Is(err, ErrUnrecognized) {
			t.Errorf("%q: %v", b, err)
		}
	}
}

func TestProbeRSTruncatedAnywhere(t *testing.T) {
	t.Parallel()
	whole := probersCases()[0].bytes()
	for n := 12; n < len(whole); n++ {
		d, err := openBytes(whole[:n])
		if err != nil {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
		exercise(t, d)
		if len(d.Warnings) == 0 {
			t.Errorf("cut to %d of %d bytes: no warning", n, len(whole))
		}
	}
}

func TestProbeRSReadFails(t *testing.T) {
	t.Parallel()
	c := coretest.ProbeRS{Registers: probersRegs(), Data: []coretest.ProbeRSRange{{Start: 0, Content: make([]byte, 300<<10)}}, ISA: "Thumb2", CoreType: "armv7m"}
	b := c.Bytes()
	if d, err := OpenReader(brokenDisk{b, 128 << 10}, int64(len(b)), Options{}); d != nil || !errors.Is(err, errDisk) {
		t.Errorf("error %v", err)
	}
}

// hugeFile begins like a dump and never ends.
type hugeFile struct{ head []byte }

func (h hugeFile) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if off < int64(len(h.head)) {
		copy(p, h.head[off:])
	}
	return len(p), nil
}

func TestProbeRSTooLarge(t *testing.T) {
	t.Parallel()
	if d, err := OpenReader(hugeFile{probersCases()[0].bytes()}, 1<<40, Options{}); d != nil || !errors.Is(err, ErrUnsupported) {
		t.Errorf("error %v", err)
	}
}

// TestSharedProbeRS opens dumps of real boards: PC as in the expected frames,
// nothing odd.
func TestSharedProbeRS(t *testing.T) {
	t.Parallel()
	dumps, err := filepath.Glob(filepath.Join(coretest.Shared(t, "dumps", "probe-rs"), "*.coredump"))
	if err != nil || len(dumps) == 0 {
		t.Fatalf("%d dumps, %v", len(dumps), err)
	}
	for _, path := range dumps {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := openShared(t, "dumps/probe-rs/"+name)
			if len(d.Warnings) > 0 || d.Profile() != core.ProfileM {
				t.Errorf("profile %v, warnings %q", d.Profile(), d.Warnings)
			}
			regs, err := d.Registers(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			frames := readShared(t, "dumps/probe-rs/"+strings.TrimSuffix(name, ".coredump")+".frames.txt")
			if want := firstPC(t, frames); regs.Value(core.PC) != want || regs.Value(core.SP) != regs.Value(core.MSP) {
				t.Errorf("pc %#x, want %#x; sp %#x, msp %#x", regs.Value(core.PC), want, regs.Value(core.SP), regs.Value(core.MSP))
			}
		})
	}
}

// firstPC returns the address that begins the first frame.
func firstPC(t *testing.T, frames []byte) uint32 {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(frames))
	for lines.Scan() {
		if m := regexp.MustCompile(`^0x([0-9a-f]+)`).FindStringSubmatch(lines.Text()); m != nil {
			v, err := strconv.ParseUint(m[1], 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			return uint32(v)
		}
	}
	t.Fatal("no frame")
	return 0
}

// TestSharedProbeRSFaults compares the cause with that in the frames that
// probe-rs printed of the same dump.
func TestSharedProbeRSFaults(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, name := range []string{"nRF52833_xxAA_hardfault_from_busfault", "stm32u585_hardfault_fp", "atsamd51p19a"} {
		faults, ok := exc.ReadFaults(openShared(t, "dumps/probe-rs/"+name+".coredump").Memory())
		if ok {
			got[name] = faults.Summary()
		}
	}
	want := map[string]string{
		"nRF52833_xxAA_hardfault_from_busfault": "precise data bus error, address 0x3ffffffc, escalated to HardFault",
		"stm32u585_hardfault_fp":                "precise data bus error, address 0xfffffff0, escalated to HardFault",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
