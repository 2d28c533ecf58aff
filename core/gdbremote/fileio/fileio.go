// Package fileio answers the system calls that a program on the target makes
// through its stub: the packets "F..." of "Debugging with GDB", appendix
// "File-I/O Remote Protocol Extension". It is how semihosting reaches a
// debugger with QEMU (-semihosting-config target=gdb), OpenOCD ("arm
// semihosting_fileio enable") and pyOCD.
//
// What the program writes to its standard output and standard error goes to a
// callback. The files and the shell of this machine stay out of reach: every
// other call is answered with an error, or so that the program can go on.
package fileio

import (
	"context"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
	"time"

	"pushmask/core"
)

// Memory is the memory of the target, of which calls read and write buffers.
type Memory interface {
	// ReadMemory reads as many of len(p) bytes as it can.
	ReadMemory(ctx context.Context, addr core.Addr, p []byte) (int, error)
	// WriteMemory writes all of p.
	WriteMemory(ctx context.Context, addr core.Addr, p []byte) error
}

// Host answers the calls of one target.
type Host struct {
	Memory Memory
	// Console gets what the program prints; nil drops it. The slice is not
	// used again.
	Console func(text []byte)
	// Now is the time of gettimeofday, nil for the machine's clock.
	Now func() time.Time
}

// MaxWrite is how much of one write is taken, in bytes. The program is told
// how much that was, as the call allows.
const MaxWrite = 64 << 10

// The descriptors that a program has from its start.
const (
	stdin  = 0
	stdout = 1
	stderr = 2
)

// errno is an error number of the protocol ("Errno Values").
type errno int

const (
	noError errno = 0
	ePERM   errno = 1
	eINTR   errno = 4
	eBADF   errno = 9
	eACCES  errno = 13
	eFAULT  errno = 14
	eINVAL  errno = 22
	eSPIPE  errno = 29
	eNOSYS  errno = 88
)

// interrupted is the flag of a reply that has the target stop.
const interrupted = ",C"

// call is one request, taken apart.
type call struct {
	name string
	args []string
}

// handlers are the calls of the protocol ("List of Supported Calls").
var handlers = map[string]struct {
	params int
	answer func(*Host, context.Context, call) (result int64, err errno)
}{
	"open":         {3, (*Host).open},
	"close":        {1, (*Host).closeFile},
	"read":         {3, (*Host).read},
	"write":        {3, (*Host).write},
	"lseek":        {3, (*Host).seek},
	"rename":       {2, refuse},
	"unlink":       {1, refuse},
	"stat":         {2, refuse},
	"fstat":        {2, (*Host).fstat},
	"gettimeofday": {2, (*Host).timeOfDay},
	"isatty":       {1, (*Host).isTerminal},
	"system":       {1, (*Host).system},
}

// Handle answers a request, "Fwrite,1,20000000,5", with the packet that the
// target waits for, "F5". When ctx is done the answer says that the user
// interrupted, and the target stops; a call that is finished by then keeps its
// result ("The Ctrl-C Message").
func (h *Host) Handle(ctx context.Context, request string) (reply string) {
	c, ok := parse(request)
	if !ok {
		return answer(-1, eINVAL)
	}
	handler, ok := handlers[c.name]
	if !ok {
		return answer(-1, eNOSYS)
	}
	if len(c.args) != handler.params {
		return answer(-1, eINVAL)
	}
	if ctx.Err() != nil {
		return answer(-1, eINTR) + interrupted
	}
	result, err := handler.answer(h, ctx, c)
	switch {
	case ctx.Err() == nil:
		return answer(result, err)
	case err == noError:
		return answer(result, err) + ",0" + interrupted
	}
	return answer(-1, eINTR) + interrupted
}

// parse reads "F" NAME ["," PARAMETER]...
func parse(request string) (call, bool) {
	const longest = 1 << 12 // of a request
	body, ok := strings.CutPrefix(request, "F")
	if !ok || len(request) > longest {
		return call{}, false
	}
	parts := strings.Split(body, ",")
	return call{parts[0], parts[1:]}, parts[0] != ""
}

// answer writes "F" RESULT ["," ERRNO], in hexadecimal digits.
func answer(result int64, err errno) string {
	text := "F" + strconv.FormatInt(result, 16)
	if err != noError {
		text += "," + strconv.FormatInt(int64(err), 16)
	}
	return text
}

// number reads the parameter at i, of 32 bits, perhaps negative.
func (c call) number(i int) (int64, bool) {
	v, err := strconv.ParseInt(c.args[i], 16, 64)
	return v, err == nil && v >= -1<<31 && v < 1<<32
}

// file reads the parameter at i as a file descriptor.
func (c call) file(i int) (int64, errno) {
	fd, ok := c.number(i)
	switch {
	case !ok:
		return 0, eINVAL
	case fd < stdin || fd > stderr:
		return 0, eBADF
	}
	return fd, noError
}

// address reads the parameter at i as an address.
func (c call) address(i int) (core.Addr, bool) {
	v, ok := c.number(i)
	return core.Addr(v), ok && v >= 0
}

