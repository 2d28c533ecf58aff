// Command testreport runs go test for the module above the current folder
// and prints what a person needs of it: one line per package while it runs,
// the whole output of tests that fail, and at the end how many passed, failed
// and were skipped, with the reason of every skip. The package lines and the
// totals also go to build/go-test.txt.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// event is a line of go test -json (go doc test2json).
type event struct {
	Action     string
	Package    string
	ImportPath string // of a build event
	Test       string
	Output     string
	OutputType string
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	const root = ".."
	lines, err := os.Create(filepath.Join(root, "build", "go-test.txt"))
	if err != nil {
		return err
	}
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r := newReport(os.Stdout, io.MultiWriter(os.Stdout, lines))
	readErr := r.read(out)
	waitErr := cmd.Wait()
	r.finish()
	for _, err := range []error{readErr, waitErr, lines.Close()} {
		if err != nil {
			return err
		}
	}
	return nil
}

// report collects the events of one run.
type report struct {
	detail  io.Writer // output of failing tests
	summary io.Writer // package lines and totals
	output  map[string][]string
	counts  map[string]int      // tests and subtests by their last action
	skips   map[string][]string // tests by the reason they gave
}

func newReport(detail, summary io.Writer) *report {
	return &report{
		detail:  detail,
		summary: summary,
		output:  map[string][]string{},
		counts:  map[string]int{},
		skips:   map[string][]string{},
	}
}

// read consumes the stream; lines that are not JSON are shown as they are.
func (r *report) read(in io.Reader) error {
	s := bufio.NewScanner(in)
	s.Buffer(nil, 16<<20)
	for s.Scan() {
		var e event
		if json.Unmarshal(s.Bytes(), &e) != nil {
			fmt.Fprintln(r.detail, s.Text())
			continue
		}
		r.add(e)
	}
	return s.Err()
}

func (r *report) add(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.detail, e.Output)
	case "output":
		if e.Test == "" && isPackageLine(e.Output) {
			fmt.Fprint(r.summary, e.Output)
		} else {
			r.output[key] = append(r.output[key], e.Output)
		}
	case "pass", "fail", "skip":
		r.end(e, key)
	}
}

// end is called when a test (or, without Test, a package) has ended.
func (r *report) end(e event, key string) {
	lines := r.output[key]
	delete(r.output, key)
	if e.Action == "fail" {
		r.show(lines)
	}
	if e.Test == "" {
		return
	}
	r.counts[e.Action]++
	if e.Action == "skip" {
		why := reason(lines)
		r.skips[why] = append(r.skips[why], key)
	}
}

// show prints what a test has written, without the lines that say when it ran.
func (r *report) show(lines []string) {
	for _, l := range lines {
		if !strings.HasPrefix(l, "=== ") {
			fmt.Fprint(r.detail, l)
		}
	}
}

// finish prints the totals, and the output of tests that never ended.
func (r *report) finish() {
	for _, lines := range r.output {
		r.show(lines)
	}
	fmt.Fprintf(r.summary, "%d tests and subtests passed, %d failed, %d skipped\n",
		r.counts["pass"], r.counts["fail"], r.counts["skip"])
	reasons := make([]string, 0, len(r.skips))
	for why := range r.skips {
		reasons = append(reasons, why)
	}
	slices.Sort(reasons)
	for _, why := range reasons {
		fmt.Fprintf(r.summary, "skipped %d: %s (%s)\n", len(r.skips[why]), why, r.skips[why][0])
	}
}

// isPackageLine tells the line about a package that go test ends with from
// what the package's process prints.
func isPackageLine(s string) bool {
	return strings.HasPrefix(s, "ok  \t") || strings.HasPrefix(s, "FAIL\t") || strings.HasPrefix(s, "?   \t")
}

// reason takes the text of t.Skip out of a test's output: the first line that
// is indented, without the position in front of it.
func reason(lines []string) string {
	for _, l := range lines {
		if !strings.HasPrefix(l, "    ") {
			continue
		}
		l = strings.TrimSpace(l)
		if _, text, ok := strings.Cut(l, ": "); ok {
			return text
		}
		return l
	}
	return "no reason given"
}
