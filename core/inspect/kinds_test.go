package inspect_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core/coretest/qemu"
	"pushmask/core/inspect"
)

// TestKinds compares how values of rare types, and what expressions make of them,
// are shown with testdata/kinds.txt: "# COMPILER SOURCE", then EXPRESSION = TYPE TEXT.
// With -update it is written again. The values
// are compared with gdb as well.
func TestKinds(t *testing.T) {
	t.Parallel()
	const table = "testdata/kinds.txt"
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, part := range strings.Split(string(text), "# ")[1:] {
		lines := strings.Split(strings.TrimSpace(part), "\n")
		compiler, source, _ := strings.Cut(lines[0], " ")
		want, got = append(append(want, "# "+lines[0]), lines[1:]...), append(got, "# "+lines[0])
		b := build{compiler: compiler, source: source, options: "-O1 -gdwarf-5", isHard: true}
		got = append(got, showKinds(t, b, lines[1:])...)
	}
	if *update {
		if err := os.WriteFile(table, []byte(strings.Join(got, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-) and what is shown (+):\n%s", table, diff)
	}
}

// expressions are those that gdb makes something else of, and why ours is right.
var expressions = map[string]string{
	"gaussian * gaussian":   "gdb does not know complex numbers with integer parts",
	"gaussian / 2":          "gdb does not know complex numbers with integer parts",
	"phase != impedance":    "gdb compares complex numbers of one type only",
	"phase == 1.5":          "gdb compares complex numbers of one type only",
	"(int)phase":            "gdb takes the bits of the real part",
	"half + 1":              "gdb computes in half floats, which C converts to float (ACLE 4.1.2)",
	"half * tiny":           "gdb computes in half floats, which C converts to float (ACLE 4.1.2)",
	"f16 * 2":               "gdb computes in half floats, and loses the sign",
	"brain.number + 1":      "gdb computes in half floats, where 1 is no neighbour",
	"packet.seq - 1":        "gdb has the type of int for long where it is big-endian",
	"a + 1":                 "gdb computes with the units of _Accum",
	"a * fr":                "gdb computes with the units of _Accum",
	"a == 3.25":             "gdb compares no fixed-point numbers with others",
	"-sa":                   "gdb computes with the units of _Accum",
	"(int)a":                "gdb computes with the units of _Accum",
	"(_Accum)1e6":           "gdb does not tell that the number does not fit",
	"call == twice":         "gdb compares the bit for Thumb too",
	"call == &twice":        "gdb compares the bit for Thumb too",
	"enormous + 1":          "gdb does not compute with more than 64 bits",
	"enormous - 1 < 0":      "gdb does not compute with more than 64 bits",
	"kinds::null == 0":      "gdb cannot read std::nullptr_t",
	"empty":                 "gdb reads the data of an array that has none",
	"((Round &)coin).round": copied, "((Shape &)coin).sides": copied,
	"((Flat *)shape)->flat":             virtually,
	"(int &)flat.flat":                  "gdb shows the address",
	"dynamic_cast<Coin *>(shape)->coin": untold, "dynamic_cast<Round &>(flat).round": untold,
	"dynamic_cast<Round &>(sheet)": "both refuse it",
	"(Bare *)(Plain *)&bare":       virtually, "(Coin *)(Shape *)&sheet": virtually,
	"packed":    "gdb does not know the stride of packed arrays in C",
	"packed[2]": "gdb does not know the stride of packed arrays in C",
	"packed[5]": "gdb does not know the stride of packed arrays in C",
}

// What gdb does with classes whose bases are virtual.
const (
	copied    = "gdb reads the base class from a copy of the object"
	untold    = "gdb finds no class behind a virtual base class"
	virtually = "gdb takes the distance of a virtual base class from an object at 0"
)

// showKinds returns the lines of a program, and compares the values with gdb.
func showKinds(t *testing.T, b build, lines []string) []string {
	t.Helper()
	elf, dir := b.compile(t), t.TempDir()
	run := gdbRun{elf: elf, target: qemu.StartTest(t, qemu.Config{Machine: b.board(), ELF: elf}).Address, stops: 1, dir: dir, floats: "s"}
	for _, line := range lines {
		expr, _, _ := strings.Cut(line, "  = ")
		if _, _, hasFormat := strings.Cut(expr, ","); !hasFormat { // formats are ours
			run.globals = append(run.globals, global{expr: expr})
		}
	}
	_, leaves := run.do(t)
	s := openStopped(t, openProgram(t, elf), filepath.Join(dir, "0"))
	ours := ourLeaves{leaves: make(map[string]inspect.Leaf)}
	var out []string
	for _, line := range lines {
		expr, _, _ := strings.Cut(line, "  = ")
		v, err := s.Evaluate(context.Background(), expr, nil)
		if err != nil {
			out = append(out, expr+"  = <"+err.Error()+">")
			continue
		}
		out = append(out, expr+"  = "+v.Type+" "+v.Value.Text())
		ours.add(-1, expr, v.Value)
	}
	sum := newAgreement()
	sum.known = expressions
	for _, l := range leaves[0] {
		if l.frame == -1 {
			sum.judge(b.name(), l, ours)
		}
	}
	sum.report(t)
	return out
}
