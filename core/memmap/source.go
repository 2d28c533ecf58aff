package memmap

import (
	"io"

	"pushmask/core"
)

// readerSource shows r as memory: the byte at offset off is that at addr.
type readerSource struct {
	addr core.Addr
	r    io.ReaderAt
	off  int64
}

// ReadAt implements [core.Memory] for addresses inside the source's region.
func (s readerSource) ReadAt(addr core.Addr, p []byte) (int, error) {
	return s.r.ReadAt(p, s.off+int64(addr-s.addr))
}
