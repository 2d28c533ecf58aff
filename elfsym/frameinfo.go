package elfsym

import (
	"debug/elf"
	"fmt"
	"io"
	"sync"

	"pushmask/elfsym/cfi"
	"pushmask/elfsym/exidx"
)

// Types that the Arm ABI assigns to exception index tables (AAELF32, "Section
// types" and "Program header").
const (
	shtARMExidx = 0x70000001
	ptARMExidx  = 0x70000001
)

// frameInfo holds the tables that describe frames, read at first use.
type frameInfo struct {
	cfi   func() (*cfi.Table, error)
	exidx func() (*exidx.Table, error)
}

func newFrameInfo(m *Image) frameInfo {
	return frameInfo{
		cfi: sync.OnceValues(func() (*cfi.Table, error) {
			t, err := m.readCFI()
			m.report(err)
			return t, err
		}),
		exidx: sync.OnceValues(func() (*exidx.Table, error) {
			t, err := m.readEXIDX()
			m.report(err)
			return t, err
		}),
	}
}

// CFI returns the call frame information of .debug_frame and .eh_frame. The
// table is nil, which it is valid to look up in, where the image has none or
// must not use it ([Options].NoDebug). Where a part is damaged there is both
// an error, the same at each call, and a table with the rest.
func (m *Image) CFI() (*cfi.Table, error) { return m.frames.cfi() }

// EXIDX returns the exception index table of the Arm EHABI. The table is nil,
// which it is valid to look up in, where the image has none or must not use it
// ([Options].NoDebug). Entries in .ARM.extab are read from the segments.
func (m *Image) EXIDX() (*exidx.Table, error) { return m.frames.exidx() }

func (m *Image) readCFI() (*cfi.Table, error) {
	if m.opt.NoDebug {
		return nil, nil
	}
	var (
		sections   []cfi.Section
		text, data uint32
		unread     error
	)
	for _, s := range m.file.Sections {
		switch s.Name {
		case ".text":
			text = uint32(s.Addr)
		case ".got":
			data = uint32(s.Addr)
		case ".debug_frame", ".zdebug_frame", ".eh_frame":
			if s.Type == elf.SHT_NOBITS || s.Size == 0 {
				continue
			}
			b, err := sectionData(s)
			if err != nil {
				unread = err
				continue
			}
			sections = append(sections, cfi.Section{Name: s.Name, Data: b, Addr: uint32(s.Addr), EH: s.Name == ".eh_frame"})
		}
	}
	if len(sections) == 0 {
		return nil, unread
	}
	for i := range sections {
		sections[i].TextBase, sections[i].DataBase, sections[i].Bias = text, data, m.opt.Bias
	}
	t, err := cfi.Parse(sections...)
	if err == nil {
		err = unread
	}
	return t, err
}

// readEXIDX finds the index by its section or, in files without section
// headers, by its segment.
func (m *Image) readEXIDX() (*exidx.Table, error) {
	if m.opt.NoDebug {
		return nil, nil
	}
	addr, data, err := m.exidxData()
	if err != nil || len(data) == 0 {
		return nil, err
	}
	return exidx.Parse(data, addr, func(addr uint32, n int) ([]byte, error) {
		b := make([]byte, n)
		_, err := m.ReadAt(addr, b)
		return b, err
	})
}

func (m *Image) exidxData() (addr uint32, data []byte, err error) {
	for _, s := range m.file.Sections {
		if s.Type == shtARMExidx {
			data, err = sectionData(s)
			return uint32(s.Addr), data, err
		}
	}
	for _, p := range m.file.Progs {
		if p.Type != ptARMExidx {
			continue
		}
		if p.Filesz > maxSectionSize {
			return 0, nil, fmt.Errorf("read exception index: %w: %d bytes", ErrMalformed, p.Filesz)
		}
		data, err = io.ReadAll(io.LimitReader(p.Open(), int64(p.Filesz)))
		if err == nil && uint64(len(data)) < p.Filesz {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return 0, nil, fmt.Errorf("read exception index: after %d of %d bytes: %w", len(data), p.Filesz, err)
		}
		return uint32(p.Vaddr), data, nil
	}
	return 0, nil, nil
}
