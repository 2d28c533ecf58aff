package runcontrol_test

import (
	"testing"

	"pushmask/core/runcontrol"
)

// TestWalk prints where steps lead.
func TestWalk(t *testing.T) {
	for _, f := range all {
		t.Run(f.name, func(t *testing.T) {
			d := f.open(t, runcontrol.Options{})
			t.Log(d.Warnings(), d.at())
			d.run("nested")
			t.Log(d.stack())
			for range 6 {
				s0, _ := d.client.Packets()
				ev := d.move(next)
				s1, _ := d.client.Packets()
				t.Log("next", d.at(), ev, s1-s0)
			}
			for range 12 {
				s0, _ := d.client.Packets()
				ev := d.move(stepIn)
				s1, _ := d.client.Packets()
				t.Log("step", d.at(), ev, s1-s0)
			}
			ev := d.move(stepOut)
			t.Log("out", d.at(), ev)
		})
	}
}
