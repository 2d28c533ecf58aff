package session

// sourceFiles finds recorded source files on this machine.
type sourceFiles struct{}

func newSourceFiles(*Config) *sourceFiles { return &sourceFiles{} }

func (f *sourceFiles) resolve(recorded string) (path string, found bool) { return recorded, false }
