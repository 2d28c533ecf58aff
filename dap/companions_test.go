package dap

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/elfcore"
	"pushmask/core/memmap"
	"pushmask/dap/dapclient"
	"pushmask/elfsym"
)

// stoppedKernel compiles kernel data that package core/rtos is tested with, and
// returns the program and a core of it, stopped in a task.
func stoppedKernel(t *testing.T, source string, flags ...string) (image, dump string) {
	t.Helper()
	gcc, err := exec.LookPath("arm-none-eabi-gcc")
	if err != nil {
		t.Skip("arm-none-eabi-gcc is not installed: there is no kernel to look at")
	}
	dir := t.TempDir()
	image, dump = filepath.Join(dir, "fw.elf"), filepath.Join(dir, "fw.core")
	args := append([]string{"-g", "-mcpu=cortex-m4", "-mthumb", "-ffreestanding", "-nostdlib",
		"-Wl,-Ttext=0x8000,-Tdata=0x20000000,-Tbss=0x20040000", filepath.Join("../core/rtos/testdata", source), "-o", image}, flags...)
	if out, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	writeCore(t, image, dump)
	return image, dump
}

// freeRTOS is [stoppedKernel] of FreeRTOS, whose lists have their names in the kernel.
func freeRTOS(t *testing.T, flags ...string) (image, dump string) {
	t.Helper()
	for name, kernel := range map[string]string{
		"ready": "pxReadyTasksLists", "delayed1": "xDelayedTaskList1", "delayed2": "xDelayedTaskList2",
		"pending": "xPendingReadyList", "suspended": "xSuspendedTaskList", "dead": "xTasksWaitingTermination",
	} {
		flags = append(flags, "-D"+name+"="+kernel)
	}
	return stoppedKernel(t, "freertos.c", flags...)
}

