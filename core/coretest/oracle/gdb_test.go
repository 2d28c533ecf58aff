package oracle_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest"
)

// gdbScript prints the PCs of the frames of each core as one line of JSON.
const gdbScript = `
import gdb, json
for setting in ("osabi none", "confirm off", "backtrace past-main on", "backtrace limit 200"):
    gdb.execute("set " + setting)
with open("frames.json", "w") as out:
    for i in range(SAMPLES):
        pcs = []
        try:
            gdb.execute("core-file %d.core" % i, to_string=True)
            frame = gdb.newest_frame()
            while frame is not None:
                if frame.type() == gdb.NORMAL_FRAME:
                    pcs.append(frame.pc() & ~1)
                frame = frame.older()
        except gdb.error:
            pass
        print(json.dumps(pcs), file=out)
`

// gradeGDB grades gdb with call frame information and with symbols alone.
func gradeGDB(t *testing.T, dir, elf string, samples []*coretest.Sample) []tally {
	cores := writeCores(t, samples)
	bare := filepath.Join(dir, filepath.Base(elf)+".symbols")
	command(t, "", "arm-none-eabi-objcopy", "-g", "-R", ".ARM.exidx", "-R", ".ARM.extab", "-R", ".eh_frame", elf, bare)
	var counts []tally
	for i, image := range []string{elf, bare} {
		count := runGDB(t, cores, image, samples)
		t.Logf("gdb, %s: %v", []string{"CFI", "symbols"}[i], count)
		counts = append(counts, count)
	}
	return counts
}

// writeCores writes the samples as cores into a folder, with the script that reads
// them in gdb.
func writeCores(t *testing.T, samples []*coretest.Sample) string {
	if _, err := exec.LookPath("gdb-multiarch"); err != nil {
		t.Fatal("the long run compares with gdb: ", err)
	}
	cores := t.TempDir()
	for i, s := range samples {
		path := filepath.Join(cores, fmt.Sprintf("%d.core", i))
		if err := os.WriteFile(path, coreOf(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(cores, "frames.py"), []byte(gdbScript), 0o600); err != nil {
		t.Fatal(err)
	}
	return cores
}

// runGDB grades gdb with an image and more of them, each a command that adds one.
func runGDB(t *testing.T, cores, image string, samples []*coretest.Sample, more ...string) tally {
	args := []string{"-nx", "-q", "-batch", image, "-ex", fmt.Sprintf("python SAMPLES = %d", len(samples))}
	for _, add := range more {
		args = append(args, "-ex", add)
	}
	command(t, cores, "gdb-multiarch", append(args, "-x", "frames.py")...)
	f, err := os.Open(filepath.Join(cores, "frames.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := json.NewDecoder(f)
	var count tally
	for _, s := range samples {
		var got []core.Addr
		if err := lines.Decode(&got); err != nil {
			t.Fatal(err)
		}
		count[s.Judge(got)]++
	}
	return count
}

// coreOf writes a sample as an ELF core.
func coreOf(s *coretest.Sample) []byte {
	status := coretest.PRStatus{Signal: 5, PID: 1}
	for i := range status.Regs {
		status.Regs[i] = s.Regs.Value(core.Reg(i))
	}
	c := coretest.ELFCore{Segments: []coretest.ELFSegment{coretest.NoteSegment(status.Note())}}
	for _, chunk := range s.Stack {
		c.Segments = append(c.Segments, coretest.ELFSegment{Addr: uint32(chunk.Addr), Data: chunk.Data})
	}
	return c.Bytes()
}

func command(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}
