package serve

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
)

// Errors of vFile (E.7.4, File-I/O errno values).
const (
	fileNotFound = 2
	fileInvalid  = 22
)

// fileDescriptor is the only one there is: that of the ELF, however often it is
// open (gdb opens it twice).
const fileDescriptor = 3

// fileRequest answers vFile (E.6, Host I/O Packets) for one file, the ELF that
// qXfer:exec-file names, to read: a gdb that was started without a program gets
// it from there.
func (c *client) fileRequest(args string) string {
	verb, rest, _ := strings.Cut(args, ":")
	part := strings.Split(rest, ",")
	switch verb {
	case "setfs":
		return "F0"
	case "open":
		return c.openFile(part)
	case "close":
		if !c.isOpen(part) {
			return fileError(fileInvalid)
		}
		c.opened--
		return "F0"
	case "pread":
		return c.readFile(part)
	case "fstat":
		return c.statFile(part)
	}
	return ""
}

func fileError(code int) string { return fmt.Sprintf("F-1,%x", code) }

func (c *client) isOpen(part []string) bool {
	fd, ok := parseHex(part[0])
	return ok && fd == fileDescriptor && c.opened > 0
}

func (c *client) openFile(part []string) string {
	path, err := hex.DecodeString(part[0])
	if err != nil || len(part) != 3 || string(path) != c.stub.path || c.stub.path == "" {
		return fileError(fileNotFound)
	}
	c.opened++
	return fmt.Sprintf("F%x", fileDescriptor)
}

// readFile answers pread: descriptor, count, offset.
func (c *client) readFile(part []string) string {
	if len(part) != 3 || !c.isOpen(part) {
		return fileError(fileInvalid)
	}
	count, ok := parseHex(part[1])
	offset, okOffset := parseHex(part[2])
	if !ok || !okOffset {
		return fileError(fileInvalid)
	}
	f, err := os.Open(c.stub.path)
	if err != nil {
		return fileError(fileNotFound)
	}
	defer f.Close()
	data := make([]byte, min(count, maxData))
	n, err := f.ReadAt(data, int64(offset))
	if err != nil && err != io.EOF {
		return fileError(fileInvalid)
	}
	return fmt.Sprintf("F%x;%s", n, data[:n])
}

// statFile answers fstat with struct stat (E.7.6.5): big-endian, most of it of
// no meaning to a debugger.
func (c *client) statFile(part []string) string {
	const (
		size       = 64
		modeOffset = 8
		sizeOffset = 28
		timeOffset = 52                // atime, mtime, ctime
		mode       = 0o100000 | 0o0444 // S_IFREG, readable
	)
	info, err := os.Stat(c.stub.path)
	if !c.isOpen(part) || err != nil {
		return fileError(fileInvalid)
	}
	b := make([]byte, size)
	binary.BigEndian.PutUint32(b[modeOffset:], mode)
	binary.BigEndian.PutUint64(b[sizeOffset:], uint64(info.Size()))
	for i := range 3 {
		binary.BigEndian.PutUint32(b[timeOffset+4*i:], uint32(info.ModTime().Unix()))
	}
	return fmt.Sprintf("F%x;%s", size, b)
}
