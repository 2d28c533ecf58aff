package runcontrol_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pushmask/core/coretest/qemu"
	"pushmask/core/runcontrol"
)

// gdbWalk is a script for gdb's Python: it runs to a function and prints where
// each of a list of commands leads.
const gdbWalk = `
import gdb
gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.execute("target remote %s")
gdb.execute("tbreak %s", to_string=True)
gdb.execute("continue", to_string=True)
for command in "%s".split():
    gdb.execute(command, to_string=True)
    frame = gdb.selected_frame()
    print("@", "%%s:%%d" %% (str(frame.name()).split("::")[-1].split("<")[0].split("(")[0], frame.find_sal().line))
gdb.execute("disconnect", to_string=True)
`

// walkGDB has gdb walk through the firmware.
func walkGDB(t *testing.T, f firmware, start, commands string) []string {
	t.Helper()
	path, err := exec.LookPath("gdb-multiarch")
	if err != nil {
		t.Skip("gdb-multiarch is not installed")
	}
	m := qemu.StartTest(t, qemu.Config{Machine: f.machine, ELF: f.elf(t)})
	cmd := exec.CommandContext(t.Context(), path, "-nx", "-q", "-batch", "-ex",
		"python exec('''"+fmt.Sprintf(gdbWalk, m.Address, start, commands)+"''')", f.elf(t))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("gdb: %v\n%s", err, out)
	}
	var list []string
	for line := range strings.Lines(string(out)) {
		if at, ok := strings.CutPrefix(line, "@ "); ok {
			list = append(list, strings.TrimSpace(at))
		}
	}
	if len(list) == 0 {
		t.Fatalf("gdb walked nowhere:\n%s", bytes.TrimSpace(out))
	}
	return list
}

// walk does the same here.
func walk(t *testing.T, f firmware, start, commands string) []string {
	t.Helper()
	d := f.open(t, runcontrol.Options{})
	d.run(start)
	motions := map[string]runcontrol.Motion{"next": next, "step": stepIn, "finish": stepOut}
	var list []string
	for command := range strings.FieldsSeq(commands) {
		d.until(motions[command], runcontrol.EventStep)
		at := d.at()
		name, line, _ := strings.Cut(at[strings.LastIndex(at, "::")+1:], ":")
		if i := strings.LastIndex(at, "::"); i >= 0 {
			name, line, _ = strings.Cut(at[i+2:], ":")
		}
		name, _, _ = strings.Cut(name, "<")
		list = append(list, name+":"+line)
	}
	return list
}

// theirs are the places where gdb 13.1 does not do what it says.
//
//   - At the call of a function in RAM through a veneer of the linker, "next"
//     stops in the veneer of Armv7-M, and "step" there or, with those of Armv8-M
//     and A32, does not come into the function. See TestVeneer for ours.
//   - In assembly without CFI, "next" takes the call for something else and enters
//     the function, and the first line has the name of the function before.
var theirs = []string{"far_away:", "__far_away_veneer:", "select_sign:", "call_by_pop:"}

// comparable leaves those places out.
func comparable(list []string) []string {
	return slices.DeleteFunc(list, func(at string) bool {
		return slices.ContainsFunc(theirs, func(prefix string) bool { return strings.HasPrefix(at, prefix) })
	})
}

// TestAgainstGDB steps through unoptimised builds as gdb does.
func TestAgainstGDB(t *testing.T) {
	t.Parallel()
	walks := []struct{ name, start, commands string }{
		{"next", "tour", strings.Repeat("next ", 11)},
		{"names", "shapes", "next step step next next next step step step next step next step step step finish next next"},
		{"step", "tour", strings.Repeat("step ", 80)},
		{"out", "nested", "step step finish next step next finish next next step step step finish finish"},
		{"recursion", "factorial", "next next step next step next finish next next next next next"},
	}
	for _, f := range []firmware{m3O0, m33O0, a15O0} {
		for _, w := range walks {
			t.Run(f.name+"/"+w.name, func(t *testing.T) {
				t.Parallel()
				want := comparable(walkGDB(t, f, w.start, w.commands))
				got := comparable(walk(t, f, w.start, w.commands))
				n := min(len(want), len(got))
				for i := range n {
					if got[i] != want[i] {
						t.Fatalf("step %d leads to %s, gdb to %s\n%v\n%v", i, got[i], want[i], got[max(0, i-3):min(n, i+4)], want[max(0, i-3):min(n, i+4)])
					}
				}
				if all := len(strings.Fields(w.commands)); n < all-5 {
					t.Errorf("only %d of %d steps were compared", n, all)
				}
			})
		}
	}
}