// writeCore writes a core of the program, stopped in main_task, whose RAM holds
// its initialised data.
func writeCore(t *testing.T, image, dump string) {
	t.Helper()
	img, err := elfsym.Open(image, elfsym.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer img.Close()
	const ram, size, stack, thumbState = 0x20000000, 0x2000, 0x20001f00, 1 << 24
	data := make([]byte, size)
	_, _ = img.ReadAt(ram, data) // behind .data it is 0
	var memory memmap.Map
	memory.AddBytes(ram, data)
	var regs core.Regs
	for r, v := range map[core.Reg]uint32{core.PC: img.Lookup("main_task")[0].Addr &^ 1, core.SP: stack, core.PSP: stack, core.PSR: thumbState} {
		regs.Set(r, v)
	}
	out, err := os.Create(dump)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := elfcore.Write(out, &elfcore.Core{
		Profile:  core.ProfileM,
		Threads:  []elfcore.Thread{{Thread: core.Thread{ID: 1, Crashed: true}, Regs: regs}},
		Segments: []elfcore.Segment{{Addr: ram, Size: size, Source: &memory, Write: true}},
	}); err != nil {
		t.Fatal(err)
	}
}

// rtosView asks as the extension mcu-debug.rtos-views 0.0.14 does
// (https://github.com/mcu-debug/rtos-views, src/rtos/rtos-freertos.ts). It takes
// the answers apart, and shows texts as they are.
type rtosView struct {
	*dapclient.Client
	t     *testing.T
	frame int
	cores []uint32 // what pxCurrentTCBs has, nil where there is no such variable
}

// newRTOSView starts as the extension does: with the first frame of the first
// stack, whose id has to be truthy.
func newRTOSView(t *testing.T, c *dapclient.Client) *rtosView {
	t.Helper()
	v := &rtosView{Client: c, t: t, frame: must(c.StackTrace(1, 0, 1))(t).StackFrames[0].Id}
	if v.frame == 0 {
		t.Fatal("a frame has the id 0")
	}
	return v
}

// child is what the extension keeps of a variable.
type child struct {
	value, expr string
	ref         int
}

// number is JavaScript's parseInt, which stops at the first character that is no
// digit.
func (v *rtosView) number(text string) uint32 {
	v.t.Helper()
	n, err := strconv.ParseUint(regexp.MustCompile(`^(0x[0-9a-f]+|[0-9]+)`).FindString(text), 0, 32)
	if err != nil {
		v.t.Fatalf("%q does not begin with a number", text)
	}
	return uint32(n)
}

func (v *rtosView) value(expr string) (text string, ref int) {
	v.t.Helper()
	body, err := v.Evaluate(expr, v.frame, "hover")
	if err != nil {
		v.t.Fatalf("%s: %v", expr, err)
	}
	return body.Result, body.VariablesReference
}

func (v *rtosView) children(ref int) map[string]child {
	v.t.Helper()
	if ref == 0 {
		v.t.Fatal("a value has no parts")
	}
	out := make(map[string]child)
	for _, c := range must(v.Variables(ref, 0, 0))(v.t) {
		out[c.Name] = child{c.Value, c.EvaluateName, c.VariablesReference}
	}
	return out
}

// status is what the extension shows of a task in a list.
func (v *rtosView) status(id uint32, tcb map[string]child, list string) string {
	v.t.Helper()
	if v.cores == nil {
		if v.number(firstValue(v.value("pxCurrentTCB"))) == id {
			return "RUNNING"
		}
		return list
	}
	switch state := tcb["xTaskRunState"].value; state {
	case "-2":
		return "YIELD"
	case "-1":
		return list
	default:
		return "RUNNING(" + state + ")"
	}
}

// tasks describes the tasks of a list.
func (v *rtosView) tasks(list map[string]child, name string) []string {
	v.t.Helper()
	at := v.children(list["xListEnd"].ref)["pxPrevious"].ref
	var out []string
	for range v.number(list["uxNumberOfItems"].value) {
		item := v.children(at)
		id := v.number(item["pvOwner"].value)
		_, ref := v.value(fmt.Sprintf("((TCB_t*)0x%08x)", id))
		tcb := v.children(ref)
		text, _ := v.value("(char *)" + tcb["pcTaskName"].expr)
		title := regexp.MustCompile(`"([^*]*)"$`).FindStringSubmatch(text)
		if title == nil {
			v.t.Fatalf("the name of a task is %q", text)
		}
		bottom, top, end := v.number(tcb["pxStack"].value), v.number(tcb["pxTopOfStack"].value), v.number(tcb["pxEndOfStack"].value)
		m := must(v.ReadMemory(fmt.Sprintf("0x%08x", bottom), 0, int(end-bottom)))(v.t)
		if data := must(base64.StdEncoding.DecodeString(m.Data))(v.t); uint32(len(data)) != end-bottom {
			v.t.Errorf("%s: %d bytes of a stack of %d", title[1], len(data), end-bottom)
		}
		out = append(out, fmt.Sprintf("%s %s %s,%s", title[1], v.status(id, tcb, name), tcb["uxPriority"].value, tcb["uxBasePriority"].value))
		if top < bottom || top > end {
			v.t.Errorf("%s: its stack pointer %#x is not in %#x..%#x", title[1], top, bottom, end)
		}
		at = item["pxPrevious"].ref
	}
	return out
}

func firstValue(text string, _ int) string { return text }

// refresh collects the rows of the view.
func (v *rtosView) refresh() []string {
	v.t.Helper()
	if n, _ := v.value("uxCurrentNumberOfTasks"); n != "7" {
		v.t.Errorf("%s tasks, want 7", n)
	}
	var rows []string
	_, ready := v.value("pxReadyTasksLists")
	for _, list := range must(v.Variables(ready, 0, 0))(v.t) {
		rows = append(rows, v.tasks(v.children(list.VariablesReference), "READY")...)
	}
	for _, l := range []struct{ list, name string }{
		{"xDelayedTaskList1", "BLOCKED"}, {"xDelayedTaskList2", "BLOCKED"}, {"xPendingReadyList", "PENDING"},
		{"xSuspendedTaskList", "SUSPENDED"}, {"xTasksWaitingTermination", "TERMINATED"},
	} {
		_, ref := v.value(l.list)
		rows = append(rows, v.tasks(v.children(ref), l.name)...)
	}
	slices.Sort(rows)
	return rows
}

// registers collects the names of the registers, of which "xpsr" or "cpsr" tells
// the architecture: what has no parts in scopes with "registers" in their names.
func (v *rtosView) registers() []string {
	v.t.Helper()
	var names []string
	for _, s := range must(v.Scopes(v.frame))(v.t) {
		if !strings.Contains(strings.ToLower(s.Name), "registers") {
			continue
		}
		for name, r := range v.children(s.VariablesReference) {
			if r.ref == 0 {
				names = append(names, strings.ToLower(name))
			}
		}
	}
	return names
}

// absent checks that expressions that mean nothing here say so in a few words.
func (v *rtosView) absent(exprs ...string) {
	v.t.Helper()
	for _, expr := range exprs {
		_, err := v.Evaluate(expr, v.frame, "hover")
		if e := wantError(v.t, err, errEvaluate); e.ShowUser || len(e.Text) > 80 || strings.Contains(e.Text, "\n") {
			v.t.Errorf("%s: %q", expr, e.Text)
		}
	}
}

// TestRTOSViews replays what the extension rtos-views asks for.
func TestRTOSViews(t *testing.T) {
	t.Parallel()
	c := startAdapter(t, nil)
	must(c.Open(freeRTOS(t)))(t)
	v := newRTOSView(t, c)
	// Every kernel that it knows is looked for.
	v.absent("OSRunning", "OS_Global", "&ch_system.reglist", "&ch0.reglist", "_kernel", "_tx_thread_created_count",
		"TZ_InitContextSystem_S", "osRtxConfig", "pxCurrentTCBs", "ulTotalRunTime", "xQueueRegistry", "xSecureContext")
	want := []string{
		"fp SUSPENDED 4,4", "lock BLOCKED 2,2", "main RUNNING 3,3", "nap BLOCKED 1,1", "off SUSPENDED 0,0", "rx SUSPENDED 2,2", "tx READY 2,1",
	}
	if d := cmp.Diff(want, v.refresh()); d != "" {
		t.Errorf("tasks differ (-want +got):\n%s", d)
	}
	if !slices.Contains(v.registers(), "xpsr") {
		t.Errorf("no xPSR among %q", v.registers())
	}
	if cpuid, _ := v.value("*(unsigned int *)0xe000ed00"); cpuid == "" || cpuid[0] != '<' {
		t.Errorf("CPUID, which is not in the dump, is %q", cpuid)
	}
	if sp := v.number(firstValue(v.value("$psp"))); sp != 0x20001f00 {
		t.Errorf("$psp is %#x", sp)
	}
	v.absent("$r13_usr", "$sp_usr")
}

// TestRTOSViewsCores replays what is asked on several cores. The first number in
// the text of the array is how many there are.
func TestRTOSViewsCores(t *testing.T) {
	t.Parallel()
	c := startAdapter(t, nil)
	must(c.Open(freeRTOS(t, "-DSMP")))(t)
	v := newRTOSView(t, c)
	v.absent("pxCurrentTCB")
	text, _ := v.value("pxCurrentTCBs")
	n := must(strconv.Atoi(regexp.MustCompile(`\d+`).FindString(text)))(t)
	for i := range n {
		v.cores = append(v.cores, v.number(firstValue(v.value(fmt.Sprintf("pxCurrentTCBs[%d]", i)))))
	}
	want := []uint32{v.number(firstValue(v.value("&main_tcb"))), v.number(firstValue(v.value("&tx_tcb")))}
	if d := cmp.Diff(want, v.cores); d != "" {
		t.Errorf("cores differ (-want +got):\n%s", d)
	}
	rows := []string{
		"fp SUSPENDED 4,4", "lock BLOCKED 2,2", "main RUNNING(0) 3,3", "nap BLOCKED 1,1", "off SUSPENDED 0,0", "rx SUSPENDED 2,2", "tx RUNNING(1) 2,1",
	}
	if d := cmp.Diff(rows, v.refresh()); d != "" {
		t.Errorf("tasks differ (-want +got):\n%s", d)
	}
}

// TestRTOSViewsZephyr replays what is asked about threads of Zephyr (rtos-zephyr.ts).
// Their priority is in an anonymous structure of an anonymous union.
func TestRTOSViewsZephyr(t *testing.T) {
	t.Parallel()
	c := startAdapter(t, nil)
	must(c.Open(stoppedKernel(t, "zephyr.c", "-DCPUS=1", "-DMONITOR")))(t)
	v := newRTOSView(t, c)
	current := v.number(firstValue(v.value("_kernel.cpus[0].current")))
	text, ref := v.value("_kernel.threads")
	var rows []string
	for at := v.number(text); at != 0; {
		thread := v.children(ref)
		name := regexp.MustCompile(`"([^*]*)"$`).FindStringSubmatch(firstValue(v.value("(char *)" + thread["name"].expr)))
		if name == nil {
			t.Fatalf("a thread has the name %q", thread["name"].value)
		}
		prio, _, _ := strings.Cut(v.children(thread["base"].ref)["prio"].value, " ")
		rows = append(rows, fmt.Sprintf("%s %s running=%t", name[1], prio, at == current))
		at, ref = v.number(thread["next_thread"].value), thread["next_thread"].ref
	}
	want := []string{"main 0 running=true", "tx -2 running=false", "nap 7 running=false", "fresh 9 running=false", "rx 5 running=false"}
	if d := cmp.Diff(want, rows); d != "" {
		t.Errorf("threads differ (-want +got):\n%s", d)
	}
}

// TestHoverByMouse checks that people get the form with the hexadecimal number.
// VS Code names the place in the source, extensions do not.
func TestHoverByMouse(t *testing.T) {
	t.Parallel()
	c := startAdapter(t, nil)
	must(c.Open(freeRTOS(t)))(t)
	frame := must(c.StackTrace(1, 0, 1))(t).StackFrames[0].Id
	var body dap.EvaluateResponseBody
	args := map[string]any{"expression": "uxCurrentNumberOfTasks", "frameId": frame, "context": "hover", "line": 9, "column": 14}
	if err := c.Call("evaluate", args, &body); err != nil || body.Result != "7 (0x7)" {
		t.Errorf("%q, %v", body.Result, err)
	}
}

// TestMemoryView replays what the extension mcu-debug.memory-view 0.0.29 does
// (https://github.com/mcu-debug/memview, src/view/memview/memview-doc.ts): an
// expression names an address, another one a size, and memory is read in pages,
// whose addresses are decimal.
func TestMemoryView(t *testing.T) {
	t.Parallel()
	c := startAdapter(t, nil)
	must(c.Open(freeRTOS(t)))(t)
	var event struct{ Capabilities dap.Capabilities }
	if err := c.Event("capabilities", &event); err != nil || !event.Capabilities.SupportsReadMemoryRequest || event.Capabilities.SupportsWriteMemoryRequest {
		t.Errorf("capabilities %+v, %v", event.Capabilities, err)
	}
	v := newRTOSView(t, c)
	const page = 256
	for _, expr := range []string{"&main_tcb", "main_tcb", "pxCurrentTCB", "$sp", "0x20000000 + 16", "uxCurrentNumberOfTasks"} {
		body := must(c.Evaluate(expr, v.frame, "hover"))(t)
		m := must(c.ReadMemory(strconv.Itoa(int(v.number(body.MemoryReference))), 0, page))(t)
		if data := must(base64.StdEncoding.DecodeString(m.Data))(t); len(data)+m.UnreadableBytes != page || len(data) == 0 {
			t.Errorf("%s: %d bytes and %d unreadable ones", expr, len(data), m.UnreadableBytes)
		}
	}
	if size := must(c.Evaluate("4 * 1024 * 1024", v.frame, "hover"))(t); v.number(size.MemoryReference) != 4<<20 || size.Result != "4194304" {
		t.Errorf("the size that it offers is %q, %q", size.MemoryReference, size.Result)
	}
	var nothing map[string]any
	if err := c.Call("readMemory", dap.ReadMemoryArguments{MemoryReference: "1610612736", Count: page}, &nothing); err != nil || nothing["data"] != "" {
		t.Errorf("memory that is not there: %v, %v", nothing, err)
	}
}

// TestPeripheralViewer replays what the extension mcu-debug.peripheral-viewer 1.6.1
// does (https://github.com/mcu-debug/peripheral-viewer, src/memreadutils.ts): it
// reads registers that lie together at once, writes one, and reads them again.
func TestPeripheralViewer(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.attach(nil)
	s.toMain()
	read := func() []byte {
		m := must(s.ReadMemory("0x40000000", 0, 12))(t)
		return must(base64.StdEncoding.DecodeString(m.Data))(t)
	}
	timer := make([]byte, 12) // CTRL, VALUE, RELOAD
	if d := cmp.Diff(timer, read()); d != "" {
		t.Errorf("before (-want +got):\n%s", d)
	}
	for _, w := range []struct {
		at   string
		data []byte
	}{{"0x40000008", []byte{0x34, 0x12, 0, 0}}, {"0x40000000", []byte{8, 0, 0, 0}}} {
		if n := must(s.WriteMemory(w.at, 0, w.data))(t); n != len(w.data) {
			t.Errorf("%s: %d bytes written", w.at, n)
		}
	}
	copy(timer, []byte{8, 0, 0, 0, 0x34, 0x12, 0, 0, 0x34, 0x12}) // a timer that stands takes over the new value
	if d := cmp.Diff(timer, read()); d != "" {
		t.Errorf("after (-want +got):\n%s", d)
	}
	s.repl("set var *(unsigned *)0x40000008 = 0x55")
	if got := read()[8]; got != 0x55 {
		t.Errorf("RELOAD is %#x", got)
	}
}

// TestMemoryInspector replays what the extension eclipse-cdt.memory-inspector 1.2.0
// does (https://github.com/eclipse-cdt-cloud/vscode-memory-inspector,
// src/plugin/adapter-registry/c-tracker.ts): it asks where the variables of the
// scopes are, and takes sizes that are more than digits for unknown. What it
// writes it reads again when the event memory tells.
func TestMemoryInspector(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.attach(nil)
	s.toMain()
	frame := s.top().Id
	ask := func(expr string) string {
		t.Helper()
		return must(s.Evaluate(expr, frame, "watch"))(t).Result
	}
	for _, v := range must(s.Variables(s.scope(frame, "Globals"), 0, 0))(t) {
		if size := ask("sizeof(" + v.EvaluateName + ")"); !regexp.MustCompile(`^[0-9]+$`).MatchString(size) {
			t.Errorf("%s has the size %q", v.Name, size)
		}
	}
	at := regexp.MustCompile(`0x[0-9a-f]+`).FindString(ask("&(counter)"))
	must(s.WriteMemory(at, 0, []byte{0xaa, 0xbb, 0xcc, 0xdd}))(t)
	var event dap.MemoryEventBody
	s.ok(s.Event("memory", &event))
	if want := (dap.MemoryEventBody{MemoryReference: at, Count: 4}); event != want {
		t.Errorf("event %+v, want %+v", event, want)
	}
	if m := must(s.ReadMemory(at, 0, 4))(t); m.Data != "qrvM3Q==" {
		t.Errorf("memory is %s", m.Data)
	}
}
