package thumb

import "testing"

// The instructions of an ordinary prologue and body.
var benchCode = []byte{
	0x2d, 0xe9, 0xb0, 0x43, // stmdb sp!, {r4, r5, r7, r8, r9, lr}
	0x86, 0xb0, // sub sp, #24
	0x04, 0x46, // mov r4, r0
	0xd4, 0xf8, 0x04, 0x10, // ldr.w r1, [r4, #4]
	0x00, 0xf0, 0x02, 0xf8, // bl
	0x00, 0x28, // cmp r0, #0
	0x01, 0xd1, // bne.n
	0xb0, 0xbd, // pop {r4, r5, r7, pc}
}

func BenchmarkDecode(b *testing.B) {
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		i, err := Decode(benchCode[n:], 0)
		if err != nil {
			b.Fatal(err)
		}
		if n += int(i.Size); n == len(benchCode) {
			n = 0
		}
	}
}

func BenchmarkText(b *testing.B) {
	i, err := Decode(benchCode, 0)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		Text(i, i.Cond)
	}
}
