package lsp

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// meter are the settings for testdata/meter.elf, whose disassembly is:
//
//	08000000 <measure>:
//	 8000000:  ldr r3, [pc, #24]      meter.c:10
//	 8000006:  cmp.w r0, #4096        clamp at clamp.h:3, called at meter.c:10
//	 8000016:  movwge r0, #4095       clamp at clamp.h:4
//	 800001a:  bx lr                  meter.c:11
//	08000024 <sample>:
//	 8000024:  push {r3, lr}          meter.c:14
//	 8000028:  bl measure             meter.c:15
//	 800002c:  ldr r3, [pc, #8]       meter.c:15
//	0800003c <reset>:
//	 800003e:  bl sample              meter.c:22
//	 8000042:  b.n 800003e
//	08000046 <fail>:
//	 8000048:  bl halt                meter.c:33
//	0800004c <after>:
//	 800004c:  movs r0, #1            meter.c:39
func meter(t *testing.T) map[string]any {
	return map[string]any{
		"executable":    testdata(t, "meter.elf"),
		"sourceFileMap": map[string]string{"/home/build/meter": testdata(t)},
	}
}

const logURI = "untitled:Untitled-1"

// TestHover opens one-line logs; the caret in the text is the position and
// not part of it.
func TestHover(t *testing.T) {
	t.Parallel()
	c := start(t, testdata(t), meter(t))
	tests := []struct {
		name, log string
		want      string // "" for no hover
		word      string // the text the hover covers
	}{
		{
			name: "in a function", log: "pc 0x0800^0026",
			want: "sample+2\n\n- sample at src/meter.c:15", word: "0x08000026",
		},
		{
			name: "at its entry", log: "entry ^08000024",
			want: "sample\n\n- sample at src/meter.c:14", word: "08000024",
		},
		{
			name: "pointer to a function", log: "handler=0x08000025^",
			want: "sample\n\n- sample at src/meter.c:14", word: "0x08000025",
		},
		{
			name: "inlined", log: "pc=0x8000016^",
			want: "measure+22\n\n- clamp inlined at src/clamp.h:4\n- measure at src/meter.c:10", word: "0x8000016",
		},
		{
			name: "return address", log: "lr=^0x0800002d",
			want: "sample+8, return address; the call:\n\n- sample at src/meter.c:15", word: "0x0800002d",
		},
		{
			name: "bit 0 and no call before it", log: "pc=^0x0800001b",
			want: "measure+26\n\n- measure at src/meter.c:11", word: "0x0800001b",
		},
		{
			name: "call at the end of a function", log: "^0800004d",
			want: "after\n\n- after at src/meter.c:39\n\nor\n\nfail+6, return address; the call:\n\n- fail at src/meter.c:33",
			word: "0800004d",
		},
		{name: "after other scripts", log: "Ошибка 𝄞: ^0800003e", want: "reset+2\n\n- reset at src/meter.c:22", word: "0800003e"},
		{name: "data", log: "sp=0x2000^0004"},
		{name: "not in the image", log: "0x0801^0000"},
		{name: "no address", log: "pc^ 0x08000026"},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before, after, _ := strings.Cut(tt.log, "^")
			id := logURI + string(rune('a'+i))
			text := before + after
			c.open(t, id, "plaintext", text)
			at := protocol.TextDocumentPositionParams{
				TextDocument: protocol.TextDocumentIdentifier{URI: uri.URI(id)},
				Position:     newMapper(text).position(len(before)),
			}
			got, err := c.Hover(t.Context(), &protocol.HoverParams{TextDocumentPositionParams: at})
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "" {
				if got != nil {
					t.Errorf("hover: %q, want none", got.Contents.Value)
				}
				return
			}
			if got == nil {
				t.Fatal("no hover")
			}
			if diff := cmp.Diff(tt.want, got.Contents.Value); diff != "" {
				t.Errorf("hover (-want +got):\n%s", diff)
			}
			m := newMapper(text)
			if word := text[m.offset(got.Range.Start):m.offset(got.Range.End)]; word != tt.word {
				t.Errorf("hover covers %q, want %q", word, tt.word)
			}
		})
	}
}

