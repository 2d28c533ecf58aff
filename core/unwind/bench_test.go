package unwind_test

import (
	"path/filepath"
	"slices"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest"
	"pushmask/core/unwind"
	"pushmask/elfsym"
)

// BenchmarkWalk unwinds recorded stacks of 12 or 13 frames: the first of the
// recording, and the one with the most functions, newlib's qsort among them,
// which is the longest of the recording. Cold is a program that has no plans
// and no proofs yet, warm has those of the first walk. BenchmarkWalk/open is
// what preparing the program of the image takes.
func BenchmarkWalk(b *testing.B) {
	elf, samples := coretest.ReadRecording(b, coretest.Shared(b, "cases", "oracle", "shapes-m3-O2.jsonl.gz"))
	img, err := elfsym.Open(filepath.Clean(elf), elfsym.Options{NoDebug: true})
	if err != nil {
		b.Fatal(err)
	}
	defer img.Close()
	b.Run("open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			unwind.FromImages(elfsym.Join(img))
		}
	})
	samples = slices.DeleteFunc(samples, func(s coretest.Sample) bool { return len(s.Frames) < 12 || len(s.Frames) > 13 })
	if len(samples) == 0 {
		b.Fatal("no stack of 12 frames in the recording")
	}
	benchmarkStack(b, img, &samples[0])
	widest := slices.MaxFunc(samples, func(x, y coretest.Sample) int { return functions(img, &x) - functions(img, &y) })
	b.Run("widest", func(b *testing.B) { benchmarkStack(b, img, &widest) })
}

// functions counts the functions of a stack.
func functions(img *elfsym.Image, s *coretest.Sample) int {
	entries := make(map[uint32]bool)
	for _, pc := range s.Frames {
		f, _ := img.FuncAt(uint32(pc))
		entries[f.Entry] = true
	}
	return len(entries)
}

func benchmarkStack(b *testing.B, img *elfsym.Image, s *coretest.Sample) {
	check := func(b *testing.B, got []core.Addr) {
		if !slices.Equal(got, s.Frames) {
			b.Fatalf("the stack is %v, the walk found %v", s.Frames, got)
		}
	}
	b.Run("cold", func(b *testing.B) {
		b.ReportAllocs()
		var got []core.Addr
		for b.Loop() {
			b.StopTimer()
			p := unwind.FromImages(elfsym.Join(img))
			b.StartTimer()
			got, _ = walk(p, img, s)
		}
		check(b, got)
	})
	b.Run("warm", func(b *testing.B) {
		p := unwind.FromImages(elfsym.Join(img))
		got, _ := walk(p, img, s)
		b.ReportAllocs()
		for b.Loop() {
			got, _ = walk(p, img, s)
		}
		check(b, got)
	})
}