// text reads the string that the parameter at i, "ADDRESS/LENGTH", points to.
// The length has the zero byte at its end.
func (h *Host) text(ctx context.Context, c call, i int) (string, errno) {
	const longest = 1 << 10
	at, size, _ := strings.Cut(c.args[i], "/")
	addr, errA := strconv.ParseUint(at, 16, 32)
	n, errN := strconv.ParseUint(size, 16, 32)
	if errors.Join(errA, errN) != nil || n > longest {
		return "", eINVAL
	}
	p := make([]byte, n)
	if got, err := h.Memory.ReadMemory(ctx, core.Addr(addr), p); err != nil || got < len(p) {
		return "", eFAULT
	}
	text, _, _ := strings.Cut(string(p), "\x00")
	return text, noError
}

// console is the name under which semihosting opens the console (Semihosting
// for AArch32 and AArch64, SYS_OPEN).
const console = ":tt"

// open opens the console alone.
func (h *Host) open(ctx context.Context, c call) (int64, errno) {
	const accessMode = 3 // O_WRONLY 1, O_RDWR 2 ("Open Flags")
	flags, ok := c.number(1)
	if !ok {
		return -1, eINVAL
	}
	name, err := h.text(ctx, c, 0)
	switch {
	case err != noError:
		return -1, err
	case name != console:
		return -1, eACCES
	case flags&accessMode == 0:
		return stdin, noError
	}
	return stdout, noError
}

func (h *Host) closeFile(_ context.Context, c call) (int64, errno) {
	if _, err := c.file(0); err != noError {
		return -1, err
	}
	return 0, noError
}

// read finds the end of the standard input: there is none.
func (h *Host) read(_ context.Context, c call) (int64, errno) {
	fd, err := c.file(0)
	if err == noError && fd != stdin {
		err = eBADF
	}
	if err != noError {
		return -1, err
	}
	return 0, noError
}

func (h *Host) write(ctx context.Context, c call) (int64, errno) {
	fd, err := c.file(0)
	if err == noError && fd == stdin {
		err = eBADF
	}
	if err != noError {
		return -1, err
	}
	addr, okA := c.address(1)
	count, okN := c.number(2)
	if !okA || !okN || count < 0 {
		return -1, eINVAL
	}
	p := make([]byte, min(count, MaxWrite))
	n, errRead := h.Memory.ReadMemory(ctx, addr, p)
	n = max(0, min(n, len(p)))
	if n == 0 && len(p) > 0 || errRead != nil && ctx.Err() != nil {
		return -1, eFAULT
	}
	if n > 0 && h.Console != nil {
		h.Console(p[:n])
	}
	return int64(n), noError
}

func (h *Host) seek(_ context.Context, c call) (int64, errno) {
	if _, err := c.file(0); err != noError {
		return -1, err
	}
	return -1, eSPIPE
}

// refuse answers calls about files.
func refuse(*Host, context.Context, call) (int64, errno) { return -1, eACCES }

// The mode of the console (S_IFCHR, S_IRUSR, S_IWUSR).
const consoleMode = 0o020600

// fstat describes the console, a character device ("struct stat": big-endian,
// 64 bytes, st_mode at 8, st_nlink at 12, st_blksize at 36).
func (h *Host) fstat(ctx context.Context, c call) (int64, errno) {
	if _, err := c.file(0); err != noError {
		return -1, err
	}
	addr, ok := c.address(1)
	if !ok {
		return -1, eINVAL
	}
	const blockSize = 1024
	p := make([]byte, 64)
	binary.BigEndian.PutUint32(p[8:], consoleMode)
	binary.BigEndian.PutUint32(p[12:], 1)
	binary.BigEndian.PutUint64(p[36:], blockSize)
	return h.store(ctx, addr, p)
}

// timeOfDay stores the time ("struct timeval": big-endian, 4 bytes of seconds,
// 8 of microseconds). There is no time zone.
func (h *Host) timeOfDay(ctx context.Context, c call) (int64, errno) {
	addr, okT := c.address(0)
	zone, okZ := c.address(1)
	if !okT || !okZ || zone != 0 {
		return -1, eINVAL
	}
	if addr == 0 {
		return 0, noError
	}
	now := time.Now
	if h.Now != nil {
		now = h.Now
	}
	t := now()
	p := make([]byte, 12)
	binary.BigEndian.PutUint32(p, uint32(t.Unix()))
	binary.BigEndian.PutUint64(p[4:], uint64(t.Nanosecond()/int(time.Microsecond)))
	return h.store(ctx, addr, p)
}

// store writes a result to the target.
func (h *Host) store(ctx context.Context, addr core.Addr, p []byte) (int64, errno) {
	if h.Memory.WriteMemory(ctx, addr, p) != nil {
		return -1, eFAULT
	}
	return 0, noError
}

func (h *Host) isTerminal(_ context.Context, c call) (int64, errno) {
	if _, err := c.file(0); err != noError {
		return 0, err
	}
	return 1, noError
}

// system says that there is no shell, or refuses, as gdb does unless it is told
// otherwise ("set remote system-call-allowed").
func (h *Host) system(_ context.Context, c call) (int64, errno) {
	if _, size, _ := strings.Cut(c.args[0], "/"); strings.Trim(size, "0") == "" {
		return 0, noError
	}
	return -1, ePERM
}