func TestHoverMarkdown(t *testing.T) {
	t.Parallel()
	c := start(t, testdata(t), meter(t), protocol.PlainText, protocol.Markdown)
	c.open(t, logURI, "log", "0x08000016")
	got, err := c.Hover(t.Context(), &protocol.HoverParams{TextDocumentPositionParams: at(logURI, 0, 3)})
	if err != nil || got == nil {
		t.Fatalf("hover %v, %v", got, err)
	}
	src := fileURI(testdata(t, "src"))
	want := protocol.MarkupContent{Kind: protocol.Markdown, Value: "`measure+22`\n\n" +
		"- `clamp` inlined at [`src/clamp.h:4`](" + src + "/clamp.h#L4)\n" +
		"- `measure` at [`src/meter.c:10`](" + src + "/meter.c#L10)"}
	if diff := cmp.Diff(want, got.Contents); diff != "" {
		t.Errorf("hover (-want +got):\n%s", diff)
	}
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	c := start(t, testdata(t), meter(t))
	c.open(t, logURI, "pushmask-log", "pc: 0x08000016\nlr: 0x08000043\nsp: 0x20000008\nlr: 0x0800004d\n")
	tests := []struct {
		line uint32
		want []protocol.Location
	}{
		{0, location(testdata(t, "src", "clamp.h"), 4, 16)},
		{1, location(testdata(t, "src", "meter.c"), 22, 9)},
		{2, nil},
		{3, append(location(testdata(t, "src", "meter.c"), 39, 1), location(testdata(t, "src", "meter.c"), 33, 5)...)},
	}
	for _, tt := range tests {
		got, err := c.Definition(t.Context(), &protocol.DefinitionParams{TextDocumentPositionParams: at(logURI, tt.line, 6)})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("line %d (-want +got):\n%s", tt.line, diff)
		}
	}
}

// location is the result of one definition; line and column are 1-based.
func location(path string, line, column uint32) []protocol.Location {
	p := protocol.Position{Line: line - 1, Character: column - 1}
	return []protocol.Location{{URI: uri.URI(fileURI(path)), Range: protocol.Range{Start: p, End: p}}}
}

