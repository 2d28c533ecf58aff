package session

import "pushmask/core"

// quieter is a live target that knows where a read changes nothing.
type quieter interface {
	Quiet(a core.Addr) bool
}

// quietMemory is memory without the addresses at which a read may change
// something: for what looks at an address because a register or a damaged stack
// happens to have it.
type quietMemory struct {
	core.Memory
	target quieter
}

// ReadAt implements core.Memory.
func (m quietMemory) ReadAt(a core.Addr, p []byte) (int, error) {
	const step = 256 // no range of quiet addresses begins or ends in between
	for at := uint64(a); at < uint64(a)+uint64(len(p)) && at < 1<<32; at = at/step*step + step {
		if m.target.Quiet(core.Addr(at)) {
			continue
		}
		n := int(at - uint64(a))
		if n > 0 {
			if got, err := m.Memory.ReadAt(a, p[:n]); err != nil {
				return got, err
			}
		}
		return n, &core.DeviceError{Addr: core.Addr(at)}
	}
	return m.Memory.ReadAt(a, p)
}

// quiet returns what of a memory of the target can be read without the risk that
// a read changes something: all of it for a dump.
func (s *Session) quiet(m core.Memory) core.Memory {
	if q, ok := s.target.(quieter); ok {
		return quietMemory{m, q}
	}
	return m
}

// Readable reports whether memory at an address can be read without the risk that
// the read changes something.
func (s *Session) Readable(a core.Addr) bool {
	n, _ := s.quiet(s.memory).ReadAt(a, make([]byte, 1))
	return n == 1
}
