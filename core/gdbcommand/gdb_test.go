package gdbcommand

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// helpTopics are beginnings of words that gdb's help knows beside commands, and
// calls ambiguous for that: the topics "aliases", "files" and
// "text-user-interface", and two aliases of one topic of info.
var helpTopics = map[string]bool{"al": true, "ali": true, "alia": true, "fil": true, "te": true, "info g": true}

// TestAbbreviations compares with gdb what every beginning of every name stands
// for: one command, several, or none.
func TestAbbreviations(t *testing.T) {
	t.Parallel()
	const release = "13." // others have other commands
	version, err := exec.Command("gdb-multiarch", "--version").Output()
	if err != nil || !strings.Contains(string(version), " "+release) {
		t.Skip("gdb-multiarch 13 is not installed")
	}
	for _, space := range []struct {
		prefix string
		names  names
	}{{"", commandNames}, {"info ", infoNames}, {"set ", settingNames}} {
		words := beginnings(space.names.sorted)
		answers := askGDB(t, space.prefix, words)
		for word := range words {
			want := "ok"
			switch answer := answers[word]; {
			case strings.Contains(answer, "Ambiguous"):
				want = "ambiguous"
			case strings.Contains(answer, "Undefined"):
				want = "unknown"
			}
			if got := kindOf(space.names.resolve(word)); got != want && !helpTopics[space.prefix+word] {
				t.Errorf("%s%s is %s, for gdb %s: %.80s", space.prefix, word, got, want, answers[word])
			}
		}
	}
}

func beginnings(names []string) map[string]bool {
	words := map[string]bool{}
	for _, n := range names {
		for i := range n {
			words[n[:i+1]] = true
		}
	}
	return words
}

func kindOf(_ string, err error) string {
	var r reasonError
	switch {
	case !errors.As(err, &r):
		return "ok"
	case errors.Is(r.err, ErrAmbiguous):
		return "ambiguous"
	}
	return "unknown"
}

// askGDB returns gdb's help for each word.
func askGDB(t *testing.T, prefix string, words map[string]bool) map[string]string {
	t.Helper()
	var script strings.Builder
	script.WriteString("set pagination off\n")
	for w := range words {
		fmt.Fprintf(&script, "echo @@%s@@\\n\nhelp %s%s\n", w, prefix, w)
	}
	gdb := exec.Command("gdb-multiarch", "-nx", "-q")
	gdb.Stdin = strings.NewReader(script.String())
	out, err := gdb.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%.500s", err, out)
	}
	parts := strings.Split(string(out), "@@")
	answers := map[string]string{}
	for i := 1; i+1 < len(parts); i += 2 {
		answers[parts[i]] = parts[i+1]
	}
	if len(answers) != len(words) {
		t.Fatalf("%d answers for %d words", len(answers), len(words))
	}
	return answers
}
