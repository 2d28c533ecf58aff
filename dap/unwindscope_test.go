package dap

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-dap"

	"pushmask/dap/dapclient"
)

// unwindFacts returns the Unwind scope of a frame, name to value.
func unwindFacts(t *testing.T, c *dapclient.Client, f dap.StackFrame) map[string]string {
	t.Helper()
	facts := map[string]string{}
	for _, s := range must(c.Scopes(f.Id))(t) {
		if s.Name != "Unwind" {
			continue
		}
		for _, v := range must(c.Variables(s.VariablesReference, 0, 0))(t) {
			facts[v.Name] = v.Value
		}
	}
	return facts
}

// TestSourceRows opens a C++ program: its functions have all three sources, the
// start-up code has no EHABI table.
func TestSourceRows(t *testing.T) {
	t.Parallel()
	c := startAdapter(t, nil)
	if _, err := c.Open(fixture(t, "cpp", "fw.elf"), fixture(t, "cpp", "crash.core")); err != nil {
		t.Fatal(err)
	}
	want := map[string][4]string{
		"main":          {"CFA=sp+8 ra=[CFA-4]", "CFA=sp+8 ra=[CFA-4]", "CFA=sp+8 ra=[CFA-4]", ""},
		"Reset_Handler": {"CFA=sp+8 ra=[CFA-4]", "CFA=sp+8 ra=[CFA-4]", "", ""},
	}
	got := map[string][4]string{}
	for _, f := range must(c.StackTrace(1, 0, 0))(t).StackFrames {
		facts := unwindFacts(t, c, f)
		name, _, _ := strings.Cut(f.Name, " ")
		if _, ok := want[name]; ok {
			got[name] = [4]string{facts["analysis"], facts["cfi"], facts["exidx"], facts["sources disagree"]}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestSourcesDisagree opens an image whose call frame information is wrong
// wherever the CFA is 8 bytes away.
func TestSourcesDisagree(t *testing.T) {
	t.Parallel()
	c := startAdapter(t, nil)
	// DW_CFA_def_cfa_offset 16 for 8
	image := changedImage(t, ".debug_frame", func(b []byte) []byte {
		return bytes.ReplaceAll(b, []byte{0x0e, 8}, []byte{0x0e, 16})
	})
	if _, err := c.Open(image, demoCore(t)); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range must(c.StackTrace(1, 0, 0))(t).StackFrames {
		facts := unwindFacts(t, c, f)
		wrong := strings.HasPrefix(facts["analysis"], "CFA=sp+8 ")
		if wrong {
			found++
		}
		if text := facts["sources disagree"]; strings.HasPrefix(text, "analysis and cfi: CFA ") != wrong {
			t.Errorf("%s: analysis %q, cfi %q, disagreement %q", f.Name, facts["analysis"], facts["cfi"], text)
		}
	}
	if found == 0 {
		t.Error("no frame has a CFA 8 bytes away")
	}
}
