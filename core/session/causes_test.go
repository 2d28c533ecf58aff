package session

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core/cause"
	"pushmask/core/coretest"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

// TestCausesOfFixtures compares what is said of each recorded crash with
// testdata/causes.golden. The firmware's README tells what each one is.
func TestCausesOfFixtures(t *testing.T) {
	t.Parallel()
	cores, err := filepath.Glob(filepath.Join(fixtures, "*", "*.core"))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, path := range cores {
		dir := filepath.Dir(path)
		s := openCrash(t, filepath.Join(dir, "fw.elf"), path)
		fmt.Fprintf(&got, "%s/%s\n%s", filepath.Base(dir), filepath.Base(path), causeText(s))
	}
	checkGolden(t, "causes.golden", got.String())
}

// TestCausesOfShared has crash logs of others, without an image, and what their
// own text and their SOURCE.txt say of the cause.
func TestCausesOfShared(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"cmbacktrace/stm32f103_div0/crash.txt":                           "division-by-zero, UsageFault: reported: ",
		"mbed-os/mesh_minimal_issue282_null_access/crash.txt":            "null-access, HardFault: access to address 0 through a null pointer at pc 0x0806d654",
		"mbed-os/pr11332_handler_mode_unaligned/crash.txt":               "unaligned, HardFault: ",
		"playdate-crashlog/amano_2025_revb/crashlog.txt":                 "undefined, HardFault: ",
		"px4-hardfault/issue18675_nuttx_part/crash.txt":                  "undefined, HardFault: ",
		"px4-hardfault/issue22610_pixhawk6x_rt/crash.txt":                "wild-jump, BusFault: jump to address 0x39090004",
		"px4-hardfault/issue8973_fmuv3_2018/crash.txt":                   "wild-jump, HardFault: jump to address 0x000bdace without the Thumb bit",
		"recorded/crashcatcher_v3_m4f_psp/uart.txt":                      "bad-access, HardFault: access to address 0xb0000000",
		"recorded/nuttx_mps2_an500_busfault/uart.txt":                    "bad-access, HardFault: precise data bus error, address 0xdeadbee0",
		"tfm/asset_tracker_template_secure_fault/crash.txt":              "null-access, SecureFault: ",
		"tock/issue1835_nucleo429zi/crash.txt":                           "wild-jump, HardFault: jump to address 0xf101900a",
		"zephyr-text/asset_tracker_template_stack_overflow_fp/crash.txt": "stack-overflow, ",
		"zephyr-text/issue25701_nrf52840_mpu_fault/crash.txt":            "reported, MemManage: reported: MPU FAULT: Data Access Violation",
		"zephyr-text/issue8293_2018_thread_line/crash.txt":               "wild-jump, MemManage: jump to address 0x57a7150c",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			full := coretest.Shared(t, "dumps", path)
			got := strings.TrimSpace(causeText(openCrash(t, "", full)))
			if !strings.HasPrefix(got, want) {
				t.Errorf("got  %s\nwant %s...", got, want)
			}
		})
	}
}

// TestCausesOfRunningCode takes the states of recorded programs that run without
// a fault for those of faults that left no fault registers: no instruction of
// them may be blamed.
func TestCausesOfRunningCode(t *testing.T) {
	t.Parallel()
	dir := coretest.Shared(t, "cases", "oracle")
	for _, name := range []string{"shapes-a32-O2", "shapes-m0-O0", "shapes-m3-O2", "shapes-m3-Os", "shapes-m4-O2"} {
		for mode, cfg := range map[string]Config{"whole": {}, "no symbols": {NoSymbols: true}} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				t.Parallel()
				cfg.Image = filepath.Join(dir, name+".elf")
				p := openDemo(t, cfg)
				samples := readRecording(t, filepath.Join(dir, name+".jsonl.gz"))
				t.Logf("%d states", len(samples))
				for _, sample := range samples {
					target := sample.target(t)
					target.profile = p.profile(target)
					target.threads[0].Faulted = true
					c := openFake(t, p, target).Cause(context.Background(), 1)
					if c.Kind != cause.UnexplainedFault {
						t.Errorf("pc %#x: %s", sample.Regs[15], c.Description)
					}
				}
			})
		}
	}
}

// TestCausesOfPrintedCrashes: the cause of a crash is the same whether a core or
// a log without fault registers tells it.
func TestCausesOfPrintedCrashes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"demo", "m0-Os", "m3-O0", "m7-Og", "m33-O2", "nested", "process-stack", "null-call", "cpp"} {
		p := openDemo(t, Config{Image: filepath.Join(fixtures, name, "fw.elf")})
		path := filepath.Join(fixtures, name, "crash.core")
		crash, _ := recordedCrash(t, p, path)
		want := openCrash(t, filepath.Join(fixtures, name, "fw.elf"), path).Cause(context.Background(), 1)
		for system, h := range handlers {
			t.Run(name+"/"+system, func(t *testing.T) {
				var log strings.Builder
				h.print(&log, crash)
				path := filepath.Join(t.TempDir(), "uart.txt")
				if err := os.WriteFile(path, []byte(log.String()), 0o600); err != nil {
					t.Fatal(err)
				}
				s, err := p.OpenDump(context.Background(), path, DumpOptions{})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				got := s.Cause(context.Background(), s.Threads()[0].ID)
				if got.Kind != want.Kind || got.PC != want.PC || got.Addr != want.Addr || !got.Inferred && got.Kind != cause.Trap {
					t.Errorf("got  %s at %v, %v: %s\nwant %s at %v, %v", got.Kind, got.PC, got.Addr, got.Description, want.Kind, want.PC, want.Addr)
				}
			})
		}
	}
}

// openCrash opens a crash with its image.
func openCrash(t *testing.T, image, path string) *Session {
	t.Helper()
	p, err := OpenProgram(context.Background(), Config{Image: image})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	s, err := p.OpenDump(context.Background(), path, DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// causeText writes a cause, a line each for the sentence and its notes.
func causeText(s *Session) string {
	c := s.Cause(context.Background(), s.Threads()[0].ID)
	text := fmt.Sprintf("  %s, %s: %s\n", c.Kind, c.Name, c.Description)
	for _, n := range c.Notes {
		text += "    " + n + "\n"
	}
	return text
}

func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
