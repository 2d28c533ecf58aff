package runcontrol_test

import (
	"strings"
	"testing"

	"pushmask/core/runcontrol"
)

const anyFault = runcontrol.CatchHardFault | runcontrol.CatchMemManage | runcontrol.CatchBusFault |
	runcontrol.CatchUsageFault | runcontrol.CatchUndefined | runcontrol.CatchData

// TestVectorCatch stops at faults before their handlers run, with the cause in
// words, and not when they are not to be caught.
func TestVectorCatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		firmware firmware
		command  byte
		name     string
		text     string
	}{
		{m3O0, commandReadUnmapped, "BusFault", "0xa0000000"},
		{m3O0, commandUndefined, "UsageFault", "udf"},
		{m33O0, commandUndefined, "UsageFault", "udf"},
		{m0Os, commandUndefined, "HardFault", "udf"},
		{a15O0, commandUndefined, "Undefined Instruction", ""},
	}
	for _, tt := range tests {
		t.Run(tt.firmware.name+"/"+tt.name, func(t *testing.T) {
			t.Parallel()
			d := tt.firmware.open(t, runcontrol.Options{})
			d.run("tour")
			d.command(tt.command)
			if err := d.SetVectorCatch(t.Context(), anyFault); err != nil {
				t.Fatal(err)
			}
			ev := d.until(runcontrol.Motion{}, runcontrol.EventException)
			if ev.Description != tt.name || !strings.Contains(ev.Text, tt.text) {
				t.Errorf("event %+v", ev)
			}
			if s := d.stack(); !strings.Contains(s, "obey < main") {
				t.Errorf("stack %s", s)
			}
		})
	}
}

// TestStepIntoFault steps to a fault: the step ends there although nothing is
// caught.
func TestStepIntoFault(t *testing.T) {
	t.Parallel()
	for _, f := range []firmware{m3O0, m33O0, m0Os, a15O0} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			d := f.open(t, runcontrol.Options{})
			d.run("tour")
			d.command(commandUndefined)
			d.run("obey")
			for range 12 {
				if ev := d.move(next); ev.Kind == runcontrol.EventException {
					return
				}
			}
			t.Errorf("no fault: %s", d.stack())
		})
	}
}
