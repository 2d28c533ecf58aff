package dump

import (
	"fmt"
	"math"
)

// openRaw opens memory without any format, of which the user says where it
// lies. It is read from the file as it is needed.
func openRaw(in *input, opt *Options) (*Dump, error) {
	if left := 1<<32 - int64(opt.Base); in.size > left {
		return nil, fmt.Errorf("%d bytes at %v pass the top of the address space: %w", in.size, opt.Base, ErrUnsupported)
	}
	d := &Dump{Format: "raw memory"}
	d.mem.AddReader(opt.Base, uint64(min(in.size, math.MaxUint32)), in.r, 0)
	d.finish()
	return d, nil
}
