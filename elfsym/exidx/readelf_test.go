package exidx_test

import (
	"bufio"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pushmask/core/coretest"
	"pushmask/elfsym/exidx"
)

// images returns the linked firmware of the fixtures and of the shared test
// data, which may be absent.
func images(t *testing.T) []string {
	t.Helper()
	patterns := []string{"../../testdata/firmware/*/fw.elf"}
	t.Run("shared", func(t *testing.T) {
		for _, p := range []string{"dumps/probe-rs/*.elf", "dumps/recorded/*/*.elf", "cases/oracle/*.elf"} {
			patterns = append(patterns, filepath.Join(coretest.Shared(t), p))
		}
	})
	var out []string
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, found...)
	}
	if len(out) == 0 {
		t.Fatal("no firmware among the fixtures")
	}
	return out
}

func toolchain(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

func run(t testing.TB, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", filepath.Base(name), args, err, stderr.Bytes())
	}
	return out
}

// index is the content of .ARM.exidx and what reads .ARM.extab.
type index struct {
	data []byte
	addr uint32
	read exidx.Reader
}

var errHole = errors.New("no such address")

// readIndex reads the tables of an ELF; false when it has none.
func readIndex(t testing.TB, path string) (index, bool) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := f.Section(".ARM.exidx")
	if s == nil {
		return index{}, false
	}
	x := index{addr: uint32(s.Addr), read: func(uint32, int) ([]byte, error) { return nil, errHole }}
	if x.data, err = s.Data(); err != nil {
		t.Fatal(err)
	}
	if extab := f.Section(".ARM.extab"); extab != nil {
		b, err := extab.Data()
		if err != nil {
			t.Fatal(err)
		}
		x.read = readBytes(uint32(extab.Addr), b)
	}
	return x, true
}

// readBytes returns a reader of b, which lies at base.
func readBytes(base uint32, b []byte) exidx.Reader {
	return func(addr uint32, n int) ([]byte, error) {
		if addr < base || uint64(addr-base)+uint64(n) > uint64(len(b)) {
			return nil, fmt.Errorf("%#08x: %w", addr, errHole)
		}
		return b[addr-base:][:n], nil
	}
}

// listedEntry is an entry as readelf lists it.
type listedEntry struct {
	start uint32
	model string // "cantunwind", "0", "1", "2" or the routine's address
	ops   []string
	known bool // readelf knows the format of the instructions
}

var (
	entryLine = regexp.MustCompile(`^0x([0-9a-f]+)(?: <[^>]*(?:>[^:]*)?>)?: (.*)$`)
	opLine    = regexp.MustCompile(`^  ((?:0x[0-9a-f]{2} )+) *(.*)$`)
	modelLine = regexp.MustCompile(`^  Compact model index: (\d+)$`)
	ownerLine = regexp.MustCompile(`^  Personality routine: 0x([0-9a-f]+)(?: <(.*)>)?$`)
)

func readelfUnwind(t *testing.T, path string) []listedEntry {
	t.Helper()
	var list []listedEntry
	scan := bufio.NewScanner(bytes.NewReader(run(t, toolchain(t, "arm-none-eabi-readelf"), "-W", "-u", path)))
	for scan.Scan() {
		line := scan.Text()
		var e *listedEntry
		if n := len(list); n > 0 {
			e = &list[n-1]
		}
		switch {
		case strings.HasPrefix(line, "Unwind section"), strings.HasPrefix(line, "There are no"), line == "":
		case entryLine.MatchString(line):
			f := entryLine.FindStringSubmatch(line)
			start, err := strconv.ParseUint(f[1], 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, listedEntry{start: uint32(start), known: true})
			if strings.Contains(f[2], "[cantunwind]") {
				list[len(list)-1].model = "cantunwind"
			}
		case modelLine.MatchString(line):
			e.model = modelLine.FindStringSubmatch(line)[1]
		case ownerLine.MatchString(line):
			f := ownerLine.FindStringSubmatch(line)
			e.model, e.known = f[1], false
			e.known = regexp.MustCompile(`^__(gcc|gxx|gcj|gnu_objc)_personality_v0`).MatchString(f[2])
		case opLine.MatchString(line):
			f := opLine.FindStringSubmatch(line)
			e.ops = append(e.ops, strings.TrimSpace(f[1])+" "+strings.TrimSpace(f[2]))
		default:
			t.Fatalf("%s: line not understood: %q", path, line)
		}
	}
	return list
}

// format writes an entry as readelf lists it.
func format(e exidx.Entry) (listedEntry, error) {
	u, err := e.Unwind()
	out := listedEntry{start: e.Start, model: strconv.Itoa(int(u.Personality)), known: true}
	switch {
	case u.CantUnwind:
		out.model = "cantunwind"
	case u.Personality == exidx.Generic:
		out.model = strconv.FormatUint(uint64(u.Routine), 16)
	}
	for _, op := range u.Ops {
		out.ops = append(out.ops, fmt.Sprintf("%# x %v", op.Bytes, op))
	}
	return out, err
}

// compareReadelf compares every entry; it returns the number of entries and
// of instructions.
func compareReadelf(t *testing.T, path string) (entries, ops int) {
	t.Helper()
	x, ok := readIndex(t, path)
	if !ok {
		return 0, 0
	}
	table, err := exidx.Parse(x.data, x.addr, x.read)
	if err != nil {
		t.Errorf("parse: %v", err)
	}
	listed := readelfUnwind(t, path)
	got := table.Entries()
	if len(got) != len(listed) {
		t.Fatalf("%d entries, readelf lists %d", len(got), len(listed))
	}
	for i, want := range listed {
		e, err := format(got[i])
		if err != nil {
			t.Errorf("entry %#08x: %v", want.start, err)
		}
		if e.start != want.start&^1 || e.model != want.model {
			t.Errorf("entry %#08x of %s, want %#08x of %s", e.start, e.model, want.start, want.model)
		}
		// readelf goes on after finish, into the padding.
		for n := len(want.ops); n > 1 && want.ops[n-1] == "0xb0 finish" && want.ops[n-2] == "0xb0 finish"; n = len(want.ops) {
			want.ops = want.ops[:n-1]
		}
		if g, w := strings.Join(e.ops, "\n"), strings.Join(want.ops, "\n"); want.known && g != w {
			t.Errorf("entry %#08x:\n%s\nreadelf:\n%s", want.start, g, w)
		}
		if found, ok := table.Lookup(got[i].Start); !ok || found.Start != got[i].Start {
			t.Errorf("lookup of %#08x gives %#08x, %v", got[i].Start, found.Start, ok)
		}
		ops += len(e.ops)
	}
	return len(listed), ops
}

// TestReadelf compares with readelf all there is in the firmware at hand.
func TestReadelf(t *testing.T) {
	t.Parallel()
	toolchain(t, "arm-none-eabi-readelf")
	entries, ops, tables := 0, 0, 0
	for _, path := range images(t) {
		e, o := compareReadelf(t, path)
		entries, ops = entries+e, ops+o
		if e > 0 {
			tables++
		}
	}
	t.Logf("%d ELFs with exception tables, %d entries, %d instructions", tables, entries, ops)
	if ops == 0 {
		t.Error("nothing compared")
	}
}
