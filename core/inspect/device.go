package inspect

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/elfsym/types"
)

// DeviceRegister is a register of a device, or a field of one, that an expression
// names.
type DeviceRegister struct {
	Addr  core.Addr
	Bytes uint32 // of the register: 1, 2, 4 or 8
	// Field says that it is a field, which has no address of its own.
	Field bool
	Read  func() (uint64, error)
	// Write changes it; nil in dumps.
	Write func(uint64) error
}

// deviceTypes are the types of registers by their sizes in bytes.
var deviceTypes = map[uint32]*Type{
	1: base("uint8_t", types.Unsigned, 1), 2: base("uint16_t", types.Unsigned, 2),
	4: base("uint32_t", types.Unsigned, 4), 8: base("uint64_t", types.Unsigned, 8),
}

// devicePathShape is what paths of registers look like where they are expressions:
// "TIM1.CCR[2]", "DMA.CH[A].CTRL".
var devicePathShape = regexp.MustCompile(`^[A-Za-z_]\w*(?:\[\w+\])?(?:\.[A-Za-z_]\w*(?:\[\w+\])?)+$`)

// IsDevicePath reports whether the path of a register can be written as an
// expression.
func IsDevicePath(path string) bool { return devicePathShape.MatchString(path) }

// devicePath returns the path that members and indices of a name make.
func devicePath(n node) (path string, root *nameNode) {
	switch n := n.(type) {
	case *nameNode:
		if len(n.scopes) == 0 {
			return n.name, n
		}
	case *memberNode:
		if path, root = devicePath(n.x); root != nil && !n.arrow {
			return path + "." + n.name, root
		}
	case *binaryNode:
		path, root = devicePath(n.x)
		if index, ok := deviceIndex(n.y); ok && n.op == "[" && root != nil {
			return path + "[" + index + "]", root
		}
	}
	return "", nil
}

// deviceIndex returns an index as paths have it: a decimal number or a name.
func deviceIndex(n node) (string, bool) {
	switch n := n.(type) {
	case *nameNode:
		return n.name, len(n.scopes) == 0
	case *numberNode:
		v, err := strconv.ParseUint(n.text, 0, 32)
		return strconv.FormatUint(v, 10), err == nil && !n.char
	}
	return "", false
}

// orRegister returns a value, or the register of the device that n means where it
// means nothing in the program.
func (e *evaluation) orRegister(n node, v *Value, err error) (*Value, error) {
	if err == nil || e.frame.Device == nil {
		return v, err
	}
	path, root := devicePath(n)
	if root == nil || !strings.Contains(path, ".") {
		return nil, err
	}
	if _, unknown := e.name(root); unknown == nil {
		return nil, err
	}
	r, ok := e.frame.Device(path)
	if !ok {
		return nil, err
	}
	return &Value{Type: deviceTypes[r.Bytes], ctx: e.context, device: &r}, nil
}

// content reads the register.
func (r *DeviceRegister) content(off, n uint32) content {
	v, err := r.Read()
	if err != nil {
		return content{err: err}
	}
	b := littleBytes(v, r.Bytes)
	off = min(off, r.Bytes)
	return content{data: b[off:min(off+min(n, r.Bytes), r.Bytes)]}
}

// set writes the register.
func (r *DeviceRegister) set(b []byte) error {
	if r.Write == nil {
		return ErrReadOnly
	}
	return r.Write(little(b))
}

// addressOf is the operator & on the register.
func (r *DeviceRegister) addressOf(c *context) (*Value, error) {
	if r.Field {
		return nil, errors.New("a field of a register has no address")
	}
	return c.pointer(deviceTypes[r.Bytes], uint32(r.Addr)), nil
}
