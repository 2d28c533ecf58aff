package crashlog

import (
	"strings"
	"testing"

	"pushmask/core/dump/logtext"
)

// BenchmarkFind reads a log of 1 MiB that is all crash reports.
func BenchmarkFind(b *testing.B) {
	var all strings.Builder
	for all.Len() < 1<<20 {
		for _, log := range readCases(b) {
			all.WriteString(log)
		}
	}
	data := []byte(all.String())
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		Find(logtext.Parse(data))
	}
}
