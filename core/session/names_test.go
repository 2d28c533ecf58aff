package session

import (
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	t.Parallel()
	p, err := OpenProgram(t.Context(), Config{Image: "../../testdata/live/m3-O0/fw.elf"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if got := p.FunctionNames("fact"); !slices.Equal(got, []string{"factorial"}) {
		t.Errorf("functions %q", got)
	}
	if got := p.VariableNames("count"); !slices.Equal(got, []string{"counted", "counter"}) {
		t.Errorf("variables %q", got)
	}
	if got := p.FunctionNames("no such"); len(got) != 0 {
		t.Errorf("functions %q", got)
	}
}
