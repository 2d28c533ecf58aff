package svd

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
)

// Limits of a file.
const (
	maxBytes = 64 << 20
	maxNodes = 1 << 19
	maxDepth = 16 // levels of elements: clusters may nest six deep
	// Names are copied into every element of an array, so they must be short;
	// lists of names are longer, and what is only shown may have any length.
	maxText  = 256
	maxIndex = 16 << 10
)

// node is an element of the file that the schema knows.
type node struct {
	tag     string // as in the schema, one of tags
	text    string // of an element without others inside, white space collapsed
	derived string // attribute derivedFrom
	parent  *node
	kids    []*node // elements that are there once, each with its own tag
	list    []*node // elements that may be there many times: see listed

	// What derivedFrom leads to, when resolved.
	base  *node
	line  int32
	chain uint8 // how many bases there are one behind the other
	state state
}

// kid returns the element inside that is there once and has a tag.
func (n *node) kid(tag string) *node {
	for _, k := range n.kids {
		if k.tag == tag {
			return k
		}
	}
	return nil
}

// get returns the first element inside with a tag, or that of the nearest base
// that has one: "elements specified subsequently override inherited values".
func (n *node) get(tag string) *node {
	for ; n != nil; n = n.base {
		if k := n.kid(tag); k != nil {
			return k
		}
	}
	return nil
}

// str returns the text of an element inside or of its base, "" without one.
func (n *node) str(tag string) string {
	if k := n.get(tag); k != nil {
		return k.text
	}
	return ""
}

// all returns the elements inside with a tag, or those of the nearest base that
// has any.
func (n *node) all(tag string) []*node {
	for ; n != nil; n = n.base {
		var list []*node
		for _, k := range n.list {
			if k.tag == tag {
				list = append(list, k)
			}
		}
		if list != nil {
			return list
		}
	}
	return nil
}

// owner returns the element that n belongs to: a cluster or peripheral for a
// register, a register for a field, the device for a peripheral.
func (n *node) owner() *node {
	p := n.parent
	if p != nil && (p.tag == "registers" || p.tag == "fields" || p.tag == "peripherals") {
		p = p.parent
	}
	return p
}

// path names the element as derivedFrom would: "GPIOA.ODR.ODR5".
func (n *node) path() string {
	var names []string
	for ; n != nil && n.tag != "device"; n = n.owner() {
		if k := n.kid("name"); k != nil && len(names) < maxDepth {
			names = append([]string{k.text}, names...)
		}
	}
	return strings.Join(names, ".")
}

// tags are the elements that the package reads; what is inside of others is
// passed over.
var tags = tagTable(`device vendor name series version description cpu revision endian mpuPresent fpuPresent
	fpuDP dspPresent icachePresent dcachePresent itcmPresent dtcmPresent vtorPresent nvicPrioBits
	deviceNumInterrupts sauNumRegions width size access protection resetValue resetMask peripherals peripheral
	alternatePeripheral groupName prependToName appendToName disableCondition baseAddress addressBlock offset
	usage interrupt value registers register cluster dim dimIncrement dimIndex dimArrayIndex displayName
	alternateGroup alternateRegister addressOffset dataType modifiedWriteValues writeConstraint writeAsRead
	useEnumeratedValues range minimum maximum readAction fields field lsb msb bitOffset bitWidth bitRange
	enumeratedValues enumeratedValue isDefault`)

// tagTable maps tags, as they are and in lower case, to themselves.
func tagTable(list string) map[string]string {
	m := map[string]string{}
	for _, t := range strings.Fields(list) {
		m[t], m[strings.ToLower(t)] = t, t
	}
	return m
}

// listed are the elements that may be many, and in which element they may be.
var listed = map[string][]string{
	"peripheral": {"peripherals"}, "addressBlock": {"peripheral"}, "interrupt": {"peripheral"},
	"register": {"registers", "cluster"}, "cluster": {"registers", "cluster"}, "field": {"fields"},
	"enumeratedValues": {"field"}, "enumeratedValue": {"enumeratedValues", "dimArrayIndex"},
}

func knownTag(s string) (string, bool) {
	if t, ok := tags[s]; ok {
		return t, true
	}
	t, ok := tags[strings.ToLower(s)]
	return t, ok
}

// reader builds the nodes of a file. Elements may be in any order and nest in
// ways that the schema does not allow: who looks for an element finds it where
// the schema has it or not at all.
type reader struct {
	xml      *xml.Decoder
	problems *problems
	root     *node // device
	open     []*node
	skip     int    // depth in an element that is passed over
	left     int    // nodes that there may still be
	text     []byte // of the innermost element
	full     bool
}

