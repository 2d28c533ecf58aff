package dap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/session"
)

// listing is the disassembly of a function, shown where there is no source.
type listing struct {
	ref   int // Source.sourceReference
	name  string
	text  string
	addrs []core.Addr // of the places listed, ascending
	lines []int       // 1-based lines of text, parallel to addrs
}

// listings caches the listings of a debuggee.
type listings struct {
	byAddr  map[core.Addr]*listing // by an address that was asked for: recursion repeats it
	byStart map[core.Addr]*listing // by the first address listed
	refs    handles[*listing]
}

// byRef returns the listing that the client was given under ref.
func (l *listings) byRef(ref int) (*listing, bool) { return l.refs.value(ref) }

// errNoCode is returned for an address that no listing can show.
var errNoCode = errors.New("there is no code")

// listing returns the disassembly of the function around an address.
func (d *debuggee) listing(ctx context.Context, a core.Addr) (*listing, error) {
	if l, ok := d.listings.byAddr[a]; ok {
		return l, nil
	}
	name, lines, err := d.session.DisassembleFunc(ctx, a)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(lines, func(x session.Line) bool { return !x.Invalid }) {
		return nil, errNoCode
	}
	l, ok := d.listings.byStart[lines[0].Addr]
	if !ok {
		l = newListing(name, lines)
		l.ref = d.listings.refs.id(l)
		d.listings.byStart[lines[0].Addr] = l
	}
	d.listings.byAddr[a] = l
	return l, nil
}

// newListing writes the listing: the places in order, each change of source
// line as a comment before.
func newListing(name string, lines []session.Line) *listing {
	l := &listing{name: name}
	var b strings.Builder
	count := 1
	fmt.Fprintf(&b, "; %s, disassembly of %s to %s\n", name, lines[0].Addr, lines[len(lines)-1].Addr)
	var file string
	var line int
	for _, x := range lines {
		if x.File != "" && (x.File != file || x.SrcLine != line) {
			name := x.File
			if name == file {
				name = baseName(name)
			}
			file, line = x.File, x.SrcLine
			count++
			fmt.Fprintf(&b, "; %s:%d\n", name, line)
		}
		count++
		l.addrs, l.lines = append(l.addrs, x.Addr), append(l.lines, count)
		fmt.Fprintf(&b, "%s  %-11s  %s\n", x.Addr, hexBytes(x.Bytes), placeText(x))
	}
	l.text = b.String()
	return l
}

// lineOf returns the line of the listing that shows an address.
func (l *listing) lineOf(a core.Addr) int {
	i := sort.Search(len(l.addrs), func(i int) bool { return l.addrs[i] > a })
	return l.lines[max(i-1, 0)]
}

// addrAt returns the address of the place that a line of the listing shows, or
// that of the next one.
func (l *listing) addrAt(line int) core.Addr {
	i := sort.SearchInts(l.lines, line)
	return l.addrs[min(i, len(l.addrs)-1)]
}

// source describes the listing. Its name is short: the Call Stack view leaves
// little room for it beside the function.
func (l *listing) source() *dap.Source {
	return &dap.Source{
		Name:            l.name + ".s",
		SourceReference: l.ref,
		Origin:          "disassembly",
	}
}

func (a *adapter) source(_ context.Context, req *dap.SourceRequest) (*dap.SourceResponse, error) {
	ref := req.Arguments.SourceReference // for clients older than Source.sourceReference
	if s := req.Arguments.Source; s != nil && s.SourceReference != 0 {
		ref = s.SourceReference
	}
	d := a.owner(ref)
	l, ok := d.listings.byRef(ref)
	if !ok {
		return nil, failf(errUnknownSource, "there is no source with the reference %d: ask for stackTrace first", ref)
	}
	return &dap.SourceResponse{Body: dap.SourceResponseBody{Content: l.text, MimeType: "text/x-asm"}}, nil
}

// placeText is the text of an instruction, of data, or of a hole.
func placeText(x session.Line) string {
	if x.Text == "" {
		return "(not in the dump)"
	}
	return x.Text
}

// hexBytes writes bytes in the order of memory: "2d e9 f0 43".
func hexBytes(b []byte) string { return fmt.Sprintf("% x", b) }
