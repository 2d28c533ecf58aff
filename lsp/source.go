package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// source returns the innermost call whose source file exists on this machine.
func (p place) source() (call, bool) {
	for _, c := range p.calls {
		if c.found {
			return c, true
		}
	}
	return call{}, false
}

func (s *server) definition(ctx context.Context, p *protocol.DefinitionParams) ([]protocol.Location, error) {
	_, places := s.mentioned(ctx, p.TextDocumentPositionParams)
	var list []protocol.Location
	for _, p := range places {
		c, ok := p.source()
		if !ok {
			continue
		}
		at := protocol.Position{Line: uint32(max(c.line-1, 0)), Character: uint32(max(c.column-1, 0))}
		list = append(list, protocol.Location{
			URI:   uri.URI(fileURI(c.path)),
			Range: protocol.Range{Start: at, End: at},
		})
	}
	return list, nil
}

func (s *server) documentLink(ctx context.Context, p *protocol.DocumentLinkParams) ([]protocol.DocumentLink, error) {
	doc, ok := s.docs[p.TextDocument.URI]
	if !ok || !s.ready(ctx) {
		return nil, nil
	}
	links := []protocol.DocumentLink{}
	for _, m := range doc.mentions {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		places := s.firmware.locate(ctx, m.value)
		if len(places) == 0 {
			continue
		}
		if c, ok := places[0].source(); ok {
			links = append(links, protocol.DocumentLink{
				Range:   doc.rangeOf(m),
				Target:  uri.URI(c.uri()),
				Tooltip: places[0].label(),
			})
		}
	}
	return links, nil
}
