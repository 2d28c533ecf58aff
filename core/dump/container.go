package dump

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

const (
	// maxUnpacked is how many bytes one packed file may have when it is unpacked:
	// they are held in memory.
	maxUnpacked = 48 << 20
	// maxWork is how many bytes are unpacked in all, and maxLook after how many
	// no further file of an archive is looked at.
	maxWork = 256 << 20
	maxLook = 64 << 20
	// maxDepth is how many files may lie in one another: a gzip file in a tar
	// file in a gzip file.
	maxDepth = 3
)

// packing is what was unpacked on the way to a file.
type packing struct {
	depth int    // how many files it lies in
	work  *int64 // bytes that were unpacked, of all files
}

func newPacking() *packing { return &packing{work: new(int64)} }

// spent reports whether no more should be unpacked just to look at it.
func (p *packing) spent() bool { return *p.work > maxLook }

// unpack reads all of r.
func (p *packing) unpack(r io.Reader) (*unpacked, error) {
	u, err := unpackAll(r, min(maxUnpacked, maxWork-*p.work))
	*p.work += u.size
	return u, err
}

// open opens what was unpacked.
func (p *packing) open(u *unpacked, opt *Options) (*Dump, error) {
	return open(u, u.size, opt, &packing{p.depth + 1, p.work})
}

// unpacker returns what opens a file that holds others, nil where it is none.
func unpacker(in *input) container {
	switch {
	case bytes.HasPrefix(in.head, []byte{0x1f, 0x8b, 8}): // RFC 1952, 2.3.1: magic and deflate
		return openGzip
	case bytes.HasPrefix(in.head, []byte("PK\x03\x04")): // APPNOTE.TXT 4.3.7
		return openZip
	case len(in.head) >= 512 && bytes.HasPrefix(in.head[257:], []byte("ustar")): // POSIX.1-1988, tar header
		return openTar
	}
	return nil
}

// container opens a file that holds others.
type container func(*input, *Options) (*Dump, error)

// openGzip opens the file that is in a gzip file. Where the end is missing, or
// damaged, what could be unpacked is opened.
func openGzip(in *input, opt *Options) (*Dump, error) {
	if in.packing.depth >= maxDepth {
		return nil, errDeep
	}
	z, err := gzip.NewReader(io.NewSectionReader(in.r, 0, in.size))
	if err != nil {
		return nil, &FormatError{Format: "gzip", Msg: err.Error(), Err: err}
	}
	b, err := in.packing.unpack(z)
	if errors.Is(err, ErrTooLarge) || len(b.chunks) == 0 && err != nil {
		return nil, &FormatError{Format: "gzip", Msg: err.Error(), Err: err}
	}
	d, openErr := in.packing.open(b, opt)
	if openErr != nil {
		return nil, openErr
	}
	d.Format += ", gzip"
	if err != nil {
		d.warnf("the gzip file is damaged after %d unpacked bytes: %v", b.size, err)
	}
	return d, nil
}

// errDeep is the error for archives in archives in archives.
var errDeep = fmt.Errorf("more than %d packed files lie in one another: %w", maxDepth, ErrUnsupported)

// unpacked is the content of a packed file, in pieces of chunkSize so that it
// grows without being copied.
type unpacked struct {
	chunks [][]byte
	size   int64
}

const chunkSize = 64 << 10

// unpackAll reads all of r, which may have at most limit bytes. With an error
// there is what came before it.
func unpackAll(r io.Reader, limit int64) (*unpacked, error) {
	u := new(unpacked)
	for {
		b, err := make([]byte, chunkSize), error(nil)
		n := 0
		for n < len(b) && err == nil {
			var k int
			k, err = r.Read(b[n:])
			n += k
		}
		if n > 0 {
			u.chunks = append(u.chunks, b[:n])
			u.size += int64(n)
		}
		switch {
		case u.size > limit:
			return u, fmt.Errorf("it unpacks to more than %d bytes: %w", limit, ErrTooLarge)
		case err == io.EOF:
			return u, nil
		case err != nil:
			return u, err
		}
	}
}

// ReadAt implements [io.ReaderAt].
func (u *unpacked) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) && off < u.size {
		k := copy(p[n:], u.chunks[off/chunkSize][off%chunkSize:])
		n, off = n+k, off+int64(k)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
