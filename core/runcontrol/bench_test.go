package runcontrol_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"pushmask/core/coretest/qemu"
	"pushmask/core/runcontrol"
)

// packets counts the requests that f sends.
func (d *target) packets(f func()) int {
	before, _ := d.client.Packets()
	f()
	after, _ := d.client.Packets()
	return after - before
}

// BenchmarkAttach is the time from QEMU that listens to the first stack.
func BenchmarkAttach(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		m := qemu.StartTest(b, qemu.Config{Machine: m3O0.machine, ELF: m3O0.elf(b)})
		b.StartTimer()
		d := m3O0.dial(b, m.Address, runcontrol.Options{})
		d.frames()
		sent, _ := d.client.Packets()
		b.ReportMetric(float64(sent), "packets")
	}
}

// BenchmarkNext is 1000 steps over lines from the tour on.
func BenchmarkNext(b *testing.B) { benchmarkSteps(b, next) }

// BenchmarkStepIn is 1000 steps into functions.
func BenchmarkStepIn(b *testing.B) { benchmarkSteps(b, stepIn) }

func benchmarkSteps(b *testing.B, m runcontrol.Motion) {
	const steps = 1000
	for b.Loop() {
		b.StopTimer()
		d := m3O0.open(b, runcontrol.Options{})
		d.run("tour")
		b.StartTimer()
		n := d.packets(func() {
			for range steps {
				d.move(m)
			}
		})
		b.ReportMetric(float64(n)/steps, "packets/step")
	}
}

// BenchmarkCondition hits a breakpoint 1000 times whose condition is true at the
// last.
func BenchmarkCondition(b *testing.B) {
	const hits = 1000
	for b.Loop() {
		b.StopTimer()
		d := m3O0.open(b, runcontrol.Options{})
		d.run("tour")
		d.command(commandCount)
		d.set(runcontrol.Spec{Kind: runcontrol.FunctionBreakpoint, Function: "count_one", Condition: "i == 999"})
		b.StartTimer()
		n := d.packets(func() { d.move(runcontrol.Motion{}) })
		b.ReportMetric(float64(n)/hits, "packets/hit")
	}
}

// BenchmarkGDB is gdb doing the same; its own start is not counted.
func BenchmarkGDB(b *testing.B) {
	path, err := exec.LookPath("gdb-multiarch")
	if err != nil {
		b.Skip("gdb-multiarch is not installed")
	}
	const tour = "tbreak tour\ncontinue\n"
	works := []struct {
		name, prepare, work string // the first line of all connects
		count               int
	}{
		{"attach", "", "backtrace", 1},
		{"next", tour, "next 1000", 1000},
		{"step", tour, "step 1000", 1000},
		{"condition", tour + "set var command = 10\nbreak count_one if i == 999\n", "continue", 1000},
	}
	for _, w := range works {
		b.Run(w.name, func(b *testing.B) {
			for b.Loop() {
				m := qemu.StartTest(b, qemu.Config{Machine: m3O0.machine, ELF: m3O0.elf(b)})
				prepare, work := "target remote "+m.Address+"\n"+w.prepare, w.work
				if w.prepare == "" {
					prepare, work = "", prepare+work
				}
				args := []string{"-nx", "-q", "-batch", "-ex", "set pagination off"}
				for c := range strings.Lines(prepare + "python import time; began = time.time()\nset debug remote 1\n" +
					work + "\nset debug remote 0\npython print('@', time.time() - began)\n") {
					args = append(args, "-ex", strings.TrimSpace(c))
				}
				out, err := exec.CommandContext(b.Context(), path, append(args, m3O0.elf(b))...).CombinedOutput()
				if err != nil {
					b.Fatal(err)
				}
				var seconds float64
				_, at, _ := strings.Cut(string(out), "\n@ ")
				if _, err := fmt.Sscan(at, &seconds); err != nil {
					b.Fatalf("no time in %q", at)
				}
				sent := strings.Count(string(out), "Sending packet:")
				b.ReportMetric(seconds*1e9/float64(w.count), "ns/unit")
				b.ReportMetric(float64(sent)/float64(w.count), "packets/unit")
			}
		})
	}
}
