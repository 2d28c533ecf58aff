package dap

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-dap"

	"pushmask/dap/dapclient"
)

// scopeNamed returns the reference of a scope of a frame, 0 where it has none.
func scopeNamed(t *testing.T, c *dapclient.Client, frame int, name string) int {
	t.Helper()
	for _, s := range must(c.Scopes(frame))(t) {
		if s.Name == name {
			return s.VariablesReference
		}
	}
	return 0
}

// tree lists everything below a container, "UART0.STATE.TXBF" and so on.
func tree(t *testing.T, c *dapclient.Client, ref int, prefix string) map[string]dap.Variable {
	t.Helper()
	all := map[string]dap.Variable{}
	for _, v := range must(c.Variables(ref, 0, 0))(t) {
		all[prefix+v.Name] = v
		if v.VariablesReference != 0 {
			maps.Copy(all, tree(t, c, v.VariablesReference, prefix+v.Name+"."))
		}
	}
	return all
}

// checkValues compares the values of variables by their paths.
func checkValues(t *testing.T, all map[string]dap.Variable, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for name := range want {
		got[name] = all[name].Value
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values differ (-want +got):\n%s", diff)
	}
}

// openWithSVD opens the demo's crash with a description of peripherals and the
// UART's registers from STATE on.
func openWithSVD(t *testing.T, svd string) *dapclient.Client {
	t.Helper()
	dir := t.TempDir()
	var uart []byte
	for _, word := range []uint32{5, 0, 0, 0x1234} {
		uart = binary.LittleEndian.AppendUint32(uart, word)
	}
	part := filepath.Join(dir, "uart.bin")
	if err := os.WriteFile(part, uart, 0o600); err != nil {
		t.Fatal(err)
	}
	c := startAdapter(t, nil)
	must(c.Initialize())(t)
	if err := c.Launch(map[string]any{
		"executable": demoImage(t), "coreFile": demoCore(t), "cwd": dir, "svdPath": svd,
		"with": []string{"uart.bin@0x40004004"},
	}); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestDumpPeripherals shows the registers that a dump holds, and why the others
// are not there.
func TestDumpPeripherals(t *testing.T) {
	t.Parallel()
	c := openWithSVD(t, liveFile(t, "mps2.svd"))
	frames := must(c.StackTrace(1, 0, 0))(t).StackFrames
	if ref := scopeNamed(t, c, frames[1].Id, "Peripherals"); ref != 0 {
		t.Error("a caller has a scope of peripherals")
	}
	ref := scopeNamed(t, c, frames[0].Id, "Peripherals")
	all := tree(t, c, ref, "")
	checkValues(t, all, map[string]string{
		"UART0":                 "0x40004000 APB UART",
		"UART0.DATA":            "not read: reading it has a side effect",
		"UART0.STATE":           "0x00000005",
		"UART0.STATE.TXBF":      "1",
		"UART0.STATE.TXOV":      "1",
		"UART0.INTCLEAR":        "write-only",
		"UART0.BAUDDIV.DIV":     "0x01234",
		"TIMER0.CTRL":           "not in the dump",
		"TIMER0.CTRL.EN":        "not in the dump",
		"SysTick.CTRL":          "not read: reading it has a side effect",
		"SysTick.CTRL.ENABLE":   "not read: reading it has a side effect",
		"NVIC.LINE":             "",
		"NVIC.LINE.ISER.TIMER0": "not in the dump",
		"NVIC.IPR[0..3]":        "0xe000e400",
		"NVIC.IPR[0..3].[3]":    "not in the dump",
	})
	state := all["UART0.STATE"]
	if state.EvaluateName != "UART0.STATE" || state.MemoryReference != "0x40004004" || state.Type != "32 bits, read-write" {
		t.Errorf("STATE is %+v", state)
	}
	if got := must(c.Evaluate(state.EvaluateName, frames[0].Id, "watch"))(t).Result; got != "5 (0x5)" {
		t.Errorf("%s is %s", state.EvaluateName, got)
	}
	for _, name := range []string{"UART0.DATA", "UART0.INTCLEAR", "SysTick.CTRL"} {
		if v := all[name]; v.EvaluateName != "" || v.MemoryReference != "" {
			t.Errorf("%s is offered for reading: %+v", name, v)
		}
	}
	for expr, want := range map[string]string{
		"*(unsigned int *)0x40004004": "5 (0x5)", "UART0.STATE.TXOV": "1 (0x1)", "UART0.BAUDDIV.DIV,x": "0x1234", "UART0.STATE + 1": "6 (0x6)",
		"&UART0.STATE": "0x40004004 <UART0.STATE>", "UART0.DATA": "<not read: reading it has a side effect>", "NVIC.IPR[1]": "<not in the dump: 0xe000e401>",
		"sizeof(NVIC.IPR1)": "1", "UART0.INTCLEAR": "<write-only>",
	} {
		if got := must(c.Evaluate(expr, frames[0].Id, "watch"))(t).Result; got != want {
			t.Errorf("%s is %s, want %s", expr, got, want)
		}
	}
	array := all["NVIC.IPR[0..3]"]
	if array.IndexedVariables != 4 || array.NamedVariables != 0 || array.Type != "4 registers, read-write" {
		t.Errorf("array %+v", array)
	}
	page := must(c.Variables(array.VariablesReference, 1, 2))(t)
	if len(page) != 2 || page[0].Name != "[1]" || page[1].Name != "[2]" || page[1].EvaluateName != "" && page[1].EvaluateName != "NVIC.IPR[2]" {
		t.Errorf("page %+v", page)
	}
	wantError(t, second(c.SetVariable(all["UART0"].VariablesReference, "BAUDDIV", "32")), errReadOnly)
}

// TestNoDescription opens crashes although there is no description to be had.
func TestNoDescription(t *testing.T) {
	t.Parallel()
	t.Run("name of a device", func(t *testing.T) {
		t.Parallel()
		c := openWithSVD(t, "STM32F407")
		frame := must(c.StackTrace(1, 0, 1))(t).StackFrames[0].Id
		if scopeNamed(t, c, frame, "Peripherals") != 0 {
			t.Error("there are peripherals")
		}
		s := liveSession{Client: c, t: t}
		if got := s.printed(); !strings.Contains(got, "STM32F407: peripherals are not shown") {
			t.Errorf("printed %s", got)
		}
	})
	t.Run("no description", func(t *testing.T) {
		t.Parallel()
		c := openWithSVD(t, demoImage(t))
		frame := must(c.StackTrace(1, 0, 1))(t).StackFrames[0].Id
		list := must(c.Variables(scopeNamed(t, c, frame, "Peripherals"), 0, 0))(t)
		if len(list) != 1 || !strings.Contains(list[0].Value, "fw.elf cannot be used") {
			t.Errorf("peripherals %+v", list)
		}
	})
	t.Run("problems", func(t *testing.T) {
		t.Parallel()
		broken := must(filepath.Abs(filepath.Join("..", "core", "svd", "testdata", "broken.svd")))(t)
		c := openWithSVD(t, broken)
		frame := must(c.StackTrace(1, 0, 1))(t).StackFrames[0].Id
		for range 2 {
			must(c.Variables(scopeNamed(t, c, frame, "Peripherals"), 0, 0))(t)
		}
		s := liveSession{Client: c, t: t}
		if got := s.printed(); strings.Count(got, "problems in the description") != 1 {
			t.Errorf("printed %s", got)
		}
	})
}

// TestForbiddenRegisters opens all peripherals of a live target and checks every
// packet: none touches a register whose reads have effects or that is
// write-only, and each read is one access of one register's width.
func TestForbiddenRegisters(t *testing.T) {
	t.Parallel()
	pointers := strings.Repeat("00400040", 12) + "10e000e0" // r0 to r11 are UART0, r12 is SysTick
	s, stub := startStub(t, &fakeStub{low: pointers}, map[string]any{"svdFile": liveFile(t, "mps2.svd")})
	frame := s.top().Id
	if r0 := byName(t, must(s.Variables(s.scope(frame, "Registers"), 0, 0))(t), "r0"); r0.Value != "0x40004000 <UART0.DATA>" {
		t.Errorf("r0 is %s", r0.Value)
	}
	for _, scope := range must(s.Scopes(frame))(t) {
		if scope.Name != "Peripherals" {
			must(s.Variables(scope.VariablesReference, 0, 0))(t)
		}
	}
	must(s.ExceptionInfo(s.thread()))(t)
	all := tree(t, s.Client, s.scope(frame, "Peripherals"), "")
	wantError(t, second(s.SetVariable(all["SysTick.CTRL"].VariablesReference, "ENABLE", "1")), errReadOnly)
	var asked []string
	stub.change(func(f *fakeStub) { asked = f.asked })
	reads := map[string]int{}
	for _, packet := range asked {
		var addr, size uint32
		if n, _ := fmt.Sscanf(packet, "m%x,%x", &addr, &size); n == 2 && addr >= 0x40000000 && addr>>8 != 0xe000ed && addr>>8 != 0xe000ef { // but fault registers
			reads[packet]++
		}
		for _, forbidden := range []uint32{0x40004000, 0x4000400c, 0xe000e010} {
			if n, _ := fmt.Sscanf(packet[1:], "%x,%x", &addr, &size); n == 2 && addr < forbidden+4 && forbidden < addr+size {
				t.Errorf("%s touches the register at 0x%x", packet, forbidden)
			}
		}
	}
	want := map[string]int{ // a register with fields is read when it is listed and when it is opened
		"m40000000,4": 2, "m40000004,4": 1, "m40000008,4": 1, "m40004004,4": 2, "m40004010,4": 2, "me000e014,4": 1,
		"me000e100,4": 2, "me000e400,1": 1, "me000e401,1": 1, "me000e402,1": 1, "me000e403,1": 1,
	}
	if diff := cmp.Diff(want, reads); diff != "" {
		t.Errorf("reads differ (-want +got):\n%s", diff)
	}
}

// TestLivePeripherals reads and writes registers of QEMU's devices.
func TestLivePeripherals(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.config["svdFile"] = "mps2.svd"
	s.config["cwd"] = liveFile(t)
	s.attach(nil)
	ref := s.scope(s.top().Id, "Peripherals")
	all := tree(t, s.Client, ref, "")
	checkValues(t, all, map[string]string{
		"TIMER0.CTRL.EN": "0 (STOPPED)", "TIMER0.RELOAD": "0x00000000", "NVIC.LINE.ISER.TIMER0": "0",
		"UART0.DATA": "not read: reading it has a side effect", "UART0.BAUDDIV.DIV": "0x00000",
	})
	container := func(path string) (int, string) {
		parent, name, _ := cutLast(path)
		return all[parent].VariablesReference, name
	}
	for _, x := range []struct{ path, value, want string }{
		{"TIMER0.RELOAD", "0x12345678", "0x12345678"},
		{"TIMER0.CTRL.IRQEN", "1", "1"},
		{"TIMER0.CTRL.EN", "COUNTING", "1 (COUNTING)"},
		{"TIMER0.CTRL.EN", "0 (STOPPED)", "0 (STOPPED)"},
		{"NVIC.IPR[0..3].[2]", "0xe0", "0x00"}, // QEMU drops what is written to the core's own registers
		{"UART0.BAUDDIV.DIV", "0x20", "0x00020"},
		{"UART0.INTCLEAR", "3", "write-only"},
		{"NVIC.IPR[1]", "0xe0", "0x00"}, // by its full name
	} {
		in, name := container(x.path)
		if got := must(s.SetVariable(in, name, x.value))(t); got != x.want {
			t.Errorf("%s = %s shows %s, want %s", x.path, x.value, got, x.want)
		}
	}
	checkValues(t, tree(t, s.Client, ref, ""), map[string]string{
		"TIMER0.CTRL": "0x00000008", "UART0.BAUDDIV": "0x00000020",
	})
	for name, want := range map[string]string{"RELOAD": "0x40000008+4 TIMER0.RELOAD", "CTRL": "0x40000000+4 TIMER0.CTRL"} {
		if info := must(s.DataBreakpointInfo(name, all["TIMER0"].VariablesReference))(t); info.DataId != want {
			t.Errorf("data breakpoint of %s: %+v", name, info)
		}
	}
	if info := must(s.DataBreakpointInfo("[1]", all["NVIC.IPR[0..3]"].VariablesReference))(t); info.DataId != "0xe000e401+1 NVIC.IPR[1]" {
		t.Errorf("data breakpoint of an element: %+v", info)
	}
	if info := must(s.DataBreakpointInfo("IPR[0..3]", all["NVIC"].VariablesReference))(t); info.DataId != nil || !strings.Contains(info.Description, "is no register") {
		t.Errorf("data breakpoint of an array: %+v", info)
	}
	for _, expr := range []string{"TIMER0.RELOAD = 7", "TIMER0.CTRL.IRQEN = 0"} {
		must(s.Evaluate(expr, s.top().Id, "repl"))(t)
	}
	if got := must(s.Evaluate("TIMER0.RELOAD + TIMER0.CTRL", s.top().Id, "watch"))(t).Result; got != "7 (0x7)" {
		t.Errorf("TIMER0.RELOAD + TIMER0.CTRL is %s", got)
	}
	for _, x := range []struct{ path, value, want string }{
		{"TIMER0.CTRL.EN", "PAUSED", "STOPPED, COUNTING"},
		{"TIMER0.CTRL.EN", "2", "the field has 1 bits"},
		{"UART0.STATE.TXBF", "0", "not writable"},
		{"UART0.STATE.TXOV", "1", "no write gives the field that value"},
		{"UART0.BAUDDIV.DIV", "3", "it must be from 16"},
		{"UART0.BAUDDIV", "3", "it must be from 16"},
		{"SysTick.CTRL.ENABLE", "1", "reading it has a side effect"},
		{"NVIC.LINE", "1", "only registers and their fields"},
	} {
		in, name := container(x.path)
		if e := wantError(t, second(s.SetVariable(in, name, x.value)), errReadOnly); !strings.Contains(e.Text, x.want) {
			t.Errorf("%s = %s: %s, want %s", x.path, x.value, e.Text, x.want)
		}
	}
}

// cutLast cuts a path before its last part.
func cutLast(path string) (before, last string, found bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}
