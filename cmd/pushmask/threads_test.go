package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core/coretest"
	"pushmask/elfsym"
)

// kernelDump builds the FreeRTOS of the tests of core/rtos and a core of it that
// has the registers of the machine alone.
func kernelDump(t *testing.T) (image, dump string) {
	t.Helper()
	const gcc = "arm-none-eabi-gcc"
	if _, err := exec.LookPath(gcc); err != nil {
		t.Skipf("%s is not installed: there is no kernel to read", gcc)
	}
	dir := t.TempDir()
	image, dump = filepath.Join(dir, "fw.elf"), filepath.Join(dir, "crash.core")
	args := strings.Fields("-mcpu=cortex-m4 -mthumb -g -DCM4F -ffreestanding -nostdlib -Wl,-Ttext=0x8000,-Tdata=0x20000000 -o")
	args = append(args, image, "../../core/rtos/testdata/freertos.c")
	if b, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	img, err := elfsym.Open(image, elfsym.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer img.Close()
	sp, pc := img.Lookup("main_stack")[0].Addr+256, img.Lookup("main_task")[0].Addr
	core := coretest.ELFCore{Segments: []coretest.ELFSegment{
		coretest.NoteSegment(coretest.PRStatus{PID: 1, Regs: [17]uint32{13: sp, 15: pc, 16: 1 << 24}}.Note()),
	}}
	for _, s := range img.Segments() {
		if s.Write {
			data := make([]byte, s.FileSize)
			if _, err := img.ReadAt(s.Addr, data); err != nil {
				t.Fatal(err)
			}
			core.Segments = append(core.Segments, coretest.ELFSegment{Addr: s.Addr, Data: data})
		}
	}
	if err := os.WriteFile(dump, core.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return image, dump
}

// TestSystemThreads shows threads that only memory knows: name, state, priority,
// what they wait for and the use of their stacks.
func TestSystemThreads(t *testing.T) {
	t.Parallel()
	image, dump := kernelDump(t)
	output := func(args ...string) []byte {
		t.Helper()
		e := newTestEnv("", nil)
		if status := run(context.Background(), args, &e.env); status != 0 {
			t.Fatalf("%q: status %d, %s", args, status, e.err.String())
		}
		return e.out.Bytes()
	}
	text := string(output("bt", "--all-threads", image, dump))
	for _, want := range []string{
		`thread 1 "main", running, prio 3, stack 0x2`,
		`thread 2 "tx", ready, prio 2 (base 1), stack 0x2`,
		`"lock", blocked on mutex bus_lock held by tx (100 ticks left), prio 2, stack`, "68 of 512 bytes used",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	info := string(output("info", image, dump))
	if want := "rx  pc 0x0000"; !strings.Contains(info, want) || !strings.Contains(info, "blocked on queue rx_queue, prio 2") || !strings.Contains(info, "FreeRTOS") {
		t.Errorf("no %q, state or kernel in:\n%s", want, info)
	}
	var line jsonTrace
	if err := json.Unmarshal(bytes.TrimSpace(output("bt", "--json", "--all-threads", image, dump)), &line); err != nil {
		t.Fatal(err)
	}
	if len(line.Threads) != 7 {
		t.Fatalf("%d threads", len(line.Threads))
	}
	tx := line.Threads[1]
	two, one, used := 2, 1, uint32(68)
	want := jsonThread{ID: 2, Name: "tx", State: "ready", Priority: &two, Base: &one, Stop: tx.Stop, Frames: tx.Frames,
		Stack: &jsonStack{Low: tx.Stack.Low, High: tx.Stack.High, Used: &used}}
	if d := cmp.Diff(want, tx); d != "" || len(tx.Frames) == 0 {
		t.Error(d)
	}
}
