package session

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"pushmask/core/inspect"
	"pushmask/core/svd"
)

// device returns what finds the registers that expressions name, nil without a
// description. Registers are read and written as the scope of peripherals does it.
func (s *Session) device(ctx context.Context) func(path string) (inspect.DeviceRegister, bool) {
	if !s.program.HasDescription() {
		return nil
	}
	return func(path string) (inspect.DeviceRegister, bool) {
		d := s.program.description.read()
		if d == nil {
			return inspect.DeviceRegister{}, false
		}
		it, ok := d.Find(path)
		if !ok || it.Register == nil {
			return inspect.DeviceRegister{}, false
		}
		r := it.Register
		out := inspect.DeviceRegister{
			Addr: r.Addr, Bytes: uint32(r.Bytes()), Field: it.Field != nil,
			Read: func() (uint64, error) { return s.deviceValue(ctx, d, r, it.Field) },
		}
		if _, live := s.target.(accessor); live {
			x := PeripheralItem{peripheral: it.Peripheral, cluster: r.Cluster, register: r, field: it.Field}
			out.Write = func(v uint64) error {
				_, err := s.SetPeripheral(ctx, x, strconv.FormatUint(v, 10))
				return err
			}
		}
		return out, true
	}
}

// deviceValue reads a register, or a field of it, unless that may change something.
func (s *Session) deviceValue(ctx context.Context, d *svd.Device, r *svd.Register, f *svd.Field) (uint64, error) {
	held := s.content(ctx, d, r)
	switch {
	case held.err != nil:
		return 0, held.err
	case !held.Known:
		return 0, errors.New(held.text(r))
	case f == nil:
		return held.Value, nil
	case !f.Access.Readable():
		return 0, fmt.Errorf("%s is %v", f.Name, f.Access)
	}
	return held.Value & f.Mask() >> f.LSB, nil
}
