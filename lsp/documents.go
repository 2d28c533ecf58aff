package lsp

import (
	"context"
	"fmt"
	"slices"

	"go.lsp.dev/protocol"
)

// Limits of a document: beyond them a text is a trace rather than a crash
// log, and looking at all of it on every change would make the editor wait.
const (
	maxDocument = 4 << 20 // bytes
	maxMentions = 20000   // numbers that could be addresses
)

// languages are the language identifiers of documents that can be crash logs.
var languages = []string{"plaintext", "log", "pushmask-log", ""}

// document is an open text.
type document struct {
	mapper   *mapper
	mentions []mention // ascending
	tooLarge bool      // nothing of it was looked at
}

// mentionAt returns the mention that contains the byte offset, or ends there:
// clients send the position behind the last character for a word's end.
func (d *document) mentionAt(offset int) (mention, bool) {
	i, _ := slices.BinarySearchFunc(d.mentions, offset, func(m mention, off int) int { return m.end - off })
	if i < len(d.mentions) && d.mentions[i].start <= offset {
		return d.mentions[i], true
	}
	return mention{}, false
}

// rangeOf is the place of a mention in the document.
func (d *document) rangeOf(m mention) protocol.Range {
	return protocol.Range{Start: d.mapper.position(m.start), End: d.mapper.position(m.end)}
}

// setText takes over the text of a document.
func (s *server) setText(id protocol.DocumentURI, text string) {
	if len(text) > maxDocument {
		if old, ok := s.docs[id]; !ok || !old.tooLarge {
			s.warn(fmt.Sprintf("%s has more than %d MiB; addresses in it are not looked up", id, maxDocument>>20))
		}
		s.docs[id] = &document{mapper: newMapper(""), tooLarge: true}
		return
	}
	s.docs[id] = &document{mapper: newMapper(text), mentions: findMentions(text, maxMentions)}
}

func (s *server) didOpen(_ context.Context, p *protocol.DidOpenTextDocumentParams) (any, error) {
	if slices.Contains(languages, string(p.TextDocument.LanguageID)) {
		s.setText(p.TextDocument.URI, p.TextDocument.Text)
	}
	return nil, nil
}

func (s *server) didChange(_ context.Context, p *protocol.DidChangeTextDocumentParams) (any, error) {
	if _, ok := s.docs[p.TextDocument.URI]; ok && len(p.ContentChanges) > 0 {
		s.setText(p.TextDocument.URI, p.ContentChanges[len(p.ContentChanges)-1].Text)
	}
	return nil, nil
}

func (s *server) didClose(_ context.Context, p *protocol.DidCloseTextDocumentParams) (any, error) {
	delete(s.docs, p.TextDocument.URI)
	return nil, nil
}
