package session

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"pushmask/core"
	"pushmask/core/svd"
)

// description is the device description of a program. It is read when it is
// asked for, once. It is safe for concurrent use.
type description struct {
	path string
	once sync.Once

	mu     sync.Mutex
	device *svd.Device // nil before it was read, and where it cannot be
	note   string
}

// newDescription returns the description in the file that cfg names, nil where it
// names none.
func newDescription(cfg *Config) *description {
	if cfg.SVD == "" {
		return nil
	}
	return &description{path: cfg.abs(cfg.SVD)}
}

// read returns the device, nil where there is none.
func (d *description) read() *svd.Device {
	if d == nil {
		return nil
	}
	d.once.Do(func() {
		device, err := parseDescription(d.path)
		d.mu.Lock()
		defer d.mu.Unlock()
		d.device, d.note = device, descriptionNote(filepath.Base(d.path), device, err)
	})
	return d.device
}

func parseDescription(path string) (*svd.Device, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return svd.Parse(f)
}

// descriptionNote is what is wrong with a description, "" for nothing.
func descriptionNote(name string, device *svd.Device, err error) string {
	if err != nil {
		return fmt.Sprintf("%s cannot be used, peripherals are not shown: %v", name, err)
	}
	n := len(device.Problems) + device.MoreProblems
	switch n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s: 1 problem in the description was left out or put right: %v", name, device.Problems[0])
	}
	return fmt.Sprintf("%s: %d problems in the description were left out or put right, the first: %v", name, n, device.Problems[0])
}

// HasDescription reports whether a device description was given, read or not.
func (p *Program) HasDescription() bool { return p.description != nil }

// DescriptionNote says in a line what is wrong with the device description: ""
// for nothing, and as long as nobody has needed it.
func (p *Program) DescriptionNote() string {
	if p.description == nil {
		return ""
	}
	p.description.mu.Lock()
	defer p.description.mu.Unlock()
	return p.description.note
}

// Where peripherals are in the default address map of M-profile: Peripheral, and
// from the private peripheral bus on the system region (Armv7-M ARM B3.1, table
// B3-1).
const (
	peripheralRegion    = 0x40000000
	peripheralRegionEnd = 0x60000000
	privateRegion       = 0xe0000000
)

// deviceText names the register or peripheral at an address outside of the
// image: "GPIOA.ODR"; "" where there is none. The description is not read for
// addresses at which an M-profile core has memory.
func (p *Program) deviceText(a core.Addr) string {
	if p.description == nil || !p.images.Empty() && p.contentAt(a) != contentForeign {
		return ""
	}
	device := a >= peripheralRegion && a < peripheralRegionEnd || a >= privateRegion
	if !p.images.Empty() && p.images.MProfile() && !device {
		return ""
	}
	if d := p.description.read(); d != nil {
		return d.Symbol(a)
	}
	return ""
}
