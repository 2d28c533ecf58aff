package fileio

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// ram is memory from address 0x20000000 on.
type ram []byte

const ramStart = 0x20000000

func (r ram) ReadMemory(_ context.Context, addr core.Addr, p []byte) (int, error) {
	off := int64(addr) - ramStart
	if off < 0 || off > int64(len(r)) {
		return 0, errors.New("no memory there")
	}
	n := copy(p, r[off:])
	if n < len(p) {
		return n, errors.New("the memory ends")
	}
	return n, nil
}

func (r ram) WriteMemory(_ context.Context, addr core.Addr, p []byte) error {
	off := int64(addr) - ramStart
	if off < 0 || off+int64(len(p)) > int64(len(r)) {
		return errors.New("no memory there")
	}
	copy(r[off:], p)
	return nil
}

// TestQEMU has the calls of a program that tries the semihosting functions, as
// QEMU 7.2 sends them with -semihosting-config target=gdb, but for addresses:
// SYS_WRITE0, SYS_WRITE to ":tt", SYS_OPEN, SYS_ISTTY, SYS_FLEN, SYS_SYSTEM,
// SYS_CLOSE.
func TestQEMU(t *testing.T) {
	t.Parallel()
	memory := make(ram, 0x200)
	copy(memory, "hello write0\nvia write\n/etc/passwd\x00ls\x00")
	var printed bytes.Buffer
	h := Host{Memory: memory, Console: func(text []byte) { printed.Write(text) }}
	for _, exchange := range [][2]string{
		{"Fwrite,00000002,20000000,0000000d", "Fd"},
		{"Fwrite,00000001,2000000d,0000000a", "Fa"},
		{"Fopen,20000017/c,00000000,000001a4", "F-1,d"},
		{"Fisatty,00000001", "F1"},
		{"Ffstat,00000001,20000100", "F0"},
		{"Fsystem,20000023/3", "F-1,1"},
		{"Fclose,00000001", "F0"},
	} {
		if got := h.Handle(t.Context(), exchange[0]); got != exchange[1] {
			t.Errorf("%s: %s, want %s", exchange[0], got, exchange[1])
		}
	}
	if diff := cmp.Diff("hello write0\nvia write\n", printed.String()); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
	want := "0000000000000000" + "00002180" + "00000001" + "000000000000000000000000" +
		"0000000000000000" + "0000000000000400" + "0000000000000000" + "000000000000000000000000"
	if diff := cmp.Diff(want, hex.EncodeToString(memory[0x100:0x140])); diff != "" {
		t.Errorf("struct stat (-want +got):\n%s", diff)
	}
}

func TestHandle(t *testing.T) {
	t.Parallel()
	tests := []struct {
		request, reply, printed string
	}{
		{request: "Fopen,20000000/4,0,0", reply: "F0"},
		{request: "Fopen,20000000/4,1,1a4", reply: "F1"},
		{request: "Fopen,20000000/4,x,1a4", reply: "F-1,16"},
		{request: "Fopen,20000000,1,1a4", reply: "F-1,16"},
		{request: "Fopen,10000000/4,1,1a4", reply: "F-1,e"},
		{request: "Fopen,20000000/fffff,1,1a4", reply: "F-1,16"},
		{request: "Fopen,20000000/4,1", reply: "F-1,16"},
		{request: "Fclose,3", reply: "F-1,9"},
		{request: "Fclose,-1", reply: "F-1,9"},
		{request: "Fclose,zz", reply: "F-1,16"},
		{request: "Fread,0,20000000,10", reply: "F0"},
		{request: "Fread,1,20000000,10", reply: "F-1,9"},
		{request: "Fread,7,20000000,10", reply: "F-1,9"},
		{request: "Fwrite,1,20000004,3", reply: "F3", printed: "abc"},
		{request: "Fwrite,2,20000004,0", reply: "F0"},
		{request: "Fwrite,2,20000006,9", reply: "F2", printed: "cd"}, // the memory ends
		{request: "Fwrite,2,10000000,9", reply: "F-1,e"},
		{request: "Fwrite,0,20000004,3", reply: "F-1,9"},
		{request: "Fwrite,1,20000004,-1", reply: "F-1,16"},
		{request: "Fwrite,1,-1,1", reply: "F-1,16"},
		{request: "Fwrite,1,20000004,123456789", reply: "F-1,16"},
		{request: "Flseek,1,0,0", reply: "F-1,1d"},
		{request: "Flseek,9,0,0", reply: "F-1,9"},
		{request: "Frename,20000000/4,20000000/4", reply: "F-1,d"},
		{request: "Funlink,20000000/4", reply: "F-1,d"},
		{request: "Fstat,20000000/4,20000000", reply: "F-1,d"},
		{request: "Ffstat,3,20000000", reply: "F-1,9"},
		{request: "Ffstat,1,20000000", reply: "F-1,e"}, // 64 bytes do not fit
		{request: "Ffstat,1,?", reply: "F-1,16"},
		{request: "Fgettimeofday,0,0", reply: "F0"},
		{request: "Fgettimeofday,20000000,20000000", reply: "F-1,16"},
		{request: "Fgettimeofday,10000000,0", reply: "F-1,e"},
		{request: "Fisatty,3", reply: "F0,9"},
		{request: "Fsystem,0/0", reply: "F0"}, // is there a shell?
		{request: "Fsystem,20000004/4", reply: "F-1,1"},
		{request: "Ffork", reply: "F-1,58"},
		{request: "F", reply: "F-1,16"},
		{request: "W00", reply: "F-1,16"},
		{request: "", reply: "F-1,16"},
	}
	for _, tt := range tests {
		var printed bytes.Buffer
		h := Host{Memory: ram(":tt\x00abcd"), Console: func(text []byte) { printed.Write(text) }}
		if got := h.Handle(t.Context(), tt.request); got != tt.reply || printed.String() != tt.printed {
			t.Errorf("%s: %s and %q, want %s and %q", tt.request, got, printed.String(), tt.reply, tt.printed)
		}
	}
}

