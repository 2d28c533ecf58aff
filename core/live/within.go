package live

import "context"

// Within has reads of memory fail when ctx ends, until the function that it
// returns is called: who reads memory hands no context on. The exchange that is
// under way is not cut off, which would end the connection. Calls do not nest.
func (m *Machine) Within(ctx context.Context) (release func()) {
	m.memory.within.Store(&ctx)
	return func() { m.memory.within.Store(nil) }
}

// ended is the error of the context that reads are within.
func (c *cache) ended() error {
	if ctx := c.within.Load(); ctx != nil {
		return (*ctx).Err()
	}
	return nil
}
