package main

import (
	"strings"
	"testing"
)

const stream = `{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:7: shared data is absent\n"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"=== PAUSE TestB\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:9: got 1, want 2\n"}
{"Action":"fail","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestC","Output":"noise\n"}
{"Action":"pass","Package":"p","Test":"TestC"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
{"ImportPath":"q","Action":"build-output","Output":"q.go:1:1: syntax error\n"}
not json
`

func TestReport(t *testing.T) {
	t.Parallel()
	var detail, summary strings.Builder
	r := newReport(&detail, &summary)
	if err := r.read(strings.NewReader(stream)); err != nil {
		t.Fatal(err)
	}
	r.finish()
	const wantDetail = "    b_test.go:9: got 1, want 2\nq.go:1:1: syntax error\nnot json\n"
	if got := detail.String(); got != wantDetail {
		t.Errorf("detail:\n%swant:\n%s", got, wantDetail)
	}
	const wantSummary = "FAIL\tp\t0.1s\n" +
		"1 tests and subtests passed, 1 failed, 1 skipped\n" +
		"skipped 1: shared data is absent (p TestA)\n"
	if got := summary.String(); got != wantSummary {
		t.Errorf("summary:\n%swant:\n%s", got, wantSummary)
	}
}