// readNodes reads the device element of a file, nil where there is none, with
// limit nodes at most. XML that is broken ends what is read, with a problem. References to entities
// that a document type declares are never expanded.
func readNodes(text []byte, limit int, p *problems) *node {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict = false // keeps references to unknown entities as they are
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	r := &reader{xml: d, problems: p, left: limit}
	for !r.full {
		t, err := d.RawToken()
		if err != nil {
			r.end(err)
			break
		}
		switch t := t.(type) {
		case xml.StartElement:
			r.startElement(&t)
		case xml.EndElement:
			r.endElement(t.Name.Local)
		case xml.CharData:
			if r.skip == 0 && len(r.open) > 0 {
				r.text = append(r.text, t...)
			}
		}
	}
	return r.root
}

// end says why the file ended, unless it ended well.
func (r *reader) end(err error) {
	line, _ := r.xml.InputPos()
	var syntax *xml.SyntaxError
	switch {
	case r.root == nil:
	case errors.As(err, &syntax):
		r.problems.addLine(syntax.Line, "%s; nothing is read from here on", syntax.Msg)
	case len(r.open) > 0:
		r.problems.addLine(line, "the file ends inside of element %s", r.open[len(r.open)-1].tag)
	}
}

func (r *reader) startElement(e *xml.StartElement) {
	tag, known := knownTag(e.Name.Local)
	if r.skip > 0 || !known || r.root == nil && tag != "device" || r.root != nil && len(r.open) == 0 {
		if len(r.open) > 0 || r.skip > 0 {
			r.skip++
		}
		return
	}
	line, _ := r.xml.InputPos()
	if len(r.open) >= maxDepth {
		r.problems.addLine(line, "element %s is more than %d levels deep", tag, maxDepth)
		r.skip++
		return
	}
	if r.left == 0 {
		r.problems.addLine(line, "too many elements; nothing is read from here on")
		r.full = true
		return
	}
	r.left--
	n := &node{tag: tag, line: int32(line)}
	for _, a := range e.Attr {
		if strings.EqualFold(a.Name.Local, "derivedFrom") && len(a.Value) <= maxText {
			n.derived = strings.TrimSpace(a.Value)
		}
	}
	if r.root == nil {
		r.root = n
	} else if n = r.add(r.open[len(r.open)-1], n); n == nil {
		r.skip++
		return
	}
	r.open = append(r.open, n)
	r.text = r.text[:0]
}

// add puts an element into another and returns it, nil when it cannot be
// there. A second list of peripherals, registers or fields continues the first.
func (r *reader) add(to, n *node) *node {
	if places, many := listed[n.tag]; many {
		if !slices.Contains(places, to.tag) {
			r.problems.addLine(int(n.line), "element %s is not expected in %s", n.tag, to.tag)
			return nil
		}
		n.parent = to
		to.list = append(to.list, n)
		return n
	}
	if k := to.kid(n.tag); k != nil {
		if n.tag == "peripherals" || n.tag == "registers" || n.tag == "fields" {
			return k
		}
		r.problems.addLine(int(n.line), "a second %s is passed over", n.tag)
		return nil
	}
	n.parent = to
	to.kids = append(to.kids, n)
	return n
}

// endElement closes the innermost element, or one around it where end tags are
// missing; an end tag that fits none is passed over.
func (r *reader) endElement(name string) {
	if r.skip > 0 {
		r.skip--
		return
	}
	tag, _ := knownTag(name)
	k := len(r.open) - 1
	for k >= 0 && r.open[k].tag != tag {
		k--
	}
	if k < 0 {
		if len(r.open) > 0 {
			line, _ := r.xml.InputPos()
			r.problems.addLine(line, "end tag %s without a start", name)
		}
		return
	}
	n := r.open[len(r.open)-1]
	if len(n.kids)+len(n.list) == 0 {
		r.setText(n)
	}
	if k < len(r.open)-1 {
		line, _ := r.xml.InputPos()
		r.problems.addLine(line, "element %s has no end tag", n.tag)
	}
	r.text = r.text[:0]
	r.open = r.open[:k]
}

// setText gives an element its text, unless it is too long for what it is.
func (r *reader) setText(n *node) {
	text := collapse(r.text)
	limit := maxText
	switch n.tag {
	case "description", "disableCondition":
		limit = maxBytes
	case "dimIndex":
		limit = maxIndex
	}
	if len(text) > limit {
		r.problems.addLine(int(n.line), "%s has %d bytes: it is passed over", n.tag, len(text))
		return
	}
	n.text = text
}

// collapse makes every run of white space one blank and trims the text.
func collapse(b []byte) string {
	b = bytes.TrimSpace(b)
	if bytes.ContainsAny(b, "\n\r\t") || bytes.Contains(b, []byte("  ")) {
		b = bytes.Join(bytes.Fields(b), []byte(" "))
	}
	return string(b)
}
