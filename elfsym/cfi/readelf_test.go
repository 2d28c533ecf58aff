package cfi_test

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pushmask/core/coretest"
	"pushmask/elfsym/cfi"
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

// sections reads the call frame information of an ELF.
func sections(t testing.TB, path string) []cfi.Section {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []cfi.Section
	for _, name := range []string{".debug_frame", ".eh_frame"} {
		s := f.Section(name)
		if s == nil {
			continue
		}
		b, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, cfi.Section{Name: name, Data: b, Addr: uint32(s.Addr), EH: name == ".eh_frame"})
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

// listedFDE is an entry as readelf lists it.
type listedFDE struct {
	section    string
	offset     int
	start, end uint32
	rows       []string // in the form of format
}

// readelfFrames lists the entries of an ELF by readelf. An entry without
// instructions has no rows there: it gets the row of its CIE.
func readelfFrames(t *testing.T, path string) []listedFDE {
	t.Helper()
	out := run(t, toolchain(t, "arm-none-eabi-readelf"), "-W", "--debug-dump=frames-interp", path)
	var (
		list     []listedFDE
		section  string
		cies     = map[string]string{}
		cie, key string
		columns  []string
		inFDE    bool
	)
	scan := bufio.NewScanner(bytes.NewReader(out))
	for scan.Scan() {
		f := strings.Fields(scan.Text())
		switch {
		case strings.HasPrefix(scan.Text(), "Contents of the "):
			section = f[3]
			clear(cies)
		case len(f) > 3 && f[3] == "CIE":
			inFDE, key, columns = false, f[0], nil
		case len(f) > 5 && f[3] == "FDE":
			start, end, _ := strings.Cut(strings.TrimPrefix(f[5], "pc="), "..")
			cie, inFDE, columns = cies[strings.TrimPrefix(f[4], "cie=")], true, nil
			list = append(list, listedFDE{section: section, offset: int(hex(t, f[0])), start: hex(t, start), end: hex(t, end)})
		case len(f) > 1 && f[0] == "LOC":
			columns = f[2:]
		case len(f) > 1 && columns != nil && len(f) == len(columns)+2:
			row := formatListed(t, f[1], columns, f[2:])
			if !inFDE {
				cies[key] = row
				continue
			}
			e := &list[len(list)-1]
			e.addRow(hex(t, f[0]), row)
		case len(f) > 0 && inFDE:
			t.Fatalf("%s: line not understood: %q", path, scan.Text())
		}
		if n := len(list); inFDE && len(f) > 3 && f[3] == "FDE" {
			list[n-1].addRow(list[n-1].start, cie)
		}
	}
	return list
}

// addRow appends a row; an earlier one of the same address does not hold
// anywhere, nor does one at the end of the function.
func (e *listedFDE) addRow(loc uint32, row string) {
	loc &^= 1 // some FDEs start at an address with the Thumb bit
	if loc >= e.end && loc > e.start {
		return
	}
	at := fmt.Sprintf("%08x ", loc)
	if n := len(e.rows); n > 0 && strings.HasPrefix(e.rows[n-1], at) {
		e.rows = e.rows[:n-1]
	}
	e.rows = append(e.rows, at+row)
}

func hex(t *testing.T, s string) uint32 {
	t.Helper()
	v, err := strconv.ParseUint(s, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(v)
}

// formatListed writes a row of readelf as format does. "u" stands for
// undefined and, as often, for no rule at all.
func formatListed(t *testing.T, cfa string, columns, rules []string) string {
	t.Helper()
	s := cfa
	for i, c := range columns {
		if rules[i] != "u" {
			s += " " + c + "=" + rules[i]
		}
	}
	return s
}

// format writes a row in readelf's notation.
func format(r cfi.Row) string {
	name := func(reg cfi.Register) string { return "r" + strconv.Itoa(int(reg)) }
	s := fmt.Sprintf("%08x ", r.Start)
	if r.CFA.Expr != nil {
		s += "exp"
	} else {
		s += fmt.Sprintf("%s%+d", name(r.CFA.Reg), r.CFA.Offset)
	}
	for _, reg := range r.Regs {
		column, rule := name(reg.Reg), reg.Rule.String()
		if reg.Reg == r.ReturnReg {
			column = "ra"
		}
		if reg.Rule.Kind == cfi.InRegister {
			rule = name(reg.Rule.Reg)
		}
		if reg.Rule.Kind != cfi.Undefined {
			s += " " + column + "=" + rule
		}
	}
	return s
}

// compareReadelf compares every row of every entry, and what RowAt and Lookup
// say inside of each. It returns the number of entries and rows.
func compareReadelf(t *testing.T, path string) (entries, rows int) {
	t.Helper()
	listed := readelfFrames(t, path)
	table, err := cfi.Parse(sections(t, path)...)
	if err != nil {
		t.Errorf("parse: %v", err)
	}
	type place struct {
		section string
		offset  int
	}
	byPlace := map[place]*cfi.FDE{}
	for _, f := range table.FDEs() {
		byPlace[place{f.Section(), f.Offset}] = f
	}
	if len(byPlace) != len(listed) {
		t.Errorf("%d entries, readelf lists %d", len(byPlace), len(listed))
	}
	for _, want := range listed {
		f := byPlace[place{want.section, want.offset}]
		if f == nil {
			t.Errorf("no entry at %s+%#x", want.section, want.offset)
			continue
		}
		if f.Start != want.start&^1 || f.End != want.end-want.start&1 {
			t.Errorf("%s+%#x: %08x..%08x, want %08x..%08x", want.section, want.offset, f.Start, f.End, want.start, want.end)
		}
		rows += compareRows(t, f, want.rows)
		if found, ok := table.Lookup(f.End - 2); f.Start != 0 && (!ok || found.Start < f.Start) {
			t.Errorf("lookup of %#08x gives %v", f.End-2, found)
		}
	}
	return len(listed), rows
}

func compareRows(t *testing.T, f *cfi.FDE, want []string) int {
	t.Helper()
	rows, err := f.Rows()
	if err != nil {
		t.Errorf("rows of %#08x: %v", f.Start, err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, format(r))
		if at, err := f.RowAt(r.End - 1); err != nil || format(at) != got[len(got)-1] {
			t.Errorf("row at %#08x: %v, %v", r.End-1, at, err)
		}
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("%s+%#x: rows\n%s\nreadelf:\n%s", f.Section(), f.Offset, g, w)
	}
	return len(rows)
}

// TestReadelf compares with readelf all there is in the firmware at hand: gcc
// for every architecture, newlib and libgcc, Rust with CIE version 4.
func TestReadelf(t *testing.T) {
	t.Parallel()
	toolchain(t, "arm-none-eabi-readelf")
	entries, rows, withCFI := 0, 0, 0
	for _, path := range images(t) {
		e, r := compareReadelf(t, path)
		entries, rows = entries+e, rows+r
		if e > 0 {
			withCFI++
		}
	}
	t.Logf("%d ELFs with call frame information, %d entries, %d rows", withCFI, entries, rows)
	if rows == 0 {
		t.Error("nothing compared")
	}
}
