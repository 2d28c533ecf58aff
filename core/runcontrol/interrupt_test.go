package runcontrol_test

import (
	"strings"
	"testing"

	"pushmask/core/runcontrol"
)

// TestInterrupts steps while a timer interrupts. QEMU keeps interrupts away
// from single steps unless it is told not to. Steps stay in the code, handlers
// run.
func TestInterrupts(t *testing.T) {
	t.Parallel()
	for _, f := range []firmware{m3O0, m33O0, m4fOg, m0Os, a15O0} {
		for _, granularity := range []runcontrol.Granularity{runcontrol.Statement, runcontrol.Instruction} {
			name := f.name + "/statement"
			if granularity == runcontrol.Instruction {
				name = f.name + "/instruction"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				d := f.open(t, runcontrol.Options{})
				if reply, err := d.client.Exchange(t.Context(), "Qqemu.sstep=1"); err != nil || reply != "OK" {
					t.Fatalf("QEMU answers %q, %v", reply, err)
				}
				d.run("tour")
				d.command(commandTimer)
				d.run("tour")
				// A system call adds 100: no step that was interrupted does.
				last, interrupted := d.word("ticks"), false
				for range 40 {
					d.until(runcontrol.Motion{Kind: runcontrol.MotionStepIn, Granularity: granularity}, runcontrol.EventStep)
					if s := d.stack(); strings.Contains(s, "SysTick") || strings.Contains(s, "IRQ_Handler") {
						t.Fatalf("lost in the handler: %s", s)
					}
					now := d.word("ticks")
					interrupted, last = interrupted || (now-last)%100 != 0, now
				}
				if !interrupted {
					t.Errorf("no interrupt came: %d ticks", last)
				}
			})
		}
	}
}

// TestHandler stops in the handler of an interrupt and leaves it to the code
// that was interrupted.
func TestHandler(t *testing.T) {
	t.Parallel()
	for _, f := range []firmware{m3O0, m33O0, m7O2, m0Os} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			d := f.open(t, runcontrol.Options{})
			d.run("tour")
			d.command(commandTimer)
			d.run("SysTick_Handler")
			frames := d.frames()
			var to string
			for i, fr := range frames {
				if i > 0 && frames[i-1].Kind == "exception" {
					to = fr.Core.PC.String()
					break
				}
			}
			d.until(stepOut, runcontrol.EventStep)
			if got := d.frames()[0].Core.PC.String(); got != to {
				t.Errorf("step out of the handler leads to %s, the interrupted code is at %s", got, to)
			}
			d.run("SysTick_Handler")
			for range 8 {
				if d.until(next, runcontrol.EventStep); !strings.Contains(d.stack(), "SysTick_Handler") {
					return
				}
			}
			t.Errorf("next stays in the handler: %s", d.stack())
		})
	}
}

// TestSupervisorCall steps over a system call and into it.
func TestSupervisorCall(t *testing.T) {
	t.Parallel()
	for _, f := range []firmware{m3O0, m33O0, m0Os, a15O0} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			d := f.open(t, runcontrol.Options{})
			d.run("supervise")
			d.until(next, runcontrol.EventStep)
			d.until(next, runcontrol.EventStep)
			if at := d.at(); at != "supervise:48" {
				t.Errorf("next over svc leads to %s", at)
			}
			d.run("supervise")
			d.until(next, runcontrol.EventStep)
			d.until(stepIn, runcontrol.EventStep)
			if at := d.at(); !strings.HasPrefix(at, "SVC_Handler:") {
				t.Errorf("step into svc leads to %s", at)
			}
		})
	}
}
