package session

// Source is a source file that the images' line tables name.
type Source struct {
	Path     string // on this machine where it was found, else as recorded
	Recorded string // as recorded in DWARF
	Found    bool   // Path exists on this machine
}

// Sources lists the source files of the images, sorted by their recorded paths.
func (p *Program) Sources() []Source {
	if p.images.Empty() {
		return nil
	}
	names := p.images.Sources()
	list := make([]Source, 0, len(names))
	for _, name := range names {
		path, found := p.files.Resolve(name)
		list = append(list, Source{Path: path, Recorded: name, Found: found})
	}
	return list
}
