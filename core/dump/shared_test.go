package dump

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/coretest"
	"pushmask/core/exc"
)

// openShared opens a file of the shared test data.
func openShared(t *testing.T, path string) *Dump {
	t.Helper()
	d, err := Open(coretest.Shared(t, path), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	exercise(t, d)
	return d
}

func readShared(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(coretest.Shared(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// checkRegs compares registers of the text with those of the crashed thread.
// pattern has two groups: the name and the hexadecimal value.
func checkRegs(t *testing.T, d *Dump, text, pattern string, atLeast int) {
	t.Helper()
	threads, err := d.Threads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	regs, err := d.Registers(t.Context(), threads[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[core.Reg]bool{}
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		r, ok := core.LookupReg(m[1])
		want, err := strconv.ParseUint(m[2], 16, 32)
		if !ok || err != nil || seen[r] || !regs.Has(r) {
			continue
		}
		seen[r] = true
		if got := regs.Value(r); got != uint32(want) {
			t.Errorf("%v = %#x, the live target said %#x", r, got, want)
		}
	}
	if len(seen) < atLeast {
		t.Errorf("only %d registers compared", len(seen))
	}
}

// names returns the names of the threads in order.
func names(t *testing.T, d *Dump) []string {
	t.Helper()
	threads, err := d.Threads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, th := range threads {
		out = append(out, th.Name)
	}
	return out
}

// TestSharedGDB compares a core that gdb wrote with what gdb said of the live
// target and with its raw RAM.
func TestSharedGDB(t *testing.T) {
	t.Parallel()
	const dir = "dumps/recorded/mps2_an386_gcore_fpu_fault/"
	d := openShared(t, dir+"fw.gcore")
	if d.Format != "ELF core (gdb bare metal)" || d.Profile() != core.ProfileM || len(d.Warnings) > 0 {
		t.Errorf("format %q, profile %v, warnings %q", d.Format, d.Profile(), d.Warnings)
	}
	text := string(readShared(t, dir+"live_gdb_output.txt"))
	checkRegs(t, d, text, `(?m)^(r\d+|sp|lr|pc|xpsr|fpscr) +0x([0-9a-f]+)`, 18)
	checkRegs(t, d, text, `(?m)^(s\d+) .*raw 0x([0-9a-f]+)`, 32)
	ram := readShared(t, dir+"ram.bin")
	compared := 0
	for _, r := range d.Regions {
		if r.Addr < 0x20000000 {
			continue
		}
		got := make([]byte, r.Size)
		if _, err := d.Memory().ReadAt(r.Addr, got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, ram[r.Addr-0x20000000:][:r.Size]) {
			t.Errorf("memory at %v differs from the raw RAM", r.Addr)
		}
		compared += len(got)
	}
	if compared != 0x40+0xa8 {
		t.Errorf("%d bytes compared", compared)
	}
}

// TestSharedNuttX compares a core with the crash log of the same crash.
func TestSharedNuttX(t *testing.T) {
	t.Parallel()
	const dir = "dumps/recorded/nuttx_mps2_an500_busfault/"
	d := openShared(t, dir+"core.elf")
	if d.Format != "ELF core (NuttX)" || d.Profile() != core.ProfileM || len(d.Warnings) > 0 {
		t.Errorf("format %q, profile %v, warnings %q", d.Format, d.Profile(), d.Warnings)
	}
	if diff := cmp.Diff([]string{"nsh_main", "Idle_Task", "hpwork", "sh"}, names(t, d)); diff != "" {
		t.Error(diff)
	}
	log := string(readShared(t, dir+"uart.txt"))
	if !strings.Contains(log, strings.TrimSuffix(strings.TrimPrefix(d.System, "NuttX 13.0.1-RC0 "), " arm")) {
		t.Errorf("the log does not know the system %q", d.System)
	}
	dumped := strings.ReplaceAll(log[strings.Index(log, "up_dump_register"):], "FP:", "R7:") // its name in Thumb code
	checkRegs(t, d, dumped, `\b([A-Z]+\d*|xPSR): ([0-9a-f]{8})`, 17)
	compared := 0
	for _, line := range strings.Split(log, "\n") {
		if _, words, ok := strings.Cut(line, "stack_dump: "); ok {
			compared += checkWords(t, d, words)
		}
	}
	if want := (0x60011080 - 0x60010e38) / 4; compared != want {
		t.Errorf("%d words of the stack compared, want %d", compared, want)
	}
	faults, ok := exc.ReadFaults(d.Memory())
	want := "precise data bus error, address 0xdeadbee0, escalated to HardFault"
	if got := faults.Summary(); got != want || !ok {
		t.Errorf("faults %q, want %q", got, want)
	}
}

// checkWords compares "0xaddress: word word ..." with the dump and returns how
// many words both have; the log goes on past the end of the stack. The core
// was written by code that ran on another stack, so that both saw the same.
func checkWords(t *testing.T, d *Dump, line string) (compared int) {
	t.Helper()
	at, words, _ := strings.Cut(strings.TrimSpace(line), ": ")
	addr, err := strconv.ParseUint(at, 0, 32)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range strings.Fields(words) {
		want, err := strconv.ParseUint(w, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		got, err := core.ReadU32(d.Memory(), core.Addr(addr)+core.Addr(4*i))
		if err != nil {
			return compared
		}
		compared++
		if got != uint32(want) {
			t.Errorf("word at %#x is %#x; the log says %#x", addr+uint64(4*i), got, want)
		}
	}
	return compared
}

func TestSharedNuttXSMP(t *testing.T) {
	t.Parallel()
	d := openShared(t, "dumps/nuttx-elfcore/imx6_sabre_6quad/elf.core")
	if d.Format != "ELF core (NuttX)" || d.Profile() != core.ProfileA || len(d.Warnings) > 0 {
		t.Errorf("format %q, profile %v, warnings %q", d.Format, d.Profile(), d.Warnings)
	}
	want := []string{"coredump", "CPU0 IDLE", "CPU1 IDLE", "CPU2 IDLE", "CPU3 IDLE", "hpwork", "nsh_main"}
	if diff := cmp.Diff(want, names(t, d)); diff != "" {
		t.Error(diff)
	}
}

func TestSharedRefused(t *testing.T) {
	t.Parallel()
	for path, reason := range map[string]error{
		"dumps/elf-core/esp32_negative/esp32c6_coredump_elf_coredump.elf": ErrUnsupported,
		"dumps/elf-core/esp32_negative/esp32s3_coredump_elf_coredump.elf": ErrUnsupported,
		"dumps/recorded/mps2_an386_gcore_fpu_fault/fw.elf":                ErrNotCore,
		"dumps/recorded/mps2_an386_gcore_fpu_fault/fw.c":                  ErrUnrecognized,
	} {
		if d, err := Open(coretest.Shared(t, path), Options{}); d != nil || !errors.Is(err, reason) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
