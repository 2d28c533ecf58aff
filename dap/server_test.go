package dap

import (
	"testing"

	"pushmask/core/probe"
)

// TestTargetID reads the number or name of a target as people write it.
func TestTargetID(t *testing.T) {
	t.Parallel()
	target := `{"executable":` + quoted(demoImage(t)) + `,"servertype":"bmp","BMPGDBSerialPort":"/dev/null","targetId":`
	for _, test := range []struct{ given, want string }{
		{`2`, "2"},
		{`"2"`, "2"},
		{`"stm32f407vg"`, "stm32f407vg"},
		{`null`, ""},
		{`true`, ""}, // a probe with a server of its own does without
	} {
		c, err := parseConfig("attach", []byte(target+test.given+"}"))
		if err != nil {
			t.Fatalf("targetId %s: %v", test.given, err)
		}
		p, err := c.serverConfig()
		if err != nil || p.Type != probe.BMP || p.TargetID != test.want {
			t.Errorf("targetId %s: %q of %s, %v; want %q", test.given, p.TargetID, p.Type, err, test.want)
		}
	}
}
