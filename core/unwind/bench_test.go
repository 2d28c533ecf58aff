package unwind_test

import (
	"path/filepath"
	"testing"

	"pushmask/core/coretest"
	"pushmask/core/unwind"
	"pushmask/elfsym"
)

// BenchmarkWalk unwinds the first recorded stack of at least 12 frames: cold
// with a program that has no plans yet, warm with the plans of the first walk.
// BenchmarkWalk/open is what preparing the program of the image takes.
func BenchmarkWalk(b *testing.B) {
	elf, samples := coretest.ReadRecording(b, coretest.Shared(b, "cases", "oracle", "shapes-m3-O2.jsonl.gz"))
	img, err := elfsym.Open(filepath.Clean(elf), elfsym.Options{NoDebug: true})
	if err != nil {
		b.Fatal(err)
	}
	defer img.Close()
	var s *coretest.Sample
	for i := range samples {
		if len(samples[i].Frames) >= 12 {
			s = &samples[i]
			break
		}
	}
	if s == nil {
		b.Fatal("no stack of 12 frames in the recording")
	}
	b.Run("open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			unwind.FromImage(img)
		}
	})
	b.Run("cold", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			p := unwind.FromImage(img)
			b.StartTimer()
			walk(p, img, s)
		}
	})
	b.Run("warm", func(b *testing.B) {
		p := unwind.FromImage(img)
		b.ReportAllocs()
		for b.Loop() {
			walk(p, img, s)
		}
	})
}
