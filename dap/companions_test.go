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

	"pushmask/core"
	"pushmask/core/elfcore"
	"pushmask/core/memmap"
	"pushmask/dap/dapclient"
	"pushmask/elfsym"
)

// freeRTOS compiles the kernel data that package core/rtos is tested with, and
// returns the program and a core of it, stopped in a task.
func freeRTOS(t *testing.T, flags ...string) (image, dump string) {
	t.Helper()
	gcc, err := exec.LookPath("arm-none-eabi-gcc")
	if err != nil {
		t.Skip("arm-none-eabi-gcc is not installed: there is no kernel to look at")
	}
	dir := t.TempDir()
	image, dump = filepath.Join(dir, "fw.elf"), filepath.Join(dir, "fw.core")
	args := append([]string{"-g", "-mcpu=cortex-m4", "-mthumb", "-ffreestanding", "-nostdlib",
		"-Wl,-Ttext=0x8000,-Tdata=0x20000000,-Tbss=0x20040000", "../core/rtos/testdata/freertos.c", "-o", image}, flags...)
	for name, kernel := range map[string]string{
		"ready": "pxReadyTasksLists", "delayed1": "xDelayedTaskList1", "delayed2": "xDelayedTaskList2",
		"pending": "xPendingReadyList", "suspended": "xSuspendedTaskList", "dead": "xTasksWaitingTermination",
	} {
		args = append(args, "-D"+name+"="+kernel)
	}
	if out, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	writeCore(t, image, dump)
	return image, dump
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

// rtosView asks as the extension mcu-debug.rtos-views does for FreeRTOS
// (https://github.com/mcu-debug/rtos-views, src/rtos/rtos-freertos.ts).
type rtosView struct {
	*dapclient.Client
	t     *testing.T
	frame int
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

// tasks describes the tasks of a list.
func (v *rtosView) tasks(list map[string]child, state string) []string {
	v.t.Helper()
	at := v.children(list["xListEnd"].ref)["pxPrevious"].ref
	var out []string
	for range v.number(list["uxNumberOfItems"].value) {
		item := v.children(at)
		id := v.number(item["pvOwner"].value)
		_, ref := v.value(fmt.Sprintf("((TCB_t*)0x%08x)", id))
		tcb := v.children(ref)
		text, _ := v.value("(char *)" + tcb["pcTaskName"].expr)
		name := regexp.MustCompile(`"([^*]*)"$`).FindStringSubmatch(text)
		if name == nil {
			v.t.Fatalf("the name of a task is %q", text)
		}
		bottom, top, end := v.number(tcb["pxStack"].value), v.number(tcb["pxTopOfStack"].value), v.number(tcb["pxEndOfStack"].value)
		m := must(v.ReadMemory(fmt.Sprintf("0x%08x", bottom), 0, int(end-bottom)))(v.t)
		if data := must(base64.StdEncoding.DecodeString(m.Data))(v.t); uint32(len(data)) != end-bottom {
			v.t.Errorf("%s: %d bytes of a stack of %d", name[1], len(data), end-bottom)
		}
		running := v.number(firstValue(v.value("pxCurrentTCB"))) == id
		out = append(out, fmt.Sprintf("%s %s running=%v priority=%d,%d free=%t", name[1], state, running,
			v.number(tcb["uxPriority"].value), v.number(tcb["uxBasePriority"].value), top >= bottom && top <= end))
		at = item["pxPrevious"].ref
	}
	return out
}

func firstValue(text string, _ int) string { return text }

// TestRTOSViews replays what the extension rtos-views asks for.
func TestRTOSViews(t *testing.T) {
	t.Parallel()
	c := startAdapter(t, nil)
	must(c.Open(freeRTOS(t)))(t)
	v := &rtosView{c, t, must(c.StackTrace(1, 0, 1))(t).StackFrames[0].Id}
	if n := v.number(firstValue(v.value("uxCurrentNumberOfTasks"))); n != 7 {
		t.Errorf("%d tasks, want 7", n)
	}
	var got []string
	_, ready := v.value("pxReadyTasksLists")
	for _, list := range must(c.Variables(ready, 0, 0))(t) {
		got = append(got, v.tasks(v.children(list.VariablesReference), "READY")...)
	}
	for _, l := range []struct{ list, state string }{
		{"xDelayedTaskList1", "BLOCKED"}, {"xDelayedTaskList2", "BLOCKED"}, {"xPendingReadyList", "PENDING"},
		{"xSuspendedTaskList", "SUSPENDED"}, {"xTasksWaitingTermination", "TERMINATED"},
	} {
		_, ref := v.value(l.list)
		got = append(got, v.tasks(v.children(ref), l.state)...)
	}
	slices.Sort(got)
	want := []string{
		"fp SUSPENDED running=false priority=4,4 free=true", "lock BLOCKED running=false priority=2,2 free=true",
		"main READY running=true priority=3,3 free=true", "nap BLOCKED running=false priority=1,1 free=true",
		"off SUSPENDED running=false priority=0,0 free=true", "rx SUSPENDED running=false priority=2,2 free=true",
		"tx READY running=false priority=2,1 free=true",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("tasks differ (-want +got):\n%s", d)
	}
	if sp := v.number(firstValue(v.value("$psp"))); sp != 0x20001f00 {
		t.Errorf("$psp is %#x", sp)
	}
	v.absent("pxCurrentTCBs", "xQueueRegistry", "_tx_thread_created_ptr", "_kernel.cpus[0].current", "$r13_usr")
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

// TestRTOSViewsCores replays what is asked on several cores.
func TestRTOSViewsCores(t *testing.T) {
	t.Parallel()
	c := startAdapter(t, nil)
	must(c.Open(freeRTOS(t, "-DSMP")))(t)
	v := &rtosView{c, t, must(c.StackTrace(1, 0, 1))(t).StackFrames[0].Id}
	for i, name := range []string{"main_tcb", "tx_tcb"} {
		got := v.number(firstValue(v.value(fmt.Sprintf("pxCurrentTCBs[%d]", i))))
		if want := v.number(firstValue(v.value("&" + name))); got != want {
			t.Errorf("core %d runs %#x, want %s at %#x", i, got, name, want)
		}
	}
}

// TestMemoryView replays what the extension mcu-debug.memory-view does: an
// expression names an address, and its memory is read in pages of 512 bytes.
func TestMemoryView(t *testing.T) {
	t.Parallel()
	c := startAdapter(t, nil)
	must(c.Open(freeRTOS(t)))(t)
	v := &rtosView{c, t, must(c.StackTrace(1, 0, 1))(t).StackFrames[0].Id}
	for _, expr := range []string{"&main_tcb", "pxCurrentTCB", "$sp", "0x20000000", "0x20000000 + 16"} {
		at := v.number(firstValue(v.value(expr)))
		m := must(c.ReadMemory(fmt.Sprintf("0x%x", at), 0, 512))(t)
		if data := must(base64.StdEncoding.DecodeString(m.Data))(t); len(data)+m.UnreadableBytes != 512 || len(data) == 0 {
			t.Errorf("%s: %d bytes and %d unreadable ones", expr, len(data), m.UnreadableBytes)
		}
	}
}
