package dump

import (
	"strings"

	"pushmask/core"
	"pushmask/internal/cursor"
)

// Layout of struct elf_prpsinfo of 32-bit ARM, 124 bytes (Linux
// include/linux/elfcore.h with 16-bit user and group IDs).
const (
	psPidOffset  = 12
	psNameOffset = 28 // pr_fname, 16 bytes
	psNameSize   = 16
	psArgsSize   = 80 // pr_psargs follows the name
)

// processInfo is an NT_PRPSINFO note: of the process on Linux, of a task on
// NuttX.
type processInfo struct {
	pid        int32
	name, args string
}

func parseProcessInfo(n note) processInfo {
	c := cursor.New("ELF core", n.desc)
	c.Skip(psPidOffset)
	p := processInfo{pid: int32(c.U32())}
	c.Skip(psNameOffset - psPidOffset - 4)
	p.name = cString(c.Bytes(psNameSize))
	p.args = strings.TrimSpace(cString(c.Bytes(psArgsSize)))
	return p
}

// maxMappedFiles bounds the NT_FILE entries kept; Linux limits a process to
// 65530 mappings.
const maxMappedFiles = 1 << 17

// readProcess takes what the notes say of the process as a whole. The name in
// NT_PRPSINFO is that of the main thread (Linux fs/binfmt_elf.c, fill_psinfo).
func (e *elfCore) readProcess() {
	for _, n := range e.notes {
		switch n.typ {
		case ntAuxv:
			e.readAux(n)
		case ntFile:
			e.readMappedFiles(n)
		case ntGDBTDesc:
			e.d.TargetXML = cString(n.desc)
		case ntNuttXInfo:
			e.d.System = nuttxSystem(n.desc)
		}
	}
	if e.producer() == producerNuttX {
		return // its NT_PRPSINFO notes are tasks, not programs
	}
	for _, n := range e.notes {
		if n.typ == ntPRPSInfo {
			p := parseProcessInfo(n)
			e.d.Executable, e.d.Arguments = e.executablePath(p.name), p.args
			for i := range e.d.threads {
				if t := &e.d.threads[i]; t.ID == core.ThreadID(p.pid) {
					t.Name = p.name
				}
			}
			return
		}
	}
}

// readAux reads the auxiliary vector: pairs of words up to a tag 0.
func (e *elfCore) readAux(n note) {
	c := cursor.New("ELF core", n.desc)
	for {
		a := AuxEntry{c.U32(), c.U32()}
		if c.Err() != nil || a.Tag == 0 || len(e.d.Aux) >= 1024 {
			return
		}
		e.d.Aux = append(e.d.Aux, a)
	}
}

// readMappedFiles reads an NT_FILE note (Linux fs/binfmt_elf.c,
// fill_files_note): count, page size, count entries of start, end and file
// offset in pages, then as many NUL-terminated paths.
func (e *elfCore) readMappedFiles(n note) {
	c := cursor.New("ELF core", n.desc)
	count, page := c.U32(), c.U32()
	if fit := uint32(c.Len() / 12); count > fit || count > maxMappedFiles {
		e.d.warnf("the NT_FILE note promises %d files and has room for %d", count, fit)
		count = min(fit, maxMappedFiles)
	}
	files := make([]MappedFile, count)
	for i := range files {
		files[i].Start, files[i].End = core.Addr(c.U32()), core.Addr(c.U32())
		files[i].Offset = uint64(c.U32()) * uint64(page)
	}
	for i := range files {
		files[i].Path = c.CString()
	}
	e.d.MappedFiles = append(e.d.MappedFiles, files...)
}

// executablePath returns the path of the mapped file that the process name is
// of, or the name. The kernel cuts the name to 15 bytes.
func (e *elfCore) executablePath(name string) string {
	for _, f := range e.d.MappedFiles {
		base := f.Name()
		if name != "" && (base == name || len(name) == psNameSize-1 && strings.HasPrefix(base, name)) {
			return f.Path
		}
	}
	return name
}
