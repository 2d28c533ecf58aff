package dump

// producer is who wrote an ELF core.
type producer uint8

const (
	producerUnknown producer = iota
	producerLinux
	producerGDB // gdb's generate-core-file on a bare-metal target
	producerNuttX
	producerMynewt
	producerPushmask // package elfcore
)

var producerFormats = [...]string{
	"ELF core", "ELF core (Linux)", "ELF core (gdb bare metal)", "ELF core (NuttX)", "ELF core (Mynewt)",
	"ELF core (pushmask)",
}

// producer tells the writers apart by what only they write:
//   - NuttX: its info note, or a first note that is NT_PRPSINFO and not
//     named "CORE" (each task has one in front of its NT_PRSTATUS);
//   - pushmask: a note of attributes of its own;
//   - Mynewt: NT_PRSTATUS in a note named ".reg";
//   - Linux, its kernel, QEMU's user mode or gdb there: the auxiliary vector,
//     signal, mapped file or TLS notes;
//   - gdb without an operating system: none of the above, and a target
//     description, or EI_OSABI 97, which BFD sets for ARM. A gdb that was built
//     for Linux writes NT_PRPSINFO there too: it takes a target of which it
//     knows nothing else for Linux;
//   - Linux again: NT_PRPSINFO, as in a core that somebody cut down.
func (e *elfCore) producer() producer {
	if len(e.notes) > 0 && e.notes[0].typ == ntPRPSInfo && e.notes[0].name != "CORE" {
		return producerNuttX
	}
	var hosted, process bool
	gdb := e.header.osABI == elfOSABIARM
	for _, n := range e.notes {
		switch {
		case n.typ == ntNuttXInfo && n.name == "NuttX":
			return producerNuttX
		case n.name == specialOwner && n.typ == specialAttributes:
			return producerPushmask
		case n.typ == ntPRStatus && n.name == ".reg":
			return producerMynewt
		case n.typ == ntAuxv, n.typ == ntSigInfo, n.typ == ntFile, n.typ == ntARMTLS:
			hosted = true
		case n.typ == ntPRPSInfo:
			process = true
		case n.typ == ntGDBTDesc:
			gdb = true
		}
	}
	switch {
	case hosted:
		return producerLinux
	case gdb:
		return producerGDB
	case process:
		return producerLinux
	}
	return producerUnknown
}

// interpret gives the notes their meaning.
func (e *elfCore) interpret() {
	p := e.producer()
	e.d.Format = producerFormats[p]
	e.readThreads()
	e.readProcess()
	switch {
	case p == producerNuttX:
		e.interpretNuttX()
	case p == producerPushmask:
		e.dropRepeated()
	case len(e.d.threads) > 0:
		// The kernel, QEMU and gdb write the thread that stopped first.
		e.d.threads[0].Crashed = true
	}
	e.d.profile = e.decideProfile(p)
}
