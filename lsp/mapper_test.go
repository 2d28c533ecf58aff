package lsp

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
)

func TestMapper(t *testing.T) {
	t.Parallel()
	const text = "ab\r\nü𝄞x\n\rlast"
	m := newMapper(text)
	tests := []struct {
		line, character uint32
		offset          int
		back            protocol.Position // of the offset, where it differs
	}{
		{0, 0, 0, protocol.Position{}},
		{0, 2, 2, protocol.Position{}},
		{0, 9, 2, protocol.Position{Line: 0, Character: 2}}, // past the line's end
		{1, 0, 4, protocol.Position{}},
		{1, 1, 6, protocol.Position{}},                      // behind ü, two bytes
		{1, 2, 6, protocol.Position{Line: 1, Character: 1}}, // inside the surrogate pair
		{1, 3, 10, protocol.Position{}},                     // behind 𝄞, four bytes
		{1, 4, 11, protocol.Position{}},
		{2, 0, 12, protocol.Position{}}, // the empty line between \n and \r
		{3, 4, 17, protocol.Position{}},
		{4, 0, 17, protocol.Position{Line: 3, Character: 4}}, // past the text's end
	}
	for _, tt := range tests {
		p := protocol.Position{Line: tt.line, Character: tt.character}
		if got := m.offset(p); got != tt.offset {
			t.Errorf("offset of %v: %d, want %d", p, got, tt.offset)
		}
		if tt.back != (protocol.Position{}) {
			p = tt.back
		}
		if got := m.position(tt.offset); got != p {
			t.Errorf("position of %d: %v, want %v", tt.offset, got, p)
		}
	}
}

func FuzzMapper(f *testing.F) {
	f.Add("ab\r\nü𝄞x\n\rlast", uint32(1), uint32(2))
	f.Add("\xff\xfe\n\r\r\n", uint32(2), uint32(0))
	f.Add("", uint32(1<<31), uint32(1<<31))
	f.Fuzz(func(t *testing.T, text string, line, character uint32) {
		m := newMapper(text)
		if off := m.offset(protocol.Position{Line: line, Character: character}); off < 0 || off > len(text) {
			t.Fatalf("offset %d is outside of the text", off)
		}
		last := protocol.Position{}
		for i := 0; i <= len(text); i++ {
			p := m.position(i)
			if p.Line < last.Line || p.Line == last.Line && p.Character < last.Character {
				t.Fatalf("position of %d is %v, of %d %v", i-1, last, i, p)
			}
			last = p
			inLineEnd := i > 0 && i < len(text) && text[i-1] == '\r' && text[i] == '\n'
			if startsRune(text, i) && !inLineEnd && m.offset(p) != i {
				t.Fatalf("offset %d is %v, which is offset %d", i, p, m.offset(p))
			}
		}
	})
}

// startsRune reports whether decoding from the start of the text reaches i.
func startsRune(text string, i int) bool {
	for j := 0; j <= i; {
		if j == i {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[j:])
		j += size
	}
	return false
}

func TestFindMentions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want []uint32
	}{
		{"pc=0x08000124 lr: 0X0800012d", []uint32{0x08000124, 0x0800012d}},
		{"[<08000124>] (f+0x4/0x10) from 08000130", []uint32{0x08000124, 0x08000130}},
		{"0x26c0c,0x123,0x10", []uint32{0x26c0c}},
		{"26c0c 0001234", nil},
		{"0x108000124 x08000124 08000124h r_08000124 ü08000124", nil},
		{"0x0800_0124 0x", nil},
		{"#1 0x08000124", []uint32{0x08000124}},
	}
	for _, tt := range tests {
		var got []uint32
		for _, m := range findMentions(tt.text, 10) {
			got = append(got, m.value)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
	if got := findMentions("0x1234 0x1234 0x1234", 2); len(got) != 2 {
		t.Errorf("limit 2: %d mentions", len(got))
	}
}

func FuzzFindMentions(f *testing.F) {
	f.Add("pc=0x08000124 lr: 0X0800012d")
	f.Add("[<08000124>] 0x\xff\x00")
	f.Fuzz(func(t *testing.T, text string) {
		const limit = 100
		list := findMentions(text, limit)
		if len(list) > limit {
			t.Fatalf("%d mentions, the limit is %d", len(list), limit)
		}
		end := 0
		for _, m := range list {
			if m.start < end || m.end <= m.start || m.end > len(text) {
				t.Fatalf("mention %+v after offset %d in %d bytes", m, end, len(text))
			}
			end = m.end
			if v, ok := addressOf(text[m.start:m.end]); !ok || v != m.value {
				t.Fatalf("mention %+v reads as %#x, %v", m, v, ok)
			}
		}
		d := document{mapper: newMapper(text), mentions: list}
		for _, m := range list {
			if got, ok := d.mentionAt(m.start); !ok || got != m && got.end != m.start {
				t.Fatalf("at %d: %+v, %v, want %+v", m.start, got, ok, m)
			}
		}
		if !slices.IsSortedFunc(list, func(a, b mention) int { return a.start - b.start }) {
			t.Fatal("not ascending")
		}
	})
}

func FuzzFilePath(f *testing.F) {
	for _, s := range []string{
		"file:///home/a%20b/c.log", "file:///c%3A/x", "file://host/share/x", "untitled:Untitled-1",
		"vscode-notebook-cell:/x#y", "zzz", "file:", "%zz", "file:///%",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		path, ok := filePath(s)
		if !ok {
			return
		}
		if again, ok := filePath(fileURI(path)); !ok || again != path {
			t.Fatalf("%q is path %q, whose URI is path %q, %v", s, path, again, ok)
		}
	})
}

func TestFilePath(t *testing.T) {
	t.Parallel()
	tests := []struct {
		uri, path string // path with slashes, "" for none
	}{
		{"file:///home/a%20b/c.log", "/home/a b/c.log"},
		{"file:///c%3A/fw/main.c", "c:/fw/main.c"},
		{"file://server/share/main.c", "//server/share/main.c"},
		{"untitled:Untitled-1", ""},
		{"vscode-notebook-cell:/x#y", ""},
		{"zzz", ""},
		{"", ""},
	}
	for _, tt := range tests {
		got, ok := filePath(tt.uri)
		if got != tt.path || ok != (tt.path != "") {
			t.Errorf("%q: %q, %v, want %q", tt.uri, got, ok, tt.path)
		}
	}
	if got := fileURI("/a b/ü.c"); got != "file:///a%20b/%C3%BC.c" {
		t.Errorf("URI %q", got)
	}
}
