package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"
)

// mentioned returns the number in the text at a position and the places that
// it can stand for.
func (s *server) mentioned(ctx context.Context, at protocol.TextDocumentPositionParams) (protocol.Range, []place) {
	doc, ok := s.docs[at.TextDocument.URI]
	if !ok {
		return protocol.Range{}, nil
	}
	m, ok := doc.mentionAt(doc.mapper.offset(at.Position))
	if !ok || !s.ready(ctx) {
		return protocol.Range{}, nil
	}
	return doc.rangeOf(m), s.firmware.locate(ctx, m.value)
}

func (s *server) hover(ctx context.Context, p *protocol.HoverParams) (*protocol.Hover, error) {
	where, places := s.mentioned(ctx, p.TextDocumentPositionParams)
	if len(places) == 0 {
		return nil, nil
	}
	form, kind := plainText, protocol.PlainText
	if s.markdown {
		form, kind = markdown, protocol.Markdown
	}
	var texts []string
	for _, p := range places {
		texts = append(texts, describe(p, s.firmware.root, form))
	}
	return &protocol.Hover{
		Contents: protocol.MarkupContent{Kind: kind, Value: strings.Join(texts, "\n\nor\n\n")},
		Range:    &where,
	}, nil
}

// markup writes the two things in a hover that are not prose.
type markup struct {
	code func(text string) string
	link func(label string, c call) string
}

var (
	plainText = markup{
		code: func(text string) string { return text },
		link: func(label string, _ call) string { return label },
	}
	markdown = markup{code: codeSpan, link: sourceLink}
)

// describe is the text of a hover for one place: function and offset, then the chain of
// calls with their source lines, innermost first.
func describe(p place, root string, form markup) string {
	var b strings.Builder
	b.WriteString(form.code(p.label()))
	if p.returns {
		b.WriteString(", return address; the call:")
	}
	b.WriteString("\n")
	for _, c := range p.calls {
		if c.path == "" && !c.inline {
			continue
		}
		name := c.function
		if name == "" {
			name = "?"
		}
		fmt.Fprintf(&b, "\n- %s", form.code(name))
		if c.inline {
			b.WriteString(" inlined")
		}
		if c.path != "" {
			fmt.Fprintf(&b, " at %s", form.link(c.label(root), c))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// label is "function+offset", with "boot.elf!" before it where the function is not
// of the main ELF.
func (p place) label() string {
	name := p.function
	if p.image != "" {
		name = p.image + "!" + name
	}
	if p.offset == 0 {
		return name
	}
	return fmt.Sprintf("%s+%d", name, p.offset)
}

// label is the path and line, the path relative to the workspace where it
// lies in it.
func (c call) label(root string) string {
	path := c.path
	if rel, err := filepath.Rel(root, path); root != "" && err == nil && filepath.IsLocal(rel) {
		path = filepath.ToSlash(rel)
	}
	if c.line == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d", path, c.line)
}

// codeSpan quotes text for Markdown with one more backtick than it has in a
// row (CommonMark 0.31, "Code spans").
func codeSpan(text string) string {
	run, longest := 0, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 {
		text = " " + text + " "
	}
	return fence + text + fence
}

func sourceLink(label string, c call) string {
	if !c.found {
		return codeSpan(label)
	}
	return fmt.Sprintf("[%s](%s)", codeSpan(label), c.uri())
}

// uri points to the line of a call: #L followed by the number, the form that
// VS Code opens.
func (c call) uri() string {
	if c.line == 0 {
		return fileURI(c.path)
	}
	return fmt.Sprintf("%s#L%d", fileURI(c.path), c.line)
}