func TestTimeOfDay(t *testing.T) {
	t.Parallel()
	memory := make(ram, 12)
	h := Host{Memory: memory, Now: func() time.Time { return time.Unix(0x01020304, 5_999_000) }}
	if got := h.Handle(t.Context(), "Fgettimeofday,20000000,0"); got != "F0" {
		t.Fatal(got)
	}
	if diff := cmp.Diff("01020304"+"000000000000176f", hex.EncodeToString(memory)); diff != "" {
		t.Error(diff)
	}
}

// TestInterrupt expects a call that the user interrupts to stop the target.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h := Host{Memory: ram("abcd")}
	if got := h.Handle(ctx, "Fread,0,20000000,1"); got != "F-1,4,C" {
		t.Error(got)
	}
	for request, want := range map[string]string{"Fwrite,1,20000000,4": "F4,0,C", "Fwrite,1,10000000,4": "F-1,4,C"} {
		ctx, cancel := context.WithCancel(t.Context())
		h := Host{Memory: canceling{ram("abcd"), cancel}}
		if got := h.Handle(ctx, request); got != want {
			t.Errorf("%s, interrupted on its way: %s, want %s", request, got, want)
		}
	}
}

// canceling is memory that is read while the user interrupts.
type canceling struct {
	ram
	cancel func()
}

func (c canceling) ReadMemory(ctx context.Context, addr core.Addr, p []byte) (int, error) {
	c.cancel()
	return c.ram.ReadMemory(ctx, addr, p)
}

// TestMuchOutput expects bounded memory for any count.
func TestMuchOutput(t *testing.T) {
	t.Parallel()
	printed := 0
	h := Host{Memory: make(ram, 2*MaxWrite), Console: func(text []byte) { printed += len(text) }}
	if got := h.Handle(t.Context(), "Fwrite,1,20000000,ffffffff"); got != "F10000" || printed != MaxWrite {
		t.Errorf("%s, %d bytes", got, printed)
	}
}

func FuzzHandle(f *testing.F) {
	for _, request := range []string{
		"Fwrite,1,20000000,4", "Fopen,20000000/4,0,1a4", "Ffstat,1,20000000", "Fgettimeofday,20000000,0", "Fsystem,0/0",
		"Frename,20000000/4,20000000/4", "Flseek,-1,ffffffff,2", "F,,,", "Fwrite,1,fffffff0,ffffffff",
	} {
		f.Add(request)
	}
	valid := regexp.MustCompile(`^F-?[0-9a-f]+(,[0-9a-f]+)?$`)
	f.Fuzz(func(t *testing.T, request string) {
		h := Host{Memory: make(ram, 128), Console: func([]byte) {}}
		if got := h.Handle(context.Background(), request); !valid.MatchString(got) {
			t.Errorf("%q is answered with %q", request, got)
		}
	})
}
