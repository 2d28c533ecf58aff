// Package loadfile reads what is loaded into a target: ELF files, Intel HEX,
// S-records, and plain bytes with an address. It knows nothing of targets. A file
// that is damaged is refused: half a program is worse than none.
package loadfile

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"

	"pushmask/core"
	"pushmask/core/dump/hexfile"
)

// ErrNoAddress is what errors.Is finds for plain bytes without an address.
var ErrNoAddress = errors.New("the file does not say where it belongs: it is no ELF, Intel HEX or S-record file, and no address was given")

// maxSize is the longest file that is read, bytes: no flash of a
// microcontroller is as large, and hexadecimal text is not three times the size.
const maxSize = 256 << 20

// Part is memory that a file holds.
type Part struct {
	Addr core.Addr
	Data []byte
}

// Program is what a file holds.
type Program struct {
	Parts []Part
	// Entry is where it begins to run, with the Thumb bit: e_entry of an ELF
	// file. It is nil for other files, and where it is in none of the parts.
	Entry *uint32
}

// Read reads the file at path. Plain bytes lie at base, which nil leaves open.
func Read(path string, base *core.Addr) (Program, error) {
	f, err := os.Open(path)
	if err != nil {
		return Program{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	switch {
	case err != nil:
		return Program{}, err
	case len(data) > maxSize:
		return Program{}, fmt.Errorf("read %s: it is longer than %d bytes", path, maxSize)
	}
	program, err := parse(data, base)
	if err != nil {
		return Program{}, fmt.Errorf("read %s: %w", path, err)
	}
	return program, nil
}

func parse(data []byte, base *core.Addr) (Program, error) {
	if len(data) >= len(elf.ELFMAG) && string(data[:len(elf.ELFMAG)]) == elf.ELFMAG {
		return parseELF(data)
	}
	parts, err := parseBytes(data, base)
	return Program{Parts: parts}, err
}

func parseBytes(data []byte, base *core.Addr) ([]Part, error) {
	switch {
	case hexfile.Is(data):
		return parseHex(data)
	case base == nil:
		return nil, ErrNoAddress
	case uint64(*base)+uint64(len(data)) > 1<<32:
		return nil, fmt.Errorf("%d bytes from %v on are outside of the 32-bit address space", len(data), *base)
	}
	return []Part{{*base, data}}, nil
}

func parseHex(data []byte) ([]Part, error) {
	list, err := hexfile.Read(data)
	if err != nil {
		return nil, err
	}
	var parts []Part
	for _, c := range list {
		if len(c.Warnings) > 0 {
			return nil, errors.New(c.Warnings[0])
		}
		for _, p := range c.Memory {
			parts = append(parts, Part(p))
		}
	}
	return parts, nil
}
