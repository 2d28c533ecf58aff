package dump

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// headSize is how many bytes of a file the openers may sniff at.
const headSize = 4096

// input is a file to be opened.
type input struct {
	r       io.ReaderAt
	size    int64
	head    []byte   // the first bytes, headSize or all
	packing *packing // what it was unpacked from
}

// opener reads a file of one format. It returns [ErrUnrecognized] unless the
// content is of its format; then any other error is final.
type opener func(*input) (*Dump, error)

// formats lists the openers in the order they are asked.
var formats = []opener{
	openELF,
	openProbeRS,
}

// Open opens the crash artefact at path, with the other parts of the crash that
// opt names. Errors are those of the os package, [ErrEmpty], [ErrNotRegular],
// [ErrUnrecognized], [ErrNoAddress], [ErrNoCrash], [ErrTooLarge], and
// [*FormatError] for a file that is of a known format and useless; those of a
// further file are a [*PartError]. The caller closes the dump.
func Open(path string, opt Options) (*Dump, error) {
	d, err := openPath(path, &opt)
	if err != nil {
		return nil, err
	}
	d.Path = path
	if err := d.complete(&opt); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// OpenReader opens a crash artefact of size bytes that r holds, with the other
// parts of the crash that opt names. The dump reads from r for as long as it is
// used.
func OpenReader(r io.ReaderAt, size int64, opt Options) (*Dump, error) {
	d, err := open(r, size, &opt, newPacking())
	if err != nil {
		return nil, err
	}
	if err := d.complete(&opt); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// openPath opens one file.
func openPath(path string, opt *Options) (*Dump, error) {
	// Opening a named pipe waits for its writer, without end.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open dump %s: %w", path, ErrNotRegular)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	d, err := openFile(f, opt)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open dump %s: %w", path, err)
	}
	d.files = append(d.files, f)
	return d, nil
}

func openFile(f *os.File, opt *Options) (*Dump, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	return open(f, info.Size(), opt, newPacking())
}

// open opens a file that may have been unpacked.
func open(r io.ReaderAt, size int64, opt *Options, from *packing) (*Dump, error) {
	if size <= 0 {
		return nil, ErrEmpty
	}
	in := &input{r: r, size: size, head: make([]byte, min(size, headSize)), packing: from}
	n, err := r.ReadAt(in.head, 0)
	if n < len(in.head) {
		return nil, fmt.Errorf("read the first bytes: %w", err)
	}
	if unpack := unpacker(in); unpack != nil {
		return unpack(in, opt)
	}
	if opt.HasBase {
		return openRaw(in, opt)
	}
	for _, open := range formats {
		d, err := open(in)
		if !errors.Is(err, ErrUnrecognized) {
			return d, err
		}
	}
	return readHeld(in, opt)
}

// read returns the size bytes at off, or as many as the file has. size must
// be bounded by the caller. A failing read gives what came before it and the
// error; the end of the file is no error.
func (in *input) read(off, size int64) ([]byte, error) {
	if off < 0 || off >= in.size {
		return nil, nil
	}
	b := make([]byte, min(size, in.size-off))
	n, err := in.r.ReadAt(b, off)
	if n < len(b) && err != nil && !errors.Is(err, io.EOF) {
		return b[:n], fmt.Errorf("read %d bytes at offset %#x: %w", len(b), off, err)
	}
	return b[:n], nil
}