func TestDocumentLink(t *testing.T) {
	t.Parallel()
	c := start(t, testdata(t), meter(t))
	c.open(t, logURI, "plaintext", "sp 0x20000008\r\npc 0x08000026 lr 0x0800002d\r\n")
	got, err := c.DocumentLink(t.Context(), &protocol.DocumentLinkParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: logURI},
	})
	if err != nil {
		t.Fatal(err)
	}
	src := fileURI(testdata(t, "src", "meter.c"))
	span := func(from, to uint32) protocol.Range {
		return protocol.Range{Start: protocol.Position{Line: 1, Character: from}, End: protocol.Position{Line: 1, Character: to}}
	}
	want := []protocol.DocumentLink{
		{Range: span(3, 13), Target: uri.URI(src + "#L15"), Tooltip: "sample+2"},
		{Range: span(17, 27), Target: uri.URI(src + "#L15"), Tooltip: "sample+8"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

// TestDocuments follows a document through its life.
func TestDocuments(t *testing.T) {
	t.Parallel()
	c := start(t, testdata(t), meter(t))
	ctx := t.Context()
	hovers := func(id string) bool {
		t.Helper()
		got, err := c.Hover(ctx, &protocol.HoverParams{TextDocumentPositionParams: at(id, 0, 3)})
		if err != nil {
			t.Fatal(err)
		}
		return got != nil
	}
	change := func(id, text string) {
		t.Helper()
		err := c.DidChange(ctx, &protocol.DidChangeTextDocumentParams{
			TextDocument: protocol.VersionedTextDocumentIdentifier{
				TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: uri.URI(id)},
			},
			ContentChanges: []protocol.TextDocumentContentChangeEvent{{Text: text}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if hovers(logURI) {
		t.Error("hover in a document that is not open")
	}
	c.open(t, "file:///x/main.c", "c", "0x08000026")
	if hovers("file:///x/main.c") {
		t.Error("hover in a C source")
	}
	c.open(t, logURI, "plaintext", "nothing here")
	if hovers(logURI) {
		t.Error("hover on a word")
	}
	change(logURI, "0x08000026")
	if !hovers(logURI) {
		t.Error("no hover after the change")
	}
	change(logURI, "0x08000026"+strings.Repeat(" ", maxDocument))
	c.message(t, "more than 4 MiB")
	if hovers(logURI) {
		t.Error("hover in a document that is too large")
	}
	change(logURI, "0x08000026")
	if !hovers(logURI) {
		t.Error("no hover after the document became small")
	}
	if err := c.DidClose(ctx, &protocol.DidCloseTextDocumentParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: logURI},
	}); err != nil {
		t.Fatal(err)
	}
	if hovers(logURI) {
		t.Error("hover after close")
	}
}

// TestConfiguration changes the settings while the server runs, to good and
// bad values.
func TestConfiguration(t *testing.T) {
	t.Parallel()
	c := start(t, testdata(t), nil)
	c.open(t, logURI, "plaintext", "0x08000026")
	steps := []struct {
		name     string
		settings any
		message  string // part of the message to the user, "" for none
		hover    bool
	}{
		{name: "no firmware at first"},
		{name: "relative to the workspace", settings: map[string]any{"executable": "meter.elf"}, hover: true},
		{name: "with a variable", settings: map[string]any{"executable": "${workspaceFolder}/meter.elf"}, hover: true},
		{name: "none sent", settings: nil, hover: true},
		{name: "other section", settings: map[string]any{"pushmask": nil}, hover: true},
		{name: "wrong type", settings: map[string]any{"executable": 1}, message: "settings are not valid", hover: true},
		{name: "missing file", settings: map[string]any{"executable": "no.elf"}, message: "no.elf"},
		{name: "no ELF", settings: map[string]any{"executable": "build.sh"}, message: "build.sh"},
		{name: "folder", settings: map[string]any{"executable": "src"}, message: "src: it is no file"},
		{name: "in its section", settings: map[string]any{"pushmask": map[string]any{"executable": "meter.elf"}}, hover: true},
		{name: "emptied", settings: map[string]any{"executable": ""}},
	}
	for _, s := range steps {
		err := c.DidChangeConfiguration(t.Context(), &protocol.DidChangeConfigurationParams{Settings: s.settings})
		if err != nil {
			t.Fatal(err)
		}
		if s.message != "" {
			c.message(t, s.message)
		}
		got, err := c.Hover(t.Context(), &protocol.HoverParams{TextDocumentPositionParams: at(logURI, 0, 3)})
		if err != nil {
			t.Fatal(err)
		}
		if (got != nil) != s.hover {
			t.Errorf("%s: hover %v, want one: %v", s.name, got, s.hover)
		}
		if n := len(c.messages); n != 0 {
			t.Errorf("%s: %d more messages", s.name, n)
		}
	}
}

func TestWorkspaceRoot(t *testing.T) {
	t.Parallel()
	folders := []protocol.WorkspaceFolder{{URI: "file:///first"}, {URI: "file:///second"}}
	tests := []struct {
		name    string
		folders []protocol.WorkspaceFolder
		root    string
		want    string
	}{
		{"none", nil, "", ""},
		{"first folder", folders, "file:///other", "/first"},
		{"root alone", nil, "file:///other", "/other"},
		{"not on disk", nil, "vscode-vfs://github/x/y", ""},
	}
	for _, tt := range tests {
		if got := workspaceRoot(tt.folders, tt.root); filepath.ToSlash(got) != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestRebuiltFirmware replaces the file: the next request opens it anew.
func TestRebuiltFirmware(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fw := filepath.Join(dir, "fw.elf")
	copyFile(t, testdata(t, "meter.elf"), fw)
	c := start(t, dir, map[string]any{"executable": "fw.elf"})
	c.open(t, logURI, "plaintext", "0x08000026")
	hover := func() *protocol.Hover {
		t.Helper()
		got, err := c.Hover(t.Context(), &protocol.HoverParams{TextDocumentPositionParams: at(logURI, 0, 3)})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if hover() == nil {
		t.Fatal("no hover at first")
	}
	if err := os.WriteFile(fw, []byte("half written"), 0o644); err != nil {
		t.Fatal(err)
	}
	if hover() != nil {
		t.Error("hover from a file that is no ELF")
	}
	c.message(t, "fw.elf")
	copyFile(t, testdata(t, "meter.elf"), fw)
	if err := os.Chtimes(fw, time.Time{}, time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if hover() == nil {
		t.Error("no hover after the rebuild")
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestCodeSpan(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"main":             "`main`",
		"A::`vtable'":      "`` A::`vtable' ``",
		"a``b`c":           "``` a``b`c ```",
		"operator<<(int*)": "`operator<<(int*)`",
	} {
		if got := codeSpan(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestIsCall(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"bl 0x08000000 <measure>": true,
		"blx r3":                  true,
		"blxns r3":                true,
		"blne 0x08000000":         true,
		"bleq 0x08000000":         true,
		"ble 0x08000000":          false,
		"blt.n 0x08000000":        false,
		"bls.w 0x08000000":        false,
		"b.n 0x08000000":          false,
		"":                        false,
	} {
		if got := isCall(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
