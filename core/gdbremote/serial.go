package gdbremote

import (
	"errors"
	"io"
	"io/fs"
	"net"

	"go.bug.st/serial"
)

// Serial devices: Black Magic Probe is one, as are stubs in firmware behind a
// UART. Black Magic Probe takes DTR for the presence of a client and ends the
// session when it falls (gdb_if.c of its platforms: 0x04 is read then), so DTR
// is raised when the device is opened and falls when it is closed.

// openSerial opens a device at baud bits per second, 8N1.
func openSerial(name string, baud int) (net.Conn, error) {
	if baud == 0 {
		baud = defaultBaud
	}
	port, err := serial.Open(name, &serial.Mode{
		BaudRate: baud, DataBits: 8, Parity: serial.NoParity, StopBits: serial.OneStopBit,
	})
	if err != nil {
		return nil, err
	}
	_ = port.SetDTR(true) // a pseudoterminal has none
	return withDeadlines(port), nil
}

// withDeadlines makes a port, which knows no deadlines, a connection: two
// goroutines copy between the port and a pipe and end when either end does.
func withDeadlines(port io.ReadWriteCloser) net.Conn {
	ours, theirs := net.Pipe()
	go func() {
		_, _ = io.Copy(theirs, untilEmpty{port}) // its end shows in the connection
		_ = theirs.Close()
	}()
	go func() {
		_, _ = io.Copy(port, theirs)
		_ = theirs.Close()
		_ = port.Close()
	}()
	return ours
}

// untilEmpty ends a port that reads nothing: that is how a device that was
// unplugged reads.
type untilEmpty struct{ io.Reader }

func (r untilEmpty) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

// serialAdvice says what to check when a device cannot be opened. The library
// has codes of its own for some errors and passes others on.
func serialAdvice(err error) string {
	code := serial.PortErrorCode(-1)
	if e, ok := errors.AsType[*serial.PortError](err); ok {
		code = e.Code()
	}
	switch {
	case code == serial.PortNotFound, errors.Is(err, fs.ErrNotExist):
		return "there is no such serial device, check that the probe is plugged in"
	case code == serial.PermissionDenied, errors.Is(err, fs.ErrPermission):
		return "no permission to use this serial device; on Linux, add yourself to its group (dialout, uucp) or install the probe's udev rules"
	case code == serial.PortBusy:
		return "another program uses this serial device"
	case code == serial.InvalidSerialPort:
		return "this is no serial device"
	case code == serial.InvalidSpeed:
		return "the device does not take this speed"
	}
	return "the serial device cannot be opened, check its name and that the probe is plugged in"
}
