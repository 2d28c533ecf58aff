//go:build unix && !linux

package probe

// isZombie cannot be told here; orphans are noticed soon.
func isZombie(int) bool { return false }
